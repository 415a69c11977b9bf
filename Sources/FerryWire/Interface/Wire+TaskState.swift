extension Wire {
    /// What a task is doing.
    package enum TaskState: String, Codable, CaseIterable, Sendable {
        /// Its application has not resumed it, or suspended it.
        case suspended
        /// It may run and waits its turn.
        case waiting
        /// It loads.
        case running
        /// It is done; its events have not all been acknowledged.
        case completed
    }
}
