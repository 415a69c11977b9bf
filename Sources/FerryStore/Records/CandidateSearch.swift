package import FoundationEssentials

/// What is asked of the store when tasks are to be started.
package struct CandidateSearch: Hashable, Sendable {
    /// The moment that back-offs are compared with; one that has passed is removed from its task.
    package var now: Date
    /// How many tasks at most.
    package var limit: Int
    /// How many tasks at most for one host.
    package var limitPerHost: Int
    /// Hosts that may have no more transfers.
    package var saturatedHosts: Set<String>
    /// Sessions that may have no more transfers from a host.
    package var saturatedSessions: [String: Set<Int64>]
    /// Tasks that have a transfer already, or are about to end.
    package var runningTasks: Set<Int64>
    /// The host that was served last: the search goes on behind it, so that all get a turn.
    package var lastHost: String?

    /// Creates a search, by default for any task that is ready.
    package init(
        now: Date,
        limit: Int,
        limitPerHost: Int,
        saturatedHosts: Set<String> = [],
        saturatedSessions: [String: Set<Int64>] = [:],
        runningTasks: Set<Int64> = [],
        lastHost: String? = nil
    ) {
        self.now = now
        self.limit = limit
        self.limitPerHost = limitPerHost
        self.saturatedHosts = saturatedHosts
        self.saturatedSessions = saturatedSessions
        self.runningTasks = runningTasks
        self.lastHost = lastHost
    }
}
