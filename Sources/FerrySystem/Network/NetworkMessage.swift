/// A message of rtnetlink(7) that matters to whether this machine is connected.
struct NetworkMessage: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        /// A link is there, or has changed.
        case link(NetworkLink)
        /// The link of a number is gone.
        case linkRemoval(Int32)
        /// A route is there.
        case route(NetworkRoute)
        /// A route, to wherever, has taken the place of another one.
        case routeReplacement
        /// A route is gone.
        case routeRemoval
        /// An address is gone, and routes with it of which the kernel does not tell.
        case addressRemoval
        /// A list is complete.
        case end
        /// A request failed, with this error number.
        case refusal(Int32)
        /// Messages were lost.
        case loss
    }

    /// What it says.
    var content: Content
    /// The number of the request that it belongs to.
    var sequence: UInt32
    /// The number of the socket that made the request; 0 for the kernel itself.
    var port: UInt32
    /// Whether it is part of a list that has changed while it was made.
    var isInterrupted = false
}

/// Bytes that are no message of rtnetlink(7).
struct MalformedNetworkMessage: Error, Hashable, Sendable {}
