import FoundationEssentials

/// Whether the daemon serves or is to end, and the clients that it stays for.
struct Lifetime: Hashable, Sendable {
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
    private(set) var connections: Set<ConnectionID> = []
    /// Whether the timer for the end is set.
    private var hasIdleTimer = false
    private var hasExited = false

    // MARK: Clients

    /// A client connects.
    mutating func connected(_ connection: ConnectionID) { connections.insert(connection) }

    /// A client's connection has closed.
    mutating func disconnected(_ connection: ConnectionID) {
        connections.remove(connection)
    }

    // MARK: The end

    /// Plans the end for a date, if it has nothing to do: the first such date holds until it has something to do.
    ///
    /// - Parameter date: The date; `nil` if it has something to do.
    /// - Returns: Whether the timer is to be set to it.
    mutating func plan(idleEnd date: Date?) -> Bool {
        defer { hasIdleTimer = date != nil }
        return hasIdleTimer != (date != nil)
    }

    /// It has had nothing to do for a while.
    mutating func idleTimePassed() { hasIdleTimer = false }

    /// The daemon has nothing to do.
    mutating func endIdle() { stage = .idle }

    /// A client has connected at the last moment.
    mutating func proceed() { if stage == .idle { stage = .serving } }

    /// The daemon is asked to stop.
    mutating func stop() { stage = .stopping }

    /// Nothing is left to wait for.
    ///
    /// - Returns: Whether the process is to end. Only the first call returns `true`.
    mutating func exit() -> Bool {
        defer { hasExited = true }
        return !hasExited
    }
}

/// When a timer is due that is only ever set to an earlier date.
struct PlannedTimer: Hashable, Sendable {
    private var date: Date?

    /// Whether it is set.
    var isPlanned: Bool { date != nil }

    /// Returns whether it is set for a date or an earlier one.
    func isPlanned(by date: Date) -> Bool { self.date.map { $0 <= date } ?? false }

    /// Plans it for a date, unless it is due earlier anyway.
    ///
    /// - Parameter date: The date.
    /// - Returns: Whether it is to be set to this date.
    mutating func plan(at date: Date) -> Bool {
        guard self.date.map({ date < $0 }) ?? true else { return false }
        self.date = date
        return true
    }

    /// It is due, or no longer of use.
    mutating func forget() { date = nil }
}
