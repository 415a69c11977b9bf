import FerrySystem
import Glibc

/// Going into the background: the program starts itself again and waits until the new process serves.
///
/// A fork would copy only one of several threads; a new process has its own.
enum Detachment {
    private static let variable = "FERRY_READY_FD"

    /// Starts the daemon as a separate process and returns when it serves.
    ///
    /// - Parameters:
    ///   - arguments: The arguments; `--detach` is left out for the new process.
    ///   - attributes: The attributes that this process was started with, for the new one.
    /// - Throws: ``DaemonFailure`` with the new process's message if it could not start.
    static func detach(
        arguments: [String],
        _ attributes: ProcessAttributes
    ) throws(DaemonFailure) {
        do {
            let rest = arguments.filter { $0 != "--detach" }
            let (process, message) = try start(rest, attributes)
            if !message.isEmpty {
                _ = try? ProcessExit.wait(for: process)
                throw DaemonFailure.start(message)
            }
        } catch let failure as DaemonFailure {
            throw failure
        } catch {
            throw .start("cannot go into the background: \(error)")
        }
    }

    /// Returns the new process and its error message, which is empty if it serves.
    private static func start(
        _ arguments: [String],
        _ attributes: ProcessAttributes
    ) throws -> (Int32, String) {
        var ends: [Int32] = [0, 0]
        try systemCall("pipe") { pipe(&ends) }
        let reading = FileDescriptor(owning: ends[0])
        let writing = FileDescriptor(owning: ends[1])
        var environment = ProcessEnvironment.current
        let counts = ListeningSockets.Counts(environment)
        let sockets = counts.held + counts.fromClient
        var descriptors: [Int32: Int32] = [:]
        for index in 0..<sockets { descriptors[3 + index] = 3 + index }
        let ready = 3 + sockets
        descriptors[writing.rawValue] = ready
        environment[variable] = "\(ready)"
        let process = try ProcessLaunch(
            executable: OwnProgram().path,
            arguments: arguments,
            environment: environment,
            directory: "/",
            descriptors: descriptors,
            inNewSession: true,
            attributes: attributes
        ).start()
        try writing.close()
        let message = try reading.readToEnd(limit: 65_536)
        return (process, String(decoding: message, as: UTF8.self))
    }

    /// The channel that reports the outcome of the start to the waiting process.
    struct Readiness: Sendable {
        private let descriptor: Int32?

        /// Takes the channel that this process was given out of its environment.
        static func inherited() -> Readiness {
            let descriptor = ProcessEnvironment[variable].flatMap { Int32($0) }
            ProcessEnvironment.remove(variable)
            if let descriptor { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return Readiness(descriptor: descriptor)
        }

        /// Reports that the daemon serves.
        func succeeded() {
            if let descriptor { close(descriptor) }
        }

        /// Reports that the daemon cannot serve.
        ///
        /// - Returns: Whether a process waits and has been notified.
        func failed(_ message: String) -> Bool {
            guard let descriptor else { return false }
            let bytes = Array(message.utf8)
            _ = write(descriptor, bytes, bytes.count)
            close(descriptor)
            return true
        }
    }
}
