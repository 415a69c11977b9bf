import CFerryLinux
import Glibc

/// A list that can be requested from the kernel.
enum RouteListing: Hashable, Sendable {
    case links
    case routes

    /// Returns the request according to rtnetlink(7): a header, and a body of zeros, which means no filter.
    func request(sequence: UInt32) -> [UInt8] {
        let (type, bodySize) =
            switch self {
            case .links: (CFerryLinux_RTM_GETLINK, CFerryLinux_linkMessageSize)
            case .routes: (CFerryLinux_RTM_GETROUTE, CFerryLinux_routeMessageSize)
            }
        let flags = CFerryLinux_NLM_F_REQUEST | CFerryLinux_NLM_F_DUMP
        let size = CFerryLinux_messageHeaderSize + bodySize
        var request: [UInt8] = []
        withUnsafeBytes(of: UInt32(size)) { request += $0 }
        withUnsafeBytes(of: type) { request += $0 }
        withUnsafeBytes(of: flags) { request += $0 }
        withUnsafeBytes(of: sequence) { request += $0 }
        return request + [UInt8](repeating: 0, count: size - request.count)
    }
}

/// A network interface, as far as it matters here.
struct NetworkLink: Hashable, Sendable {
    /// The kernel's number for it.
    var index: Int32
    /// Whether packets to other machines can leave through it.
    var isUsable: Bool

    /// Makes a link.
    ///
    /// - Parameters:
    ///   - index: The kernel's number for it.
    ///   - flags: The flags of netdevice(7); `IFF_RUNNING` says that it has a carrier and may send.
    init(index: Int32, flags: UInt32) {
        let needed = UInt32(IFF_UP | IFF_RUNNING)
        self.index = index
        isUsable = flags & needed == needed && flags & UInt32(IFF_LOOPBACK) == 0
    }
}

/// A route that leads to other machines.
struct NetworkRoute: Hashable, Sendable {
    /// The interfaces that it uses; empty if the kernel names none, as for a next hop that is a separate
    /// object.
    var links: Set<Int32>
}
