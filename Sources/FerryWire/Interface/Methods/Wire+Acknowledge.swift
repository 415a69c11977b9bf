extension Wire {
    /// Says that an event has been dealt with; it is not told again and its file is deleted.
    package struct Acknowledge: TransferMethod {
        /// What ``Acknowledge`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Acknowledge"

        /// The open session's number.
        package var session: Int64
        /// The event's sequence.
        package var sequence: Int64

        /// Creates a call.
        package init(session: Int64, sequence: Int64) {
            self.session = session
            self.sequence = sequence
        }
    }
}
