package import FoundationEssentials

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
