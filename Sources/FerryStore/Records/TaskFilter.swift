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
