extension Wire {
    /// Changes the application's own words on a task.
    package struct SetDescription: TransferMethod {
        /// What ``SetDescription`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetDescription"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The new words; nothing removes them.
        package var description: String?

        /// Creates a call.
        package init(session: Int64, identifier: Int, description: String? = nil) {
            self.session = session
            self.identifier = identifier
            self.description = description
        }
    }
}
