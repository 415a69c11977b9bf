import FerrySystem
import Glibc

/// Sockets that the daemon's parent has opened for it.
///
/// Source: sd_listen_fds(3). A client that starts the daemon does not know its process number beforehand, and sets
/// `FERRY_LISTEN_PID=inherit` instead of `LISTEN_PID`.
enum ListeningSockets {
    private static let first: Int32 = 3

    /// Returns the number of inherited sockets according to an environment.
    static func inheritedCount(_ environment: [String: String]) -> Int32 {
        guard let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0, count <= 16
        else { return 0 }
        let isOurs =
            environment["LISTEN_PID"] == "\(getpid())"
            || environment["FERRY_LISTEN_PID"] == "inherit"
        return isOurs ? count : 0
    }

    /// Takes over the sockets, and removes their variables from the environment.
    static func takeInherited() -> [Int32] {
        let count = inheritedCount(ProcessEnvironment.current)
        for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "FERRY_LISTEN_PID"] {
            ProcessEnvironment.remove(name)
        }
        return (0..<count).map { index in
            let descriptor = first + index
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return descriptor
        }
    }

    /// Returns whether systemd also holds the sockets, and takes connections while no daemon serves.
    static func areHeldBySystemd(_ environment: [String: String]) -> Bool {
        environment["LISTEN_PID"] == "\(getpid())"
    }
}

/// The place of a socket in the file system.
enum SocketName {
    /// The path that a socket is bound to, for people.
    static func of(_ descriptor: Int32) -> String {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        guard code == 0 else { return "socket \(descriptor)" }
        return withUnsafeBytes(of: &address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
