import Testing

/// The calls that a ``ScriptedDaemon`` got, for which tests can wait.
final class CallLog: Sendable {
    private let calls = Awaited<[String]>([])

    var all: [String] { calls.value }

    /// What a session has asked for, without how it connected and listed its tasks.
    var requests: [String] {
        all.filter { call in
            !Self.preparations.contains { call.hasPrefix($0) }
        }
    }

    private static let preparations = [
        "OpenSession", "ReceiveEvents", "HoldEvents", "ReleaseSession", "ListTasks",
    ]

    func append(_ call: String) { calls.change { $0.append(call) } }

    /// Returns when a condition holds of the calls.
    func wait(
        sourceLocation: SourceLocation = #_sourceLocation,
        until condition: @escaping @Sendable ([String]) -> Bool
    ) async {
        await calls.wait(until: condition, sourceLocation: sourceLocation)
    }

    /// Returns when a call has come as often.
    func wait(
        for call: String,
        count: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await wait(sourceLocation: sourceLocation) { calls in
            calls.count { $0.hasPrefix(call) } >= count
        }
    }
}

/// Something that happens once, and for which tests wait.
final class Signal: Sendable {
    private let happened = Awaited(false)

    var hasHappened: Bool { happened.value }

    func give() { happened.change { $0 = true } }

    func wait(sourceLocation: SourceLocation = #_sourceLocation) async {
        await happened.wait(until: { $0 }, sourceLocation: sourceLocation)
    }
}
