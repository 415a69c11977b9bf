import Synchronization

/// The resources of an ``UploadServer``, and what has happened to them.
final class UploadStore: Sendable {
    struct Resource: Sendable {
        var path: String
        var bytes: [UInt8] = []
        var isComplete = false
        /// What its client was told to go on from.
        var toldOffset: Int?
        /// Counts those who had something to do with it, of whom only the last one may add to it.
        var turn = 0
    }

    /// Who waits for something to have happened.
    private struct Waiter {
        var condition: @Sendable (UploadHistory) -> Bool
        var value: AsyncValue<Bool>
    }

    private struct State {
        var history = UploadHistory()
        var waiters: [Waiter] = []
        var violations: [String] = []
        var resources: [Int: Resource] = [:]
        var latest: [String: Int] = [:]
        var nextIdentifier = 1
    }

    private let state = Mutex(State())

    var requests: [UploadServerRequest] { state.withLock { $0.history.requests } }

    var violations: [String] { state.withLock { $0.violations } }

    var openCount: Int {
        state.withLock { $0.resources.values.count { !$0.isComplete } }
    }

    func completeContents(of path: String) -> [[UInt8]] {
        state.withLock { state in
            state.resources.values.filter { $0.path == path && $0.isComplete }.map(\.bytes)
        }
    }

    func contents(of path: String) -> [UInt8] {
        state.withLock { state in
            state.latest[path].flatMap { state.resources[$0]?.bytes } ?? []
        }
    }

    /// Adds a request to the history.
    ///
    /// Its behaviour is decided before anybody hears of the request: a test that waits for it may change what
    /// decides.
    ///
    /// - Returns: The request with its number, and its behaviour.
    func append(
        _ request: UploadServerRequest,
        decidedBy behaviour: (UploadServerRequest) -> UploadBehaviour
    ) -> (UploadServerRequest, UploadBehaviour) {
        record { history in
            var request = request
            request.number = history.requests.count
            let behaviour = behaviour(request)
            history.requests.append(request)
            return (request, behaviour)
        }
    }

    /// Adds bytes to a resource, unless somebody else has asked for it since.
    func received(_ bytes: ArraySlice<UInt8>, for identifier: Int, inTurn turn: Int) {
        var isTaken = false
        change(identifier) { resource in
            guard resource.turn == turn else { return }
            resource.bytes += bytes
            isTaken = true
        }
        if isTaken { record { $0.receivedByteCount += bytes.count } }
    }

    /// Takes a resource over from whoever was busy with it.
    func takeTurn(of identifier: Int) -> Int {
        change(identifier) { $0.turn += 1 }
        return resource(identifier)?.turn ?? 0
    }

    /// Returns when a condition holds.
    func waitUntil(_ condition: @escaping @Sendable (UploadHistory) -> Bool) async {
        let value = AsyncValue<Bool>()
        state.withLock { state in
            guard !condition(state.history) else { return value.set(true) }
            state.waiters.append(Waiter(condition: condition, value: value))
        }
        _ = await value.value
    }

    private func record<Result>(_ body: (inout UploadHistory) -> Result) -> Result {
        let (result, ready) = state.withLock { state in
            let result = body(&state.history)
            let ready = state.waiters.filter { $0.condition(state.history) }
            state.waiters.removeAll { $0.condition(state.history) }
            return (result, ready)
        }
        for waiter in ready { waiter.value.set(true) }
        return result
    }

    func violated(_ rule: String) { state.withLock { $0.violations.append(rule) } }

    func make(for path: String) -> Int {
        state.withLock { state in
            defer { state.nextIdentifier += 1 }
            state.resources[state.nextIdentifier] = Resource(path: path)
            state.latest[path] = state.nextIdentifier
            return state.nextIdentifier
        }
    }

    func resource(_ identifier: Int) -> Resource? {
        state.withLock { $0.resources[identifier] }
    }

    func change(_ identifier: Int, _ body: (inout Resource) -> Void) {
        state.withLock { state in
            guard var resource = state.resources.removeValue(forKey: identifier) else { return }
            body(&resource)
            state.resources[identifier] = resource
        }
    }

    func remove(_ identifier: Int) {
        state.withLock { $0.resources[identifier] = nil }
        record { $0.removedCount += 1 }
    }
}
