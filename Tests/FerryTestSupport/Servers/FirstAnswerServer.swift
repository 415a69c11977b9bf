import FerrySystem
import Glibc
import Synchronization

/// A server on loopback that reads what comes first, gives one answer to whatever it is, and ends.
package final class FirstAnswerServer: Sendable {
    /// How a connection ends.
    package enum End: Sendable {
        /// In good order.
        case closed
        /// By a reset.
        case reset
    }

    /// The port it listens on.
    package let port: UInt16
    private let listener: Int32
    private let connections = Mutex(0)

    /// How many connections there have been.
    package var connectionCount: Int { connections.withLock { $0 } }

    /// Starts it; it listens when this returns.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - end: How a connection ends afterwards.
    /// - Throws: An error of the socket.
    package init(_ answer: [UInt8], end: End = .closed) throws {
        let (descriptor, port) = try FixtureListener.bind(host: "127.0.0.1")
        listener = descriptor
        self.port = port
        _ = try systemCall("listen") { listen(descriptor, 16) }
        let thread = BlockingQueue(label: "first-answer")
        thread.perform { [self] in serve(answer, end) }
    }

    /// Ends it.
    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ answer: [UInt8], _ end: End) {
        while true {
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, -1)
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                if errno == EAGAIN || errno == EINTR || errno == ECONNABORTED { continue }
                break
            }
            connections.withLock { $0 += 1 }
            var bytes = [UInt8](repeating: 0, count: 4096)
            _ = recv(client, &bytes, bytes.count, 0)
            _ = answer.withUnsafeBytes {
                send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if end == .reset {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    client,
                    SOL_SOCKET,
                    SO_LINGER,
                    &linger,
                    socklen_t(MemoryLayout.size(ofValue: linger))
                )
            }
            close(client)
        }
        close(listener)
    }
}

/// A port on loopback that answers no attempt to connect, as where packets are dropped.
///
/// Its queue of connections is full, so that the kernel drops what comes.
package final class SilentPort: Sendable {
    /// The port.
    package let port: UInt16
    private let descriptors: [Int32]

    /// Makes the port.
    ///
    /// - Parameter accepts: Whether connections are made all the same, and nothing comes by them.
    /// - Throws: An error of the socket.
    package init(accepts: Bool = false) throws {
        let (listener, port) = try FixtureListener.bind(host: "127.0.0.1")
        self.port = port
        var descriptors = [listener]
        _ = try systemCall("listen") { listen(listener, accepts ? 16 : 0) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // The queue holds one more than its length.
        for _ in 0..<(accepts ? 0 : 4) {
            let client = socket(
                AF_INET,
                Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
                0
            )
            _ = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            descriptors.append(client)
        }
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
