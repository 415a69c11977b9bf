import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// Whether a route leads off this machine.
    struct Network: Hashable, Sendable {
        private var connectivity = Connectivity.unknown

        /// Whether attempts may succeed.
        var allowsAttempts: Bool { connectivity.allowsAttempts }

        /// A route has appeared or disappeared.
        ///
        /// - Parameter connectivity: Whether there is one.
        /// - Returns: Whether attempts may succeed that could not before, or the other way round.
        @discardableResult
        mutating func change(to connectivity: Connectivity) -> Bool {
            let allowedAttempts = allowsAttempts
            self.connectivity = connectivity
            return allowsAttempts != allowedAttempts
        }
    }

    /// The network has become available or unavailable.
    mutating func connectivityChanged(to connectivity: Connectivity) {
        guard network.change(to: connectivity) else { return }
        turn.add(.waitsChanged)
        guard network.allowsAttempts else { return }
        breaker.tryAll()
        // A full disk delays the end of the wait; tasks of hosts that had failed need not wait for it.
        turn.add(.log(.info, "there is a network again", task: nil))
        endNetworkWait()
        turn.searchForTasks()
    }

    /// Without a network, ends the wait for one, as a proxy on this machine may reach a host now; a task whose host still
    /// cannot be reached waits again.
    mutating func endUnneededNetworkWaits() {
        if !network.allowsAttempts { endNetworkWait() }
    }

    private mutating func endNetworkWait() {
        commit([.endNetworkWait], .relaxed, then: .networkWaitEnded)
    }

    /// The store has released the tasks that waited for a network, or could not; without one, each waits again when it is
    /// to start.
    mutating func networkWaitEnded() {
        if network.allowsAttempts { turn.add(.waitsChanged) }
        turn.searchForTasks()
    }

    /// Returns whether a task's host cannot be reached, because no route leads off this machine.
    ///
    /// A proxy on this machine may reach a host without a route, or the host's address may be one of this machine.
    func isUnreachable(_ task: TaskRecord) -> Bool {
        guard !network.allowsAttempts, !Origin.isLocal(task.host) else { return false }
        let connections = sessions[task.sessionID].map { self.connections(of: $0.configuration) }
        let isSecure = task.requestToSend.map { HTTPRequest.isSecure($0.url) } ?? false
        return connections?.reachesLocally(task.host, isSecure) != true
    }

    /// Makes a task that was about to start wait for a network, without counting an attempt.
    mutating func awaitNetwork(_ task: TaskRecord) {
        store(
            [
                .setRetry(
                    task: task.id,
                    attempts: task.attempts,
                    notBefore: TaskRecord.networkWait,
                    lastError: task.lastError
                )
            ],
            .relaxed,
            of: task.id,
            then: .awaitingNetwork(task: task.id)
        )
        turn.add(.changed(task: task.id))
    }

    /// The store knows that a task waits for a network.
    mutating func awaitingNetwork(task: TaskID) {
        stored(task)
        endPastNetworkWait()
    }

    /// Ends the wait for a network again, if there is one by now: the disk may have stored the end of all waits before
    /// the wait of a task.
    mutating func endPastNetworkWait() {
        if network.allowsAttempts { endNetworkWait() }
    }
}

extension TransferError.Code {
    /// Whether a missing network may be the cause.
    var isOfNetwork: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .notConnected: true
        default: false
        }
    }

    /// Whether a host has failed.
    var isOfHost: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost,
            .secureConnectionFailed, .serverUnavailable:
            true
        default: false
        }
    }
}
