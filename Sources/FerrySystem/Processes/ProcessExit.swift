import CFerryLinux
import Glibc

/// How a process has ended.
package enum ProcessExit: Hashable, Sendable, CustomStringConvertible {
    /// It called `exit` with this status.
    case exited(status: Int32)
    /// A signal ended it.
    case signalled(Int32)
    /// It has ended, but how is unknown, since other code has collected its status.
    case unknown

    /// Waits for a child of this process.
    ///
    /// - Throws: `waitpid`.
    package static func wait(for identifier: Int32) throws(SystemCallError) -> ProcessExit {
        var status: Int32 = 0
        try systemCall("waitpid") { waitpid(identifier, &status, 0) }
        return CFerryLinux_exited(status) != 0
            ? .exited(status: CFerryLinux_exitStatus(status))
            : .signalled(CFerryLinux_terminationSignal(status))
    }

    /// A human-readable description.
    package var description: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .signalled(let signal): "signal \(signal)"
        case .unknown: "an unknown status"
        }
    }
}
