import FerrySystem
@preconcurrency import Glibc

/// A port on loopback that refuses connections, and that nobody else gets while this object lives.
package final class FixtureClosedPort: Sendable {
    /// The port.
    package let port: UInt16
    private let descriptor: Int32

    /// Takes a port that the kernel chooses.
    package init() throws {
        // Bound but not listening: the kernel answers a connection attempt with a reset.
        (descriptor, port) = try FixtureListener.bind(host: "127.0.0.1")
    }

    deinit {
        close(descriptor)
    }

    /// The socket, for a server that is to listen there.
    func duplicate() throws -> Int32 {
        try systemCall("fcntl") { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    /// The URL of a path, which starts with a slash.
    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}
