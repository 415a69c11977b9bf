import Synchronization

/// The history of a ``FixtureServer`` and those who wait for something to be in it.
final class FixtureLog: Sendable {
    private struct Waiter {
        let condition: @Sendable (FixtureHistory) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var history = FixtureHistory()
        var openSockets: [Int: FixtureSocket] = [:]
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    var history: FixtureHistory { state.withLock { $0.history } }

    /// Returns the connection's number.
    func connectionOpened(_ socket: FixtureSocket) -> Int {
        change { state in
            let number = state.history.connectionCount
            state.openSockets[number] = socket
            state.history.connectionCount += 1
            state.history.openConnectionCount += 1
            // A thread may notice late that its client has closed the connection: the kernel knows.
            state.history.maximumOpenConnectionCount = max(
                state.history.maximumOpenConnectionCount,
                FixtureSocket.countOpenAtPeer(state.openSockets.values)
            )
            return number
        }
    }

    func connectionClosed(_ number: Int) {
        change { state in
            state.openSockets[number] = nil
            state.history.openConnectionCount -= 1
        }
    }

    func bodyHeld() {
        change { $0.history.heldBodyCount += 1 }
    }

    func listeningEnded() {
        change { $0.history.isListening = false }
    }

    func append(_ request: FixtureRequest) -> FixtureRequest {
        change { state in
            var request = request
            request.index = state.history.requests.count
            state.history.requests.append(request)
            return request
        }
    }

    func sent(bodyByteCount: Int64, of request: FixtureRequest) {
        change { $0.history.requests[request.index].sentBodyByteCount += bodyByteCount }
    }

    func set(_ newState: FixtureRequest.State, of request: FixtureRequest) {
        change { $0.history.requests[request.index].state = newState }
    }

    func waitUntil(_ condition: @escaping @Sendable (FixtureHistory) -> Bool) async throws {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Waiter(condition: condition, continuation: continuation), number: number)
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func add(_ waiter: Waiter, number: Int) {
        let holds = state.withLock { state in
            guard !waiter.condition(state.history) else { return true }
            state.waiters[number] = waiter
            return false
        }
        if holds {
            waiter.continuation.resume()
        } else if Task.isCancelled {
            // The cancellation may have come before there was a waiter to be found.
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    @discardableResult
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, ready) = state.withLock { state in
            let result = body(&state)
            let ready = state.waiters.filter { $0.value.condition(state.history) }
            for number in ready.keys {
                state.waiters[number] = nil
            }
            return (result, ready.values.map(\.continuation))
        }
        for continuation in ready {
            continuation.resume()
        }
        return result
    }
}

/// What a ``FixtureServer`` has seen so far.
package struct FixtureHistory: Sendable {
    /// The requests in the order of their arrival.
    package internal(set) var requests: [FixtureRequest] = []
    /// How many connections were accepted.
    package internal(set) var connectionCount = 0
    /// How many connections are open here; one that a client has closed counts until that is noticed.
    package internal(set) var openConnectionCount = 0
    /// The most connections that a client had open at one time.
    package internal(set) var maximumOpenConnectionCount = 0

    /// How often a body was not read any further because of a ``FixtureHold``.
    package internal(set) var heldBodyCount = 0

    /// Whether new connections are accepted.
    var isListening = true

    /// The requests to a path, in the order of their arrival.
    package func requests(to path: String) -> [FixtureRequest] {
        requests.filter { $0.path == path }
    }
}
