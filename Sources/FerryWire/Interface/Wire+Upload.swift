extension Wire {
    /// What a task sends, if it is an upload.
    package struct Upload: Codable, Hashable, Sendable {
        /// How many bytes the file has.
        package var byteCount: Int64
        /// How many of them have been sent in the latest attempt.
        package var sentByteCount: Int64

        /// Creates a description of what is sent.
        package init(byteCount: Int64, sentByteCount: Int64) {
            self.byteCount = byteCount
            self.sentByteCount = sentByteCount
        }
    }
}
