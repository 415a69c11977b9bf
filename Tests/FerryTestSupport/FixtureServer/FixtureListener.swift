import FerrySystem
@preconcurrency import Glibc

/// A listening socket on loopback, to be served by one thread.
final class FixtureListener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init(host: String) throws {
        (descriptor, port) = try Self.bind(host: host)
        try listen()
    }

    /// Listens at a port that refused connections so far.
    init(at closed: FixtureClosedPort) throws {
        (descriptor, port) = (try closed.duplicate(), closed.port)
        try listen()
    }

    private func listen() throws {
        guard Glibc.listen(descriptor, 1024) == 0 else {
            let code = errno
            close(descriptor)
            throw SystemCallError(call: "listen", errno: code)
        }
    }

    /// Makes a socket with a port that the kernel chooses.
    static func bind(host: String) throws -> (descriptor: Int32, port: UInt16) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let isVersion6 = host.contains(":")
        let descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw SystemCallError(call: "socket", errno: errno) }
        guard let port = isVersion6 ? bind6(descriptor, host) : bind4(descriptor, host) else {
            let code = errno
            close(descriptor)
            throw SystemCallError(call: "bind", errno: code)
        }
        return (descriptor, port)
    }

    private static func bind4(_ descriptor: Int32, _ host: String) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, host, &address.sin_addr)
        guard bind(descriptor, &address) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func bind6(_ descriptor: Int32, _ host: String) -> UInt16? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        inet_pton(AF_INET6, host, &address.sin6_addr)
        guard bind(descriptor, &address) else { return nil }
        return UInt16(bigEndian: address.sin6_port)
    }

    /// Takes an address, and completes it by the port.
    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.bind(descriptor, address, length) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
    }

    /// Hands over each connection until the gate opens, and closes the port then.
    func acceptAll(until stopped: FixtureGate, _ body: (FixtureSocket) -> Void) {
        defer { close(descriptor) }
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopped.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, 2, -1) > 0 || errno == EINTR else { return }
            guard entries[1].revents == 0 else { return }
            let accepted = accept(descriptor, nil, nil)
            if accepted >= 0 { body(FixtureSocket(owning: accepted, stopped: stopped)) }
        }
    }
}

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
