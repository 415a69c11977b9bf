extension Application {
    /// Why a process was started.
    public enum LaunchReason: Hashable, Sendable {
        /// A person, a shell or another program started it.
        case user
        /// The transfer daemon started it, for the events of the background session `identifier`.
        case backgroundURLSession(identifier: String)
    }
}
