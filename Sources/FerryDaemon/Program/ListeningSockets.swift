import FerrySystem
import FerryWire
import Glibc

/// Sockets that the daemon has had from its start.
///
/// Source: sd_listen_fds(3). A client that starts the daemon does not know its process number beforehand, and sets
/// `FERRY_LISTEN_PID=inherit` instead of `LISTEN_PID`. A daemon whose place this one has taken sets `LISTEN_PID` for
/// the sockets of systemd, and `FERRY_HANDED_OVER` for its own, which come after those.
struct ListeningSockets: Sendable {
    private static let first: Int32 = 3
    private static let handedOver = "FERRY_HANDED_OVER"

    /// The sockets that systemd holds, too: it takes connections while no daemon serves.
    var held: [BoundSocket] = []
    /// The sockets that nobody else holds, all of this daemon's; empty if it has to make them.
    var own: [BoundSocket] = []

    /// How many sockets a process was given, by whom.
    struct Counts: Hashable, Sendable {
        /// Those of systemd.
        var held: Int32 = 0
        /// Those that a client has made.
        var fromClient: Int32 = 0
        /// Those of the daemon whose place the process has taken.
        var handedOver: Int32 = 0

        /// Reads the variables of a process.
        init(_ environment: [String: String], process: Int32 = getpid()) {
            let isFromSystemd = environment["LISTEN_PID"] == "\(process)"
            let count = Self.count(environment["LISTEN_FDS"])
            if isFromSystemd {
                held = count
            } else if environment["FERRY_LISTEN_PID"] == "inherit" {
                fromClient = count
            }
            let words = environment[ListeningSockets.handedOver]?.split(separator: " ") ?? []
            if words.count == 2, words[0] == "\(process)" {
                handedOver = Self.count(String(words[1]))
            }
        }

        private static func count(_ text: String?) -> Int32 {
            guard let count = text.flatMap({ Int32($0) }), (1...16).contains(count) else {
                return 0
            }
            return count
        }
    }

    /// Takes over the sockets, and removes their variables from the environment.
    static func takeInherited() -> ListeningSockets {
        let counts = Counts(ProcessEnvironment.current)
        for name in [
            "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "FERRY_LISTEN_PID", handedOver,
        ] {
            ProcessEnvironment.remove(name)
        }
        let ownCount = counts.fromClient + counts.handedOver
        return ListeningSockets(
            held: take(first..<first + counts.held),
            own: take(first + counts.held..<first + counts.held + ownCount)
        )
    }

    /// Returns what a program gets that takes the place of this process.
    ///
    /// - Returns: Its descriptors for this process's, and the variables that say what they are.
    func passedOn() -> (descriptors: [Int32: Int32], variables: [String: String]) {
        var descriptors: [Int32: Int32] = [:]
        for (index, socket) in (held + own).enumerated() {
            descriptors[socket.descriptor] = Self.first + Int32(index)
        }
        var variables: [String: String] = [:]
        if !held.isEmpty {
            variables["LISTEN_FDS"] = "\(held.count)"
            variables["LISTEN_PID"] = "\(getpid())"
        }
        if !own.isEmpty { variables[Self.handedOver] = "\(getpid()) \(own.count)" }
        return (descriptors, variables)
    }

    private static func take(_ descriptors: Range<Int32>) -> [BoundSocket] {
        descriptors.map { descriptor in
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return BoundSocket(path: SocketName.of(descriptor), descriptor: descriptor)
        }
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
