extension Wire {
    /// Changes how a task is carried out.
    ///
    /// Rates hold at once, the rest from the next attempt on.
    package struct SetOptions: TransferMethod {
        /// What ``SetOptions`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetOptions"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// All of its options; nothing leaves them to the daemon.
        package var options: TransferOptions?

        /// Creates a call.
        package init(
            session: Int64,
            identifier: Int,
            options: TransferOptions? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.options = options
        }
    }
}
