import CFerryLinux
import Glibc

/// Stream sockets in the file system.
///
/// A path longer than the 107 bytes of `sockaddr_un` works too: the socket is then named through
/// the descriptor of its directory, in `/proc/self/fd`.
package enum UnixSocket {
    /// Creates a listening socket.
    ///
    /// The descriptor does not block. A socket file that an ended process has left must be removed first,
    /// under a lock.
    ///
    /// - Parameters:
    ///   - name: The socket's name in the directory; its mode is 0600.
    ///   - directory: A directory that is private to the user.
    ///   - backlog: How many connections may wait to be accepted.
    /// - Returns: The listening socket.
    /// - Throws: `bind` with `EADDRINUSE` if something with that name exists.
    package static func listen(
        _ name: String,
        in directory: Directory,
        backlog: Int32 = 1024
    ) throws(SystemCallError) -> FileDescriptor {
        let socket = try make(nonBlocking: true)
        let descriptor = socket.rawValue
        try withAddress(name, in: directory) { address, length throws(SystemCallError) in
            try systemCall("bind", directory.path(of: name)) { bind(descriptor, address, length) }
        }
        // The directory already keeps other users out; the mode does so again.
        try systemCall("fchmodat", directory.path(of: name)) {
            fchmodat(directory.descriptor, name, 0o600, 0)
        }
        try systemCall("listen", directory.path(of: name)) { Glibc.listen(descriptor, backlog) }
        return socket
    }

    /// Connects to a listening socket; the descriptor does not block afterwards.
    ///
    /// - Throws: `connect` with `ENOENT` or `ECONNREFUSED` if no process listens.
    package static func connect(
        _ name: String,
        in directory: Directory
    ) throws(SystemCallError) -> FileDescriptor {
        let socket = try make(nonBlocking: false)
        let descriptor = socket.rawValue
        try withAddress(name, in: directory) { address, length throws(SystemCallError) in
            try systemCall("connect", directory.path(of: name)) {
                Glibc.connect(descriptor, address, length)
            }
        }
        try socket.setNonBlocking(true)
        return socket
    }

    /// Accepts a waiting connection, or returns `nil` if there is none; the descriptor does not block.
    package static func accept(
        from listener: borrowing FileDescriptor
    ) throws(SystemCallError) -> FileDescriptor? {
        let descriptor = listener.rawValue
        do {
            let accepted = try systemCall("accept4") {
                CFerryLinux_accept4(
                    descriptor,
                    Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
                )
            }
            return FileDescriptor(owning: accepted)
        } catch let error where error.errno == EAGAIN || error.errno == ECONNABORTED {
            return nil
        }
    }

    /// Returns two connected sockets, for tests and for communication with a child.
    package static func pair() throws(SystemCallError) -> SocketPair {
        var descriptors: [Int32] = [0, 0]
        try systemCall("socketpair") {
            socketpair(
                AF_UNIX,
                Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
                0,
                &descriptors
            )
        }
        return SocketPair(
            first: FileDescriptor(owning: descriptors[0]),
            second: FileDescriptor(owning: descriptors[1])
        )
    }

    private static func make(nonBlocking: Bool) throws(SystemCallError) -> FileDescriptor {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        let kind = nonBlocking ? type | SOCK_NONBLOCK.rawValue : type
        return FileDescriptor(
            owning: try systemCall("socket") { socket(AF_UNIX, Int32(kind), 0) }
        )
    }

    private static func withAddress(
        _ name: String,
        in directory: Directory,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemCallError) -> Void
    ) throws(SystemCallError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        var path = Array(directory.path(of: name).utf8)
        if path.count >= capacity {
            path = Array("/proc/self/fd/\(directory.descriptor)/\(name)".utf8)
        }
        guard path.count < capacity else {
            throw SystemCallError(call: "bind", errno: ENAMETOOLONG, subject: name)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let result: Result<Void, SystemCallError> = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                do throws(SystemCallError) {
                    try body(generic, socklen_t(MemoryLayout<sockaddr_un>.size))
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
        }
        try result.get()
    }
}

/// Two sockets that are connected to each other.
package struct SocketPair: ~Copyable, Sendable {
    /// One end.
    package let first: FileDescriptor
    /// The other end.
    package let second: FileDescriptor

    /// Passes both ends to `body`, which owns them.
    package consuming func split<T>(
        _ body: (consuming FileDescriptor, consuming FileDescriptor) throws -> T
    ) rethrows -> T {
        try body(first, second)
    }

    init(first: consuming FileDescriptor, second: consuming FileDescriptor) {
        self.first = first
        self.second = second
    }
}
