/// Which tasks a page of tasks holds.
package struct TaskFilter: Hashable, Sendable {
    /// Whose tasks.
    package enum Scope: Hashable, Sendable {
        /// Everybody's.
        case all
        /// Those of the application with this number.
        case application(Int64)
        /// Those of the session with this number.
        case session(Int64)
    }

    /// Whose tasks.
    package var scope: Scope
    /// Only tasks in one of these states.
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
    /// What the next page is after; nothing on the last page.
    package var next: Int64?

    package init(tasks: [TaskRecord], next: Int64? = nil) {
        self.tasks = tasks
        self.next = next
    }
}
