import FerrySystem
import FerryWire

/// How ferryd divides the descriptors that it may have, so that no use of them takes those of another.
///
/// With as many as Linux usually allows, the shares are greater than ferryd's own limits and change nothing.
struct DescriptorShares: Hashable, Sendable {
    /// The descriptors of ferryd itself: its queue, its log, its sockets, its timers, the buses.
    private static let own = 32
    /// What a transfer needs: its connection, its file, a pipe, and what libcurl opens to find a host.
    private static let perTransfer = 6
    /// The fewest with which a program can have a transfer carried out.
    static let minimum = 48

    /// The number of descriptors; the greatest number if nothing limits them.
    let limit: Int

    /// Shares that limit nothing.
    init() { limit = .max }

    /// The shares of a process that may have so many descriptors.
    init(limit: Int) { self.limit = limit }

    private var free: Int { max(0, limit - Self.own) }

    /// Why ferryd cannot carry out any transfer, if so.
    var problem: String? {
        guard limit < Self.minimum else { return nil }
        return """
            ferryd needs \(Self.minimum) file descriptors to carry out a transfer, and may have \(limit): raise the limit \
            ("ulimit -n", LimitNOFILE=)
            """
    }

    /// What is less than ferryd's own limits because of the number of descriptors, for the log; nil if nothing is.
    var notice: String? {
        guard transfers < DaemonPolicy().maximumTransfers else { return nil }
        return """
            \(limit) file descriptors are enough for \(transfers) transfers at once and \(connections) connections of \
            programs: raise the limit for more ("ulimit -n", LimitNOFILE=)
            """
    }

    /// The maximum number of transfers at once.
    var transfers: Int { max(1, free / 2 / Self.perTransfer) }
    /// The maximum number of connections of programs.
    var connections: Int { max(8, free / 4) }
    /// The maximum number of connections of one program, which needs two.
    var connectionsPerProcess: Int { max(4, connections / 2) }
    /// The maximum number of files that are kept open for uploads.
    var keptFiles: Int { free / 8 }
    /// The maximum number of files of one connection that have just been passed.
    var passedFiles: Int { max(1, free / 16) }

    /// Applies the shares to the limits for programs.
    func applied(to limits: VarlinkServer.Limits) -> VarlinkServer.Limits {
        var limits = limits
        limits.connectionCount = min(limits.connectionCount, connections)
        limits.connectionCountPerProcess = min(
            limits.connectionCountPerProcess,
            connectionsPerProcess
        )
        limits.pendingFileCount = min(limits.pendingFileCount, passedFiles)
        return limits
    }

    /// Applies the shares to the limits for transfers.
    func applied(to policy: DaemonPolicy) -> DaemonPolicy {
        var policy = policy
        policy.maximumTransfers = min(policy.maximumTransfers, transfers)
        policy.maximumWaitingTransfers = min(policy.maximumWaitingTransfers, transfers)
        return policy
    }
}
