extension Wire {
    /// Gives a task another address for the same resource; what it has loaded is kept if it proves to be the same.
    ///
    /// It is also the answer to the question of an ``EventKind/expired`` event. An answer to a question that is no
    /// longer open changes nothing.
    package struct Relink: TransferMethod {
        /// What ``Relink`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Relink"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The question's number, if it is an answer to one.
        package var question: Int?
        /// What to send from now on; nothing, as an answer, leaves the task with what its server has answered.
        package var request: Request?

        /// Creates a call.
        package init(
            session: Int64,
            identifier: Int,
            question: Int? = nil,
            request: Request? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.question = question
            self.request = request
        }
    }
}
