/// Why the daemon cannot serve.
struct DaemonFailure: Error, Hashable, Sendable {
    /// The exit status: 1 it could not start, 2 the command line is wrong.
    var status: Int32
    /// What is wrong, why, and what to do.
    var message: String

    /// The command line is wrong.
    static func usage(_ message: String) -> DaemonFailure {
        DaemonFailure(status: 2, message: message + "; see ferryd --help")
    }

    /// The daemon cannot start.
    static func start(_ message: String) -> DaemonFailure {
        DaemonFailure(status: 1, message: message)
    }
}
