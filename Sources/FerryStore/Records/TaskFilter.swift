/// A filter for the tasks of a page.
package struct TaskFilter: Hashable, Sendable {
    /// The owner of the tasks.
    package enum Scope: Hashable, Sendable {
        /// All tasks.
        case all
        /// The tasks of the application with this number.
        case application(ApplicationID)
        /// The tasks of the session with this number.
        case session(SessionID)
    }

    /// The owner of the tasks.
    package var scope: Scope
    /// The states of the tasks.
    package var states: Set<TaskRecord.State>

    /// Creates a filter that, without arguments, lets every task pass.
    package init(
        scope: Scope = .all,
        states: Set<TaskRecord.State> = Set(TaskRecord.State.allCases)
    ) {
        self.scope = scope
        self.states = states
    }
}

/// Some of the tasks that pass a filter.
package struct TaskPage: Hashable, Sendable {
    /// The tasks, by number.
    package var tasks: [TaskRecord]
    /// The number after which the next page begins; `nil` on the last page.
    package var next: TaskID?

    package init(tasks: [TaskRecord], next: TaskID? = nil) {
        self.tasks = tasks
        self.next = next
    }
}
