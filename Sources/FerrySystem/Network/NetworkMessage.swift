import CFerryLinux
import Glibc

/// A message of rtnetlink(7) that affects whether this machine is connected.
struct NetworkMessage: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        /// A link exists, or has changed.
        case link(NetworkLink)
        /// The link with this number was removed.
        case linkRemoval(Int32)
        /// A route exists.
        case route(NetworkRoute)
        /// A route, to any destination, has replaced another one.
        case routeReplacement
        /// A route was removed.
        case routeRemoval
        /// An address was removed, and with it routes that the kernel does not report.
        case addressRemoval
        /// A list is complete.
        case end
        /// A request failed, with this error number.
        case refusal(Int32)
        /// Messages were lost.
        case loss
    }

    /// The content of the message.
    var content: Content
    /// The number of the request that it belongs to.
    var sequence: UInt32
    /// The number of the socket that made the request; 0 for the kernel itself.
    var port: UInt32
    /// Whether it is part of a list that changed while the kernel made it.
    var isInterrupted = false
}

/// Bytes that are not a message of rtnetlink(7).
struct MalformedNetworkMessage: Error, Hashable, Sendable {}

extension NetworkMessage {
    /// Returns the messages in a datagram, without those that do not matter here.
    ///
    /// - Throws: If the datagram is not what netlink(7) describes.
    static func decode(_ datagram: [UInt8]) throws(MalformedNetworkMessage) -> [NetworkMessage] {
        var messages: [NetworkMessage] = []
        var rest = NativeBytes(datagram)
        while rest.count > 0 {
            let length = Int(try rest.integer(at: 0, as: UInt32.self))
            let whole = try rest.part(from: 0, count: length)
            if let message = try NetworkMessage(whole) { messages.append(message) }
            rest = rest.dropFirst(aligned(length))
        }
        return messages
    }

    private init?(_ bytes: NativeBytes) throws(MalformedNetworkMessage) {
        let type: UInt16 = try bytes.integer(at: 4)
        let flags: UInt16 = try bytes.integer(at: 6)
        let sequence: UInt32 = try bytes.integer(at: 8)
        let port: UInt32 = try bytes.integer(at: 12)
        let body = bytes.dropFirst(CFerryLinux_messageHeaderSize)
        guard let content = try Content(type: type, flags: flags, body) else { return nil }
        self.init(
            content: content,
            sequence: sequence,
            port: port,
            isInterrupted: flags & CFerryLinux_NLM_F_DUMP_INTR != 0
        )
    }

    /// Rounds a length up: everything in netlink begins at a multiple of 4.
    fileprivate static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension NetworkMessage.Content {
    fileprivate init?(
        type: UInt16,
        flags: UInt16,
        _ body: NativeBytes
    ) throws(MalformedNetworkMessage) {
        switch type {
        case CFerryLinux_NLMSG_ERROR:
            // Zero is an acknowledgement.
            guard let failure = try Self.refusal(body) else { return nil }
            self = failure
        case CFerryLinux_NLMSG_DONE:
            // The body says whether the list is complete, if it says anything.
            self = body.count < 4 ? .end : try Self.refusal(body) ?? .end
        case CFerryLinux_NLMSG_OVERRUN:
            self = .loss
        case CFerryLinux_RTM_NEWLINK:
            guard let link = try Self.link(body) else { return nil }
            self = .link(link)
        case CFerryLinux_RTM_DELLINK:
            guard let link = try Self.link(body) else { return nil }
            self = .linkRemoval(link.index)
        case CFerryLinux_RTM_NEWROUTE where flags & CFerryLinux_NLM_F_REPLACE != 0:
            self = .routeReplacement
        case CFerryLinux_RTM_NEWROUTE:
            guard let route = try NetworkRoute(body) else { return nil }
            self = .route(route)
        case CFerryLinux_RTM_DELROUTE:
            guard try NetworkRoute(body) != nil else { return nil }
            self = .routeRemoval
        case CFerryLinux_RTM_DELADDR:
            self = .addressRemoval
        default:
            return nil
        }
    }

    /// Returns the error number at the start of a body, where it is negative.
    private static func refusal(_ body: NativeBytes) throws(MalformedNetworkMessage) -> Self? {
        let number: Int32 = try body.integer(at: 0)
        return number == 0 ? nil : .refusal(0 &- number)
    }

    /// Returns the link of an `ifinfomsg`; nil if the message is, for example, about its membership in a
    /// bridge: the end of that does not remove the link.
    private static func link(_ body: NativeBytes) throws(MalformedNetworkMessage) -> NetworkLink? {
        guard Int32(try body.byte(at: 0)) == AF_UNSPEC else { return nil }
        return NetworkLink(index: try body.integer(at: 4), flags: try body.integer(at: 8))
    }
}

extension NetworkRoute {
    /// The route of an `rtmsg`; nil unless it leads to other machines.
    fileprivate init?(_ body: NativeBytes) throws(MalformedNetworkMessage) {
        let family = Int32(try body.byte(at: 0))
        let table = try body.byte(at: 4)
        let type = try body.byte(at: 7)
        let flags: UInt32 = try body.integer(at: 8)
        guard family == AF_INET || family == AF_INET6, type == CFerryLinux_RTN_UNICAST,
            table != CFerryLinux_RT_TABLE_LOCAL, flags & CFerryLinux_RTM_F_CLONED == 0
        else { return nil }
        let attributes = try Self.attributes(body.dropFirst(CFerryLinux_routeMessageSize))
        if let destination = attributes[CFerryLinux_RTA_DST],
            family == AF_INET6, try Self.isLinkLocal(destination)
        {
            return nil
        }
        links = try Self.links(attributes)
    }

