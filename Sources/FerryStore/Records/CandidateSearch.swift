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
    /// Tasks that have a transfer already, or are not to start for another reason.
    package var runningTasks: Set<Int64>
    /// How the applications have been served so far, as far as they have.
    package var turns: [Int64: Turn]
    /// The applications that are not to be served.
    package var excludedApplications: Set<Int64>

    /// How an application has been served.
    package struct Turn: Hashable, Sendable {
        /// How many places its transfers have: those that have the fewest are served first.
        package var places: Int
        /// When it was served last, in the order of all that were: of those with as many places, that comes first
        /// which has waited longest.
        package var lastServed: UInt64
        /// The host that it was served at last: its search goes on behind it, so that all hosts get a turn.
        package var lastHost: String?

        /// Creates a turn, by default that of an application that was never served.
        package init(places: Int = 0, lastServed: UInt64 = 0, lastHost: String? = nil) {
            self.places = places
            self.lastServed = lastServed
            self.lastHost = lastHost
        }
    }

    /// Creates a search, by default for any task that is ready.
    package init(
        now: Date,
        limit: Int,
        limitPerHost: Int,
        saturatedHosts: Set<String> = [],
        saturatedSessions: [String: Set<Int64>] = [:],
        runningTasks: Set<Int64> = [],
        turns: [Int64: Turn] = [:],
        excludedApplications: Set<Int64> = []
    ) {
        self.now = now
        self.limit = limit
        self.limitPerHost = limitPerHost
        self.saturatedHosts = saturatedHosts
        self.saturatedSessions = saturatedSessions
        self.runningTasks = runningTasks
        self.turns = turns
        self.excludedApplications = excludedApplications
    }

    /// How an application has been served.
    package func turn(of application: Int64) -> Turn { turns[application] ?? Turn() }
}

/// The tasks that a ``CandidateSearch`` has found.
package struct Candidates: Hashable, Sendable {
    /// The tasks, in the order in which they are to start; an application's tasks of one host by priority, then by
    /// number.
    package var tasks: [TaskRecord]
    /// The earliest `notBefore` of all tasks that wait for a moment, or `nil`.
    package var earliestNotBefore: Date?

    /// Creates the answer to a search.
    package init(tasks: [TaskRecord], earliestNotBefore: Date?) {
        self.tasks = tasks
        self.earliestNotBefore = earliestNotBefore
    }
}
