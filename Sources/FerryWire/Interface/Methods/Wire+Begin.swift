extension Wire {
    /// Lets a task begin whose application was asked about it.
    package struct Begin: TransferMethod {
        /// What ``Begin`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Begin"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// What to send in place of the task's request.
        package var request: Request?

        /// Creates a call.
        package init(
            session: Int64,
            identifier: Int,
            request: Request? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.request = request
        }
    }
}
