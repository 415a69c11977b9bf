import FerrySystem
import Glibc

/// The socket that a service tells systemd over how it is doing; sd_notify(3).
final class NotificationSocket {
    private let descriptor: Int32

    init(path: String) throws {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = try systemCall("socket") { socket(AF_UNIX, type, 0) }
        descriptor = raw
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try systemCall("bind", path) {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

    deinit { close(descriptor) }

    /// Waits for a message.
    func receive() throws -> String {
        try withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = try systemCall("recv") {
                recv(descriptor, buffer.baseAddress, buffer.count, 0)
            }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
