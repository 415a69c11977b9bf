import CFerryLinux
import Glibc

/// A started program whose end is reported on the event loop.
@LoopActor
package final class ChildProcess {
    /// The process's identifier.
    package let identifier: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - launch: The program to start.
    ///   - onExit: Called once on the loop when the process has ended.
    /// - Throws: The errors of ``ProcessLaunch/start()`` and ``ProcessEnd``.
    package convenience init(
        _ launch: ProcessLaunch,
        onExit: @escaping @LoopActor (ProcessExit) -> Void
    ) throws(SystemCallError) {
        try self.init(started: try launch.start(), onExit: onExit)
    }

    /// Watches a program that was started.
    ///
    /// - Parameters:
    ///   - identifier: The identifier that ``ProcessLaunch/start()`` has returned.
    ///   - onExit: Called once on the loop when the process has ended.
    /// - Throws: ``ProcessEnd``'s errors; the process is killed then.
    package init(
        started identifier: Int32,
        onExit: @escaping @LoopActor (ProcessExit) -> Void
    ) throws(SystemCallError) {
        self.identifier = identifier
        do throws(SystemCallError) {
            try ProcessEnd(of: identifier).whenReached {
                onExit((try? ProcessExit.wait(for: identifier)) ?? .unknown)
            }
        } catch {
            // A child that is not watched would be started a second time.
            kill(identifier, SIGKILL)
            _ = try? ProcessExit.wait(for: identifier)
            throw error
        }
    }

    /// Sends a signal; it is not an error if the process has ended.
    package func signal(_ number: Int32) { kill(identifier, number) }
}

/// The state of a process according to the kernel.
package enum ProcessCondition {
    /// Returns whether a process was stopped by a signal or a debugger; `false` if that is unknown.
    package static func isStopped(_ process: Int32) -> Bool {
        guard process > 0, let directory = try? Directory(opening: "/proc/\(process)"),
            let bytes = try? directory.open("stat", .read).readToEnd(limit: 4096)
        else { return false }
        // proc_pid_stat(5): the name is in parentheses and may contain any character; the state follows it.
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return false }
        let state = text[text.index(after: end)...].first { $0 != " " }
        return state == "T" || state == "t"
    }
}

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
