package import FerrySystem
@preconcurrency import Glibc

/// Connects to the user's ferryd, and starts it if it is not running.
///
/// The sockets are created here and passed to the new daemon, so that a client can connect and call immediately: the
/// kernel keeps the bytes until the daemon is ready. Its methods block for as long as starting a process takes, and
/// may be called from any thread.
package struct DaemonStarter: Sendable {
    /// The first of the descriptors that are passed to a daemon, as by systemd.
    private static let firstDescriptor: Int32 = 3
    /// The maximum number of bytes of a starting daemon's messages in an error.
    private static let messageByteCount = 4096

    /// The locations of the daemon's sockets.
    package let locations: SocketLocations
    private let environment: [String: String]

    /// Creates a starter.
    ///
    /// - Parameter environment: The variables that determine the locations.
    package init(environment: [String: String] = ProcessEnvironment.current) {
        self.environment = environment
        locations = SocketLocations(BaseDirectories(environment: environment))
    }

    /// Connects to the daemon.
    ///
    /// - Parameter starting: Whether to start the daemon if it does not run, or have systemd start it.
    /// - Returns: A connected socket.
    /// - Throws: ``DaemonError/notRunning(sockets:)`` unless `starting`.
    package func connect(starting: Bool = true) throws(DaemonError) -> FileDescriptor {
        guard starting else {
            if let socket = try locations.connectToRunningDaemon() { return socket }
            throw .notRunning(sockets: locations.sockets)
        }
        if let socket = try locations.connect() { return socket }
        return try locations.withStartLock { () throws(DaemonError) in
            // Another process may have been faster while this one waited for the lock.
            if let socket = try locations.connect() { return socket }
            try start()
            guard let socket = try locations.connect() else {
                throw .notRunning(sockets: locations.sockets)
            }
            return socket
        }
    }

    /// Returns the variables for the daemon's environment: those that determine locations and languages, and not all
    /// of the app that happens to start it.
    ///
    /// Proxies and trusted authorities are settings of each session.
    static func inherited(_ environment: [String: String]) -> [String: String] {
        let names: Set = [
            "HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
            "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY",
            "XAUTHORITY",
            "LLVM_PROFILE_FILE",
        ]
        let prefixes = ["XDG_", "LC_", "FERRY_"]
        return environment.filter { name, _ in
            names.contains(name) || prefixes.contains { name.hasPrefix($0) }
                || name.hasSuffix("SAN_OPTIONS")
        }
    }

    private func start() throws(DaemonError) {
        let executable = try DaemonExecutable.find(environment: environment)
        let sockets = try locations.claim()
        // The daemon has its own descriptors for them once it is started.
        defer { for socket in sockets { _ = FileDescriptor(owning: socket.descriptor) } }
        if let reason = try run(executable, sockets) {
            throw .startFailed(executable: executable, reason: reason)
        }
    }

    /// Runs the program until it has detached the daemon; returns the reason if it has not.
    ///
    /// - Throws: ``DaemonError/failed(_:)`` if this process lacks what it takes, for the moment.
    private func run(
        _ executable: String,
        _ sockets: [BoundSocket]
    ) throws(DaemonError) -> String? {
        do throws(SystemCallError) {
            return try UnixSocket.pair().split { ours, theirs in
                Result { () throws(SystemCallError) in
                    let messages = theirs.rawValue
                    let process = try launch(executable, sockets, messages: messages).start()
                    return Self.complaint(of: process, readFrom: ours.rawValue)
                }
            }.get()
        } catch {
            if error.isShortage { throw .failed(error) }
            return "\(error)"
        }
    }

    /// Waits until the program has ended; returns its failure, if any.
    private static func complaint(of process: Int32, readFrom messages: Int32) -> String? {
        // Its status may not be available: an app can ignore SIGCHLD, or wait for any child.
        let exit = (try? ProcessExit.wait(for: process)) ?? .unknown
        if exit == .exited(status: 0) || exit == .unknown { return nil }
        let text = text(from: messages)
        return text.isEmpty ? "\(exit)" : "\(text) (\(exit))"
    }

    private func launch(
        _ executable: String,
        _ sockets: [BoundSocket],
        messages: Int32
    ) -> ProcessLaunch {
        var variables = Self.inherited(environment)
        variables["LISTEN_FDS"] = "\(sockets.count)"
        // LISTEN_PID must be the daemon's own process, which is not known yet.
        variables["FERRY_LISTEN_PID"] = "inherit"
        var descriptors: [Int32: Int32] = [messages: 2]
        for (index, socket) in sockets.enumerated() {
            descriptors[socket.descriptor] = Self.firstDescriptor + Int32(index)
        }
        return ProcessLaunch(
            executable: executable,
            arguments: ["--detach"],
            environment: variables,
            directory: "/",
            descriptors: descriptors,
            inNewSession: true
        )
    }

    /// Returns the program's messages, which are complete because it has ended.
    private static func text(from socket: Int32) -> String {
        withUnsafeTemporaryAllocation(byteCount: messageByteCount, alignment: 1) { buffer in
            let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            let text = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
            return text.split(whereSeparator: \.isNewline).joined(separator: "; ")
        }
    }
}

/// A listening socket in the file system.
package struct BoundSocket: Hashable, Sendable {
    /// The path of the socket.
    package var path: String
    /// The socket, closed on exec; the receiver of this value owns it.
    package var descriptor: Int32

    /// Describes a listening socket.
    package init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }
}

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
            "ferryd is not running: no process listens on \(sockets.joined(separator: " or "))"
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
    /// Whether this process, or the system, lacks descriptors or memory for the moment.
    package var isShortage: Bool {
        guard case .failed(let error) = self else { return false }
        return error.isShortage
    }

    /// Whether another process holds a lock for which this one did not wait.
    package var isLockHeld: Bool {
        guard case .failed(let error) = self else { return false }
        return error.errno == EWOULDBLOCK
    }
}
