package import FerrySystem
import Glibc

/// The reason why there is no connection to ferryd.
package enum DaemonError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No process listens, and the daemon was not to be started.
    case notRunning(sockets: [String])
    /// Another process listens already.
    case alreadyRunning(socket: String, pid: Int32)
    /// A directory of the socket belongs to another user or can be written by others.
    case unsafeDirectory(path: String)
    /// Another user's process listens.
    case foreignDaemon(socket: String, user: UInt32)
    /// There is no executable called ferryd in the searched places.
    case executableNotFound(searched: [String])
    /// Another user could have put the executable there, or could replace it.
    case unsafeExecutable(path: String)
    /// A directory's path is too long for the files in it.
    case pathTooLong(path: String, limit: Int)
    /// The daemon could not be started.
    case startFailed(executable: String, reason: String)
    /// Another system call failed.
    case failed(SystemCallError)

    /// The problem and its remedy, for people.
    package var description: String {
        switch self {
        case .notRunning(let sockets):
            "ferryd is not running: nobody listens on \(sockets.joined(separator: " or "))"
        case .alreadyRunning(let socket, let pid):
            "ferryd is already running as process \(pid): it listens on \(socket)"
        case .unsafeDirectory(let path):
            """
            \(path) is not yours alone: it must belong to you and not be writable by others \
            (chmod 700 \(path))
            """
        case .foreignDaemon(let socket, let user):
            "the process that listens on \(socket) belongs to the user \(user)"
        case .executableNotFound(let searched):
            """
            ferryd was not found; looked for \(searched.joined(separator: ", ")). Install it there \
            or set FERRY_DAEMON to its path
            """
        case .unsafeExecutable(let path):
            """
            \(path) is not run, as another user could have put it there: it and its directory must belong to you \
            or to root, and not be writable by others. Mend that, or set FERRY_DAEMON to the path of another one
            """
        case .pathTooLong(let path, let limit):
            """
            the path of ferryd's directory has \(path.utf8.count) bytes, and may have \(limit): set XDG_STATE_HOME to \
            a shorter one than \(path.prefix(40))…
            """
        case .startFailed(let executable, let reason):
            "\(executable) could not be started: \(reason)"
        case .failed(let error):
            "ferryd cannot be reached: \(error)"
        }
    }
}

extension DaemonError {
    /// Whether another process holds a lock for which this one did not wait.
    package var isLockHeld: Bool {
        guard case .failed(let error) = self else { return false }
        return error.errno == EWOULDBLOCK
    }
}
