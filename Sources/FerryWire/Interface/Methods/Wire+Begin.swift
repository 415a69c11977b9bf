extension Wire {
    /// Lets a task begin whose application was asked about it.
    ///
    /// An answer to a question that is no longer open changes nothing.
    package struct Begin: TransferMethod {
        /// What ``Begin`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Begin"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The question's number.
        package var question: Int
        /// What to send in place of the task's request.
        package var request: Request?

        /// Creates a call.
        package init(
            session: Int64,
            identifier: Int,
            question: Int,
            request: Request? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.question = question
            self.request = request
        }
    }
}
