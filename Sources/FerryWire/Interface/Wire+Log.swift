extension Wire {
    /// Where the daemon writes its log.
    package struct Log: Codable, Hashable, Sendable {
        /// What the log is.
        package var kind: LogKind
        /// The file's absolute path: with file.
        package var path: String?

        /// Creates a log.
        package init(kind: LogKind, path: String? = nil) {
            self.kind = kind
            self.path = path
        }
    }
}
