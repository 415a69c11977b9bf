extension TransferDaemon {
    /// How many bytes may arrive and leave per second.
    public struct Rates: Hashable, Sendable {
        /// How many may arrive; nil for as many as can.
        public var receive: Int64?
        /// How many may leave; nil for as many as can.
        public var send: Int64?

        /// Makes rates.
        ///
        /// - Parameters:
        ///   - receive: How many bytes may arrive per second, 1 or more; nil for as many as can.
        ///   - send: How many bytes may leave per second, 1 or more; nil for as many as can.
        public init(receive: Int64? = nil, send: Int64? = nil) {
            self.receive = receive
            self.send = send
        }
    }
}
