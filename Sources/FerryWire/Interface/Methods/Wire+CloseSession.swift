extension Wire {
    /// Ends a session for good, once its tasks are done.
    package struct CloseSession: TransferMethod {
        /// What ``CloseSession`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "CloseSession"

        /// The open session's number.
        package var session: Int64
        /// Whether to cancel its tasks first.
        package var cancel: Bool

        /// Creates a call.
        package init(session: Int64, cancel: Bool) {
            self.session = session
            self.cancel = cancel
        }
    }
}