    /// Returns whether an IPv6 destination is in fe80::/10, to which every interface has a route by default.
    private static func isLinkLocal(
        _ destination: NativeBytes
    ) throws(MalformedNetworkMessage) -> Bool {
        let (first, second) = (try destination.byte(at: 0), try destination.byte(at: 1))
        return first == 0xfe && second & 0xc0 == 0x80
    }

    private static func links(
        _ attributes: [UInt16: NativeBytes]
    ) throws(MalformedNetworkMessage) -> Set<Int32> {
        if let link = attributes[CFerryLinux_RTA_OIF] { return [try link.integer(at: 0)] }
        var links: Set<Int32> = []
        var rest = attributes[CFerryLinux_RTA_MULTIPATH] ?? NativeBytes([])
        while rest.count > 0 {
            let length = Int(try rest.integer(at: 0, as: UInt16.self))
            let hop = try rest.part(from: 0, count: length)
            links.insert(try hop.integer(at: 4))
            rest = rest.dropFirst(NetworkMessage.aligned(length))
        }
        return links
    }

    /// The attributes that follow a message's fixed part, by type.
    private static func attributes(
        _ bytes: NativeBytes
    ) throws(MalformedNetworkMessage) -> [UInt16: NativeBytes] {
        var attributes: [UInt16: NativeBytes] = [:]
        var rest = bytes
        while rest.count > 0 {
            let length = Int(try rest.integer(at: 0, as: UInt16.self))
            let type = try rest.integer(at: 2, as: UInt16.self) & CFerryLinux_NLA_TYPE_MASK
            let header = CFerryLinux_attributeHeaderSize
            attributes[type] = try rest.part(from: header, count: length - header)
            rest = rest.dropFirst(NetworkMessage.aligned(length))
        }
        return attributes
    }
}

/// Untrusted bytes, with numbers in this machine's order, that are read only within their bounds.
struct NativeBytes {
    private let bytes: ArraySlice<UInt8>

    var count: Int { bytes.count }

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The number that begins at `offset`.
    func integer<T: FixedWidthInteger>(
        at offset: Int,
        as type: T.Type = T.self
    ) throws(MalformedNetworkMessage) -> T {
        let part = try part(from: offset, count: MemoryLayout<T>.size)
        return part.bytes.withUnsafeBytes { $0.loadUnaligned(as: T.self) }
    }

    /// The byte at `offset`.
    func byte(at offset: Int) throws(MalformedNetworkMessage) -> UInt8 { try integer(at: offset) }

    /// The `count` bytes from `offset` on.
    func part(from offset: Int, count: Int) throws(MalformedNetworkMessage) -> NativeBytes {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            throw MalformedNetworkMessage()
        }
        return NativeBytes(bytes.dropFirst(offset).prefix(count))
    }

    /// Returns the bytes after the first `count`; none if there are no more.
    func dropFirst(_ count: Int) -> NativeBytes { NativeBytes(bytes.dropFirst(count)) }
}
