/// The exit code of `ferry`.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// Everything asked for was done.
    case success = 0
    /// A transfer failed, or the command could not be carried out.
    case failure = 1
    /// The arguments are invalid; nothing was done.
    case usage = 2
    /// There is no task, application or hook of that name.
    case notFound = 3
    /// ferryd could not be started or reached.
    case unreachable = 4
    /// Ctrl-C; running transfers continue in ferryd.
    case interrupted = 130

    /// The description of the code in `ferry --help`.
    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "a transfer failed, or the command could not be carried out"
        case .usage: "the arguments make no sense; nothing was done"
        case .notFound: "there is no such task, application or hook"
        case .unreachable: "ferryd could not be started or reached"
        case .interrupted: "stopped by Ctrl-C; transfers continue in ferryd"
        }
    }
}
