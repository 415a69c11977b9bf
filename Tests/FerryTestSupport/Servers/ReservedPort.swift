import FerrySystem
import Glibc

/// A port on loopback that is kept for a server which this process starts.
///
/// As long as this object is there, the kernel gives the port to nobody who asks for any port. A
/// server that allows the address to be used again (`SO_REUSEADDR`) can listen on it, and so can
/// one that takes over the socket after ``listen()``.
final class ReservedPort: Sendable {
    /// The port.
    let number: Int
    /// The socket that is bound to it.
    let descriptor: Int32

    /// Takes a port of the kernel's choice.
    init() throws {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = FileDescriptor(
            owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) }
        )
        let descriptor = socket.rawValue
        var on: Int32 = 1
        try systemCall("setsockopt") {
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(4))
        }
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                try systemCall("bind") { bind(descriptor, generic, length) }
                try systemCall("getsockname") { getsockname(descriptor, generic, &length) }
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        self.descriptor = socket.release()
    }

    deinit { close(descriptor) }

    /// Has connections wait for whoever takes the socket over.
    func listen() throws {
        try systemCall("listen") { Glibc.listen(descriptor, 1024) }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

// MARK: - Asking

extension ReservedPort {
    /// Whether a server there answers a request; waits until it does or has closed its socket.
    @concurrent
    static func answers(_ port: Int, path: String) async -> Bool {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = socket(AF_INET, type, 0)
        defer { close(socket) }
        // One that hangs is to fail the test, not to hold it up.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        var address = loopback(port: UInt16(port))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let request = Array("GET \(path) HTTP/1.0\r\n\r\n".utf8)
        guard isConnected, send(socket, request, request.count, Int32(MSG_NOSIGNAL)) > 0 else {
            return false
        }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, 0) == 1
    }
}
