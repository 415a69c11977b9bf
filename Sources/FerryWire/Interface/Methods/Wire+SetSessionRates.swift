extension Wire {
    /// Changes how fast a session's tasks together may load and send.
    package struct SetSessionRates: TransferMethod {
        /// What ``SetSessionRates`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetSessionRates"

        /// The open session's number.
        package var session: Int64
        /// How many bytes may arrive per second; nothing for as many as can.
        package var receiveRate: Int64?
        /// How many bytes may leave per second; nothing for as many as can.
        package var sendRate: Int64?

        /// Creates a call.
        package init(
            session: Int64,
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil
        ) {
            self.session = session
            self.receiveRate = receiveRate
            self.sendRate = sendRate
        }
    }
}
