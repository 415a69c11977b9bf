package import FoundationEssentials

/// How many of the tasks that have ended are remembered, and for how long.
package struct History: Hashable, Sendable {
    /// The maximum number of tasks; 1000 by default.
    package var count: Int
    /// The time for which they are remembered, in seconds; `nil`, the default, for no limit.
    package var time: TimeInterval?

    /// Makes a description from its parts.
    package init(count: Int = 1000, time: TimeInterval? = nil) {
        self.count = count
        self.time = time
    }
}

/// Some of the tasks that have ended, the last one first.
package struct EndedTaskPage: Hashable, Sendable {
    /// The tasks.
    package var records: [EndedTaskRecord]
    /// The end of the next page, for ``Store/endedTasks(before:limit:)``; `nil` after the last one.
    package var next: Int64?
}
