extension Wire {
    /// Changes how fast a task may load and send, for a person.
    package struct SetTaskRates: TransferMethod {
        /// What ``SetTaskRates`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetTaskRates"

        /// The task's id.
        package var id: Int64
        /// How many bytes may arrive per second; nothing for as many as can.
        package var receiveRate: Int64?
        /// How many bytes may leave per second; nothing for as many as can.
        package var sendRate: Int64?

        /// Creates a call.
        package init(
            id: Int64,
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil
        ) {
            self.id = id
            self.receiveRate = receiveRate
            self.sendRate = sendRate
        }
    }
}
