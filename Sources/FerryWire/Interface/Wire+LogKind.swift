extension Wire {
    /// What a log is.
    package enum LogKind: String, Codable, CaseIterable, Sendable {
        /// The standard error stream of a daemon in the foreground.
        case stderr
        /// The system's journal.
        case journal
        /// A file of its own.
        case file
    }
}
