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
