import Glibc

/// The two ends of an Internet connection, which no other connection has at the same time.
package struct InternetConnection: Hashable, Sendable {
    /// An address and a port.
    package struct End: Hashable, Sendable {
        /// The address: `192.0.2.1` or `2001:db8::1`.
        package var address: String
        /// The port.
        package var port: UInt16

        /// Makes an end from its parts.
        package init(address: String, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// This process's end.
    package var local: End
    /// The other end.
    package var remote: End

    /// Makes a connection from its ends.
    package init(local: End, remote: End) {
        self.local = local
        self.remote = remote
    }

    /// The connection of a socket; `nil` for a descriptor that has none.
    package init?(of socket: Int32) {
        guard let local = Self.end(of: socket, getsockname),
            let remote = Self.end(of: socket, getpeername)
        else { return nil }
        self.init(local: local, remote: remote)
    }

    private typealias Question =
        (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

    private static func end(of socket: Int32, _ ask: Question) -> End? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard
                ask(socket, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length) == 0
            else { return nil }
            switch Int32(bytes.load(as: sockaddr.self).sa_family) {
            case AF_INET:
                var address = bytes.load(as: sockaddr_in.self)
                return end(AF_INET, &address.sin_addr, address.sin_port)
            case AF_INET6:
                var address = bytes.load(as: sockaddr_in6.self)
                return end(AF_INET6, &address.sin6_addr, address.sin6_port)
            default:
                return nil
            }
        }
    }

    private static func end(
        _ family: Int32,
        _ address: UnsafeRawPointer,
        _ port: in_port_t
    ) -> End? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return nil }
        let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return End(address: String(decoding: bytes, as: UTF8.self), port: UInt16(bigEndian: port))
    }
}
