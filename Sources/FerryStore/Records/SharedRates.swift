/// The limits on bytes received and sent per second, shared by all transfers that they apply to; `nil` for no limit.
package struct SharedRates: StoredRecord, Hashable, Sendable {
    /// The limit on received bytes.
    package var receive: Int64?
    /// The limit on sent bytes.
    package var send: Int64?

    /// Creates limits; none unless given.
    package init(receive: Int64? = nil, send: Int64? = nil) {
        self.receive = receive
        self.send = send
    }
}
