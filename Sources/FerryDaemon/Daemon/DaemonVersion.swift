/// What this daemon is.
enum DaemonVersion {
    /// The version, after Semantic Versioning.
    static let current = "0.1.0"
}
