/// Whether the daemon serves or is to end, and the clients that it stays for.
struct Lifetime: Hashable, Sendable {
    typealias ConnectionIdentifier = DaemonStateMachine.ConnectionIdentifier

    /// The stage of the daemon.
    enum Stage: Hashable, Sendable {
        /// It serves.
        case serving
        /// It ends because it is idle, unless a client connects.
        case idle
        /// It was asked to stop.
        case stopping
    }

    /// The stage.
    private(set) var stage = Stage.serving
    /// The clients that are connected.
    private(set) var connections: Set<ConnectionIdentifier> = []

    // MARK: Clients

    /// A client connects.
    mutating func connected(_ connection: ConnectionIdentifier) { connections.insert(connection) }

    /// A client's connection has closed.
    mutating func disconnected(_ connection: ConnectionIdentifier) {
        connections.remove(connection)
    }

    // MARK: The end

    /// The daemon has nothing to do.
    mutating func endIdle() { stage = .idle }

    /// A client has connected at the last moment.
    mutating func goOn() { if stage == .idle { stage = .serving } }

    /// The daemon is asked to stop.
    mutating func stop() { stage = .stopping }
}
