extension TaskRecord {
    /// The state of a task.
    ///
    /// Two parties decide: its application suspends and resumes it, and the user may hold it back whatever
    /// the application wants.
    package enum State: Int, Hashable, Sendable, CaseIterable {
        /// Its application has not resumed it, or has suspended it.
        case suspended = 0
        /// It is to run, or is running: the store does not distinguish the two.
        case waiting = 1
        /// It has ended; final.
        case completed = 2
        /// The user holds it back; its application wants it to run.
        case held = 3
        /// The user holds it back; its application does not want it to run either.
        case heldSuspended = 4

        /// The state after the application has resumed the task.
        var whenResumed: State {
            switch self {
            case .suspended, .waiting: .waiting
            case .held, .heldSuspended: .held
            case .completed: .completed
            }
        }

        /// The state after the application has suspended the task.
        var whenSuspended: State {
            switch self {
            case .suspended, .waiting: .suspended
            case .held, .heldSuspended: .heldSuspended
            case .completed: .completed
            }
        }

        /// The state after the user has held the task back.
        var whenHeld: State {
            switch self {
            case .waiting, .held: .held
            case .suspended, .heldSuspended: .heldSuspended
            case .completed: .completed
            }
        }

        /// The state after the user has released the task.
        var whenReleased: State {
            switch self {
            case .waiting, .held: .waiting
            case .suspended, .heldSuspended: .suspended
            case .completed: .completed
            }
        }
    }
}
