extension Wire {
    /// Changes how fast all tasks together may load and send.
    ///
    /// It holds until it is changed again, also for a daemon that is started later.
    package struct SetRates: TransferMethod {
        /// What ``SetRates`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetRates"

        /// How many bytes may arrive per second; nothing for as many as can.
        package var receiveRate: Int64?
        /// How many bytes may leave per second; nothing for as many as can.
        package var sendRate: Int64?

        /// Creates a call.
        package init(
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil
        ) {
            self.receiveRate = receiveRate
            self.sendRate = sendRate
        }
    }
}
