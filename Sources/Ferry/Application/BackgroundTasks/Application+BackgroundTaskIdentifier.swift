extension Application {
    /// What a background task is known by.
    ///
    /// The counterpart of `UIBackgroundTaskIdentifier`. Unique in a process, and never used again.
    public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        /// The identifier as a number; 0 is that of ``invalid``.
        public let rawValue: Int

        /// An identifier that was kept as a number.
        ///
        /// - Parameter rawValue: The number, which need not be that of a task.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The identifier of no task.
        public static let invalid = Self(rawValue: 0)
    }
}
