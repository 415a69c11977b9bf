import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// The network has come, or has gone.
    mutating func connectivityChanged(to connectivity: Connectivity, at now: Date) -> [Effect] {
        let allowedAttempts = self.connectivity.allowsAttempts
        self.connectivity = connectivity
        guard connectivity.allowsAttempts, !allowedAttempts else { return [] }
        breaker.tryAll()
        return [.log(.info, "there is a network again", task: nil), endNetworkWait()]
    }

    private mutating func endNetworkWait() -> Effect {
        commit([.endNetworkWait], .relaxed, then: .networkIsBack)
    }

    /// Whether a task's host cannot be reached, as no route leads off this machine.
    ///
    /// A proxy on this machine may know a way that is no route.
    func isUnreachable(_ task: TaskRecord) -> Bool {
        guard !connectivity.allowsAttempts, !Origin.isLocal(task.host) else { return false }
        let connections = sessions[task.sessionID]?.configuration.connections
        let isSecure = task.requestToSend?.url.prefix(6).lowercased() == "https:"
        return connections?.reachesByLocalProxy(isSecure) != true
    }

    /// Has a task wait for a network that was about to start: that is no attempt.
    mutating func awaitNetwork(_ task: TaskRecord) -> [Effect] {
        [
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
            ),
            .changed(task: task.id),
        ]
    }

    /// The store knows that a task waits for a network.
    mutating func awaitingNetwork(task: Int64, at now: Date) -> [Effect] {
        stored(task, at: now) + endPastNetworkWait()
    }

    /// Where the disk has taken for so long to take that a task waits that there is a network by now, what
    /// ended the waits may have been stored before.
    mutating func endPastNetworkWait() -> [Effect] {
        connectivity.allowsAttempts ? [endNetworkWait()] : []
    }
}

extension TransferError.Code {
    /// Whether it may come of a network that is not there.
    var isOfNetwork: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .notConnected: true
        default: false
        }
    }

    /// Whether a host has failed, and no byte of an answer has come.
    var isOfHost: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost,
            .secureConnectionFailed, .serverUnavailable:
            true
        default: false
        }
    }
}
