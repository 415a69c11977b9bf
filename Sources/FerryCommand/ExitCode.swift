/// The exit code of `ferry`.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// Everything asked for was done.
    case success = 0
    /// The command could not be carried out, or transfers failed for several reasons, or one that has no code of its own.
    case failure = 1
    /// The arguments are invalid; nothing was done.
    case usage = 2
    /// There is no task, application or hook of that name.
    case notFound = 3
    /// ferryd could not be started or reached.
    case unreachable = 4
    /// A file could not be saved or read.
    case fileUnusable = 5
    /// A server could not be reached, or not for long enough.
    case noConnection = 6
    /// A server, or this client, was not accepted by its certificate, or TLS failed otherwise.
    case tlsFailed = 7
    /// A server refused the request, or its response cannot be used.
    case badResponse = 8
    /// The content of a file is not what was announced: its digest or its coding is wrong.
    case wrongContent = 9
    /// Ctrl-C; running transfers continue in ferryd.
    case interrupted = 130

    /// The description of the code in `ferry --help`.
    var meaning: String {
        switch self {
        case .success: "done"
        case .failure:
            "the command could not be carried out, or transfers failed for several reasons"
        case .usage: "the arguments make no sense; nothing was done"
        case .notFound: "there is no such task, application or hook"
        case .unreachable: "ferryd could not be started or reached"
        case .fileUnusable: "a file could not be saved or read"
        case .noConnection: "a server could not be reached, or the connection was lost"
        case .tlsFailed: "TLS failed, such as by a certificate that is not trusted"
        case .badResponse: "a server answered with an error"
        case .wrongContent: "a file does not have its digest, or is damaged"
        case .interrupted: "stopped by Ctrl-C; transfers continue in ferryd"
        }
    }
}
