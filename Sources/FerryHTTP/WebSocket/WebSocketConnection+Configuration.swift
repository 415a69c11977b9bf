import FerrySystem

extension WebSocketConnection {
    /// How a connection behaves; fixed for its life.
    package struct Configuration: Hashable, Sendable {
        /// The longest time in which nothing may happen until the connection is open; zero for no
        /// limit, 60 seconds by default.
        package var openingTimeout = Duration.seconds(60)
        /// The longest time in which nothing may come or go on an open connection; zero, the
        /// default, for no limit.
        package var idleTimeout = Duration.zero
        /// How long the other end's close frame is waited for, 10 seconds by default.
        package var closingTimeout = Duration.seconds(10)
        /// The length that a message may have that arrives, 1 MiB by default.
        package var maximumMessageByteCount = 1 << 20
        /// How much may have arrived that nobody has asked for, 64 KiB by default, before no more is
        /// read; one message may go beyond that.
        package var maximumInboxByteCount = 64 << 10

        /// Makes the default configuration.
        package init() {}
    }

    /// How a connection has ended.
    package enum End: Hashable, Sendable {
        /// Both ends have said goodbye; with the other end's code and reason.
        case closed(code: UInt16?, reason: [UInt8])
        /// Something went wrong.
        case failed(WebSocketError)
    }

    /// What a connection tells its owner, in this order: refusals, opening, end.
    package struct Events: Sendable {
        /// The connection is open; with the server's answer and the subprotocol it has chosen.
        package var opened: @LoopActor (HTTPResponseHead, String?) -> Void
        /// The server has answered otherwise; returns the request to send instead, if any.
        package var refused: @LoopActor (HTTPResponseHead) -> WebSocketRequest?
        /// The connection has ended, and everybody who waited for something was told; not called
        /// after ``WebSocketConnection/cancel()``.
        package var ended: @LoopActor (End) -> Void

        /// Makes the events' receivers.
        package init(
            opened: @escaping @LoopActor (HTTPResponseHead, String?) -> Void,
            refused: @escaping @LoopActor (HTTPResponseHead) -> WebSocketRequest?,
            ended: @escaping @LoopActor (End) -> Void
        ) {
            self.opened = opened
            self.refused = refused
            self.ended = ended
        }
    }
}
