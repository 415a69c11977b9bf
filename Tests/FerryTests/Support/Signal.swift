import Testing

/// Something that happens once, and for which tests wait.
final class Signal: Sendable {
    private let happened = Awaited(false)

    var hasHappened: Bool { happened.value }

    func give() { happened.change { $0 = true } }

    func wait(sourceLocation: SourceLocation = #_sourceLocation) async {
        await happened.wait(until: { $0 }, sourceLocation: sourceLocation)
    }
}
