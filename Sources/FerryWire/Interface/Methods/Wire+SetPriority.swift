extension Wire {
    /// Changes how important a task is.
    package struct SetPriority: TransferMethod {
        /// What ``SetPriority`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetPriority"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The new importance, from 0 to 1.
        package var priority: Double

        /// Creates a call.
        package init(session: Int64, identifier: Int, priority: Double) {
            self.session = session
            self.identifier = identifier
            self.priority = priority
        }
    }
}
