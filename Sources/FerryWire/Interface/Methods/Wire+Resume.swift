extension Wire {
    /// Lets a suspended task run.
    package struct Resume: TransferMethod {
        /// What ``Resume`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Resume"

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
