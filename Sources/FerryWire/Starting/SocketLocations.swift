package import FerrySystem
@preconcurrency import Glibc

/// The locations of ferryd's socket for one user.
///
/// There are two. The runtime directory is where programs look for sockets, but it exists only in a login session;
/// the one below the state home also exists for cron, containers and ssh. A daemon listens on both, so that a program
/// finds it wherever either was started.
package struct SocketLocations: Hashable, Sendable {
    /// The socket's name in its directory.
    package static let socketName = Wire.interface
    private static let lockName = "start.lock"

    /// The directories, in the order in which they are tried; the last one is below the state home.
    package let directories: [String]
    private let stateDirectory: String

    /// Creates the locations for a user's directories.
    package init(_ base: BaseDirectories = BaseDirectories()) {
        stateDirectory = base.stateHome + "/ferry/run"
        directories =
            (base.runtimeDirectory.map { [$0 + "/ferry"] } ?? []) + [stateDirectory]
    }

    /// The sockets' paths, in the order in which they are tried.
    package var sockets: [String] { directories.map(Self.socket) }

    /// The process of the daemon, if known.
    package var daemon: Int32? {
        guard let state = try? Directory(opening: Self.parent(of: stateDirectory)) else {
            return nil
        }
        return StateDirectory.daemon(in: state)
    }

    /// Connects to a daemon that listens, or returns `nil` when none does.
    ///
    /// - Parameter held: Paths of sockets that are not to be tried, because this process listens on them.
    /// - Returns: The socket.
    /// - Throws: ``DaemonError/unsafeDirectory(path:)`` and ``DaemonError/foreignDaemon(socket:user:)``
    ///   rather than speaking to a process that may belong to another user.
    package func connect(besides held: [String] = []) throws(DaemonError) -> FileDescriptor? {
        for path in directories where !held.contains(Self.socket(in: path)) {
            if let socket = try connect(in: path) { return socket }
        }
        return nil
    }

    /// Connects to a daemon that is running, or returns `nil` when none is.
    ///
    /// A connection in the runtime directory may have systemd start a daemon. In the state directory only a running daemon
    /// listens.
    ///
    /// - Returns: The socket.
    /// - Throws: The errors of ``connect(besides:)``.
    func connectToRunningDaemon() throws(DaemonError) -> FileDescriptor? {
        try connect(in: stateDirectory)
    }

    /// Runs `body` while no other process of this user starts or ends a daemon.
    package func withStartLock<T: ~Copyable>(
        _ body: () throws(DaemonError) -> T
    ) throws(DaemonError) -> T {
        let lock = try startLock()
        let result = try body()
        lock.release()
        return result
    }

    /// Returns a lock that, until it is released, keeps other processes from starting or ending a daemon of this user.
    ///
    /// - Parameter waiting: Whether to wait for another holder.
    /// - Returns: The lock.
    /// - Throws: ``DaemonError/failed(_:)`` with `EWOULDBLOCK` when another process holds it and
    ///   `waiting` is false.
    package func startLock(waiting: Bool = true) throws(DaemonError) -> FileLock {
        let directory = try create(stateDirectory)
        return try asDaemonError { () throws(SystemCallError) in
            try FileLock(Self.lockName, in: directory, waiting: waiting)
        }
    }

    /// Listens in all places, and removes sockets that no process listens on.
    ///
    /// Call it inside ``withStartLock(_:)``. A runtime directory that cannot be used is left out;
    /// the place below the state home is required.
    ///
    /// - Parameter held: Paths of sockets that this process listens on already, such as systemd's.
    /// - Returns: The other sockets, which the caller then owns.
    /// - Throws: ``DaemonError/alreadyRunning(socket:pid:)`` when another process listens on one of them.
    package func claim(besides held: [String] = []) throws(DaemonError) -> [BoundSocket] {
        let wanted = directories.filter { !held.contains(Self.socket(in: $0)) }
        for path in wanted {
            guard let socket = try connect(in: path) else { continue }
            let pid = (try? PeerCredentials(of: socket.rawValue))?.processIdentifier ?? 0
            throw .alreadyRunning(socket: Self.socket(in: path), pid: pid)
        }
        var bound: [BoundSocket] = []
        for path in wanted {
            do throws(DaemonError) {
                bound.append(try bind(in: path))
            } catch {
                if path != stateDirectory { continue }
                for socket in bound { _ = FileDescriptor(owning: socket.descriptor) }
                throw error
            }
        }
        return bound
    }

    /// Removes the sockets that no process listens on.
    ///
    /// Call it inside ``withStartLock(_:)``, after the sockets have been closed. It is only for
    /// tidiness: ``claim(besides:)`` replaces such sockets as well.
    package func removeAbandoned() throws(DaemonError) {
        for path in directories {
            guard let directory = try open(path), try connect(in: path) == nil else { continue }
            try asDaemonError { () throws(SystemCallError) in
                try directory.remove(Self.socketName)
            }
        }
    }

    private static func parent(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    }

    private static func socket(in directory: String) -> String { "\(directory)/\(socketName)" }

    private func bind(in path: String) throws(DaemonError) -> BoundSocket {
        let directory = try create(path)
        return try asDaemonError { () throws(SystemCallError) in
            try directory.remove(Self.socketName)
            let socket = try UnixSocket.listen(Self.socketName, in: directory)
            return BoundSocket(path: Self.socket(in: path), descriptor: socket.release())
        }
    }

    private func connect(in path: String) throws(DaemonError) -> FileDescriptor? {
        guard let directory = try open(path), let socket = try connect(in: directory) else {
            return nil
        }
        let peer = try asDaemonError { () throws(SystemCallError) in
            try PeerCredentials(of: socket.rawValue)
        }
        guard peer.userIdentifier == geteuid() else {
            throw .foreignDaemon(socket: Self.socket(in: path), user: peer.userIdentifier)
        }
        return socket
    }

    private func connect(in directory: Directory) throws(DaemonError) -> FileDescriptor? {
        do throws(SystemCallError) {
            return try UnixSocket.connect(Self.socketName, in: directory)
        } catch {
            if error.errno == ENOENT || error.errno == ECONNREFUSED { return nil }
            throw .failed(error)
        }
    }

    /// Opens a directory, or returns `nil` when it does not exist.
    private func open(_ path: String) throws(DaemonError) -> Directory? {
        let directory: Directory
        do throws(SystemCallError) {
            directory = try Directory(opening: path)
        } catch {
            if error.errno == ENOENT { return nil }
            throw .failed(error)
        }
        try checkOwnership(of: path)
        return directory
    }

    private func create(_ path: String) throws(DaemonError) -> Directory {
        if path == stateDirectory { _ = try StateDirectory.open(Self.parent(of: path)) }
        let directory = try asDaemonError { () throws(SystemCallError) in
            try Directory(opening: path, creatingPrivate: true)
        }
        try checkOwnership(of: path)
        return directory
    }

    /// Verifies that no other user can put a socket, or a directory with one, in this one's place.
    private func checkOwnership(of path: String) throws(DaemonError) {
        let ours = path == stateDirectory ? [Self.parent(of: path), path] : [path]
        for path in ours {
            var status = stat()
            _ = try asDaemonError { () throws(SystemCallError) in
                try systemCall("stat", path) { stat(path, &status) }
            }
            let isWritableByOthers = status.st_mode & (S_IWGRP | S_IWOTH) != 0
            guard status.st_uid == geteuid(), !isWritableByOthers else {
                throw .unsafeDirectory(path: path)
            }
        }
    }

    private func asDaemonError<T: ~Copyable>(
        _ body: () throws(SystemCallError) -> T
    ) throws(DaemonError) -> T {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw .failed(error)
        }
    }
}
