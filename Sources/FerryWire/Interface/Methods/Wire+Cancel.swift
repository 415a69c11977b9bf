extension Wire {
    /// Ends a task; its completed event follows.
    package struct Cancel: TransferMethod {
        /// What ``Cancel`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Cancel"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int

        /// Creates a call.
        package init(session: Int64, identifier: Int) {
            self.session = session
            self.identifier = identifier
        }
    }
}
