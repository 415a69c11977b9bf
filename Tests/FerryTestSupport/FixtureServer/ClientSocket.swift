package import FerrySystem
import Foundation

/// This process's end of its only connection to a port.
package struct ClientSocket: ~Copyable {
    /// Why there is no such socket.
    package struct SearchError: Error {
        /// All connections to the port.
        package let connections: [InternetConnection]
    }

    /// Both ends.
    package let connection: InternetConnection
    private let descriptor: FileDescriptor

    /// Finds the socket among the process's descriptors.
    ///
    /// It is duplicated: nothing else gets its number while this lives.
    package init(connectedTo port: UInt16) throws {
        var found: [(descriptor: Int32, connection: InternetConnection)] = []
        for number in 0..<Int32(1024) {
            guard let connection = InternetConnection(of: number), connection.remote.port == port
            else { continue }
            found.append((number, connection))
        }
        guard let first = found.first, found.count == 1 else {
            throw SearchError(connections: found.map(\.connection))
        }
        let duplicate = try systemCall("fcntl") { fcntl(first.descriptor, F_DUPFD_CLOEXEC, 0) }
        connection = first.connection
        descriptor = FileDescriptor(owning: duplicate)
    }

    /// Waits until there is something to read, or half a minute has passed.
    ///
    /// - Returns: Whether there is.
    package func waitForBytes() -> Bool {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 30_000) == 1
    }
}
