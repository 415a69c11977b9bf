package import FerrySystem
package import FoundationEssentials

/// A search for tasks to start.
package struct CandidateSearch: Hashable, Sendable {
    /// The time that back-offs are compared with; a back-off that has passed is removed from its task.
    package var now: Date
    /// The maximum number of tasks.
    package var limit: Int
    /// The maximum number of tasks for one host.
    package var limitPerHost: Int
    /// Hosts that may have no more transfers.
    package var saturatedHosts: Set<String>
    /// Sessions that may have no more transfers from a host.
    package var saturatedSessions: [String: Set<SessionID>]
    /// Sessions that may have no more transfers from any host.
    package var fullSessions: Set<SessionID>
    /// Tasks that have a transfer already, or are not to start for another reason.
    package var runningTasks: Set<TaskID>
    /// The turns of the applications that have been served so far.
    package var turns: [ApplicationID: Turn]
    /// The conditions that the machine is in, or may be in: tasks that avoid one of them do not start.
    package var conditions: Conditions

    /// How an application has been served.
    package struct Turn: Hashable, Sendable {
        /// The number of slots that its transfers have; applications with the fewest are served first.
        package var slots: Int
        /// When it was served last, in the order of all that were served: of those with equally many slots,
        /// the one that has waited longest comes first.
        package var lastServed: UInt64
        /// The host for which it was last served: its search continues after this host, so that all hosts get
        /// a turn.
        package var lastHost: String?

        /// Creates a turn, by default that of an application that was never served.
        package init(slots: Int = 0, lastServed: UInt64 = 0, lastHost: String? = nil) {
            self.slots = slots
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
        saturatedSessions: [String: Set<SessionID>] = [:],
        fullSessions: Set<SessionID> = [],
        runningTasks: Set<TaskID> = [],
        turns: [ApplicationID: Turn] = [:],
        conditions: Conditions = []
    ) {
        self.now = now
        self.limit = limit
        self.limitPerHost = limitPerHost
        self.saturatedHosts = saturatedHosts
        self.saturatedSessions = saturatedSessions
        self.fullSessions = fullSessions
        self.runningTasks = runningTasks
        self.turns = turns
        self.conditions = conditions
    }

    /// Returns how an application has been served.
    package func turn(of application: ApplicationID) -> Turn { turns[application] ?? Turn() }
}

/// The tasks that a ``CandidateSearch`` has found.
package struct Candidates: Hashable, Sendable {
    /// The tasks, in the order in which they are to start; an application's tasks of one host by priority, then by
    /// number.
    package var tasks: [TaskRecord]
    /// The earliest `notBefore` of all waiting tasks, or `nil`.
    package var earliestNotBefore: Date?
    /// The conditions that any waiting task avoids, or any session with waiting tasks.
    package var avoided: Conditions

    /// Creates the answer to a search.
    package init(tasks: [TaskRecord], earliestNotBefore: Date?, avoided: Conditions = []) {
        self.tasks = tasks
        self.earliestNotBefore = earliestNotBefore
        self.avoided = avoided
    }
}
