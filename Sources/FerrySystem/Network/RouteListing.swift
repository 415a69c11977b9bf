import CFerryLinux

/// What the kernel can be asked to list.
enum RouteListing: Hashable, Sendable {
    case links
    case routes

    /// The request as rtnetlink(7) has it: a header, and a body of zeros, which is no filter.
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
