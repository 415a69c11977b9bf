import FerrySystem
import Glibc

/// Notifications to systemd, if it has started the daemon.
///
/// Source: sd_notify(3).
enum ServiceNotification {
    private static let variable = "NOTIFY_SOCKET"

    /// Notifies systemd that clients are served.
    static func ready() {
        guard let path = ProcessEnvironment[variable], !path.isEmpty else { return }
        ProcessEnvironment.remove(variable)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A leading @ stands for the zero byte of an abstract socket.
        let name = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let message = Array("READY=1".utf8)
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
