package import FoundationEssentials

/// The tasks that wait for one host.
package struct HostQueue: Hashable, Sendable {
    /// The host, as the tasks name it.
    package var host: String
    /// Tasks in the state ``TaskRecord/State/waiting``, those that are running among them.
    package var waitingCount: Int
    /// Those of them that need not wait for a moment; the others have a `notBefore` to come.
    package var readyCount: Int
    /// The earliest `notBefore` among the others, or `nil` when there is none.
    package var earliestNotBefore: Date?

    /// Creates a description of a host's queue.
    package init(host: String, waitingCount: Int, readyCount: Int, earliestNotBefore: Date?) {
        self.host = host
        self.waitingCount = waitingCount
        self.readyCount = readyCount
        self.earliestNotBefore = earliestNotBefore
    }
}
