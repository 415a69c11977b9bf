import Glibc

/// The ports of Internet sockets.
package enum SocketPort {
    /// The port at this end; `nil` for a socket that has none.
    package static func local(of socket: Int32) -> UInt16? {
        // Large enough for either kind; the port is at the same place in both.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                getsockname(socket, addresses.baseAddress, &length)
            }
        }
        let families = [AF_INET, AF_INET6].map { sa_family_t($0) }
        guard result == 0, families.contains(address.sin6_family) else { return nil }
        return UInt16(bigEndian: address.sin6_port)
    }
}
