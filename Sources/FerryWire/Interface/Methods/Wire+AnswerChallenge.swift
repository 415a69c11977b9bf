extension Wire {
    /// Answers a challenge.
    ///
    /// An answer to a question that is no longer open changes nothing.
    package struct AnswerChallenge: TransferMethod {
        /// What ``AnswerChallenge`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "AnswerChallenge"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The question's number.
        package var question: Int
        /// What is to be done.
        package var disposition: ChallengeDisposition
        /// The user's name: with use, to a password challenge.
        package var user: String?
        /// The password: with use, to a password challenge.
        package var password: String?
        /// Who the client is: with use, to a certificate challenge.
        package var identity: Identity?
        /// Whether the answer also holds for other tasks of the session, until the daemon ends.
        package var isKept: Bool?
        /// Whether the application answers no challenges of this kind: it is not asked about them any more.
        package var answersNoOthers: Bool?

        /// Creates a call.
        package init(
            session: Int64,
            identifier: Int,
            question: Int,
            disposition: ChallengeDisposition,
            user: String? = nil,
            password: String? = nil,
            identity: Identity? = nil,
            isKept: Bool? = nil,
            answersNoOthers: Bool? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.question = question
            self.disposition = disposition
            self.user = user
            self.password = password
            self.identity = identity
            self.isKept = isKept
            self.answersNoOthers = answersNoOthers
        }
    }
}
