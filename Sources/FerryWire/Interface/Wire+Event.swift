package import FoundationEssentials

extension Wire {
    /// What a session's owner is told.
    package struct Event: Codable, Hashable, Sendable {
        /// What happened; it says which other members are there.
        package var kind: EventKind
        /// What Acknowledge takes; only finished and completed have it.
        package var sequence: Int64?
        /// The task's number in its session; all but drained have it.
        package var task: Int?
        /// The answer: with response, finished and, if that does not come before, completed.
        package var response: Response?
        /// The request after redirects, where it differs, with the answer; that which would be sent, with
        /// delayed.
        package var request: Request?
        /// How many bytes were held already: with resumed.
        package var offset: Int64?
        /// How many bytes of the body are held: with progress, finished and completed.
        package var receivedByteCount: Int64?
        /// How many bytes the body has, where that is known.
        package var expectedByteCount: Int64?
        /// How many bytes of its file an upload has sent: with progress, finished and completed.
        package var sentByteCount: Int64?
        /// The finished file's absolute path, valid until the event is acknowledged: with finished.
        package var path: String?
        /// What went wrong: with completed, unless all went well.
        package var failure: Failure?
        /// What the download can be continued from: with completed.
        package var resumeData: Data?
        /// Why it cannot be continued, for programs, such as noValidator: with completed, where that was wanted.
        package var resumeDataRefusal: String?
        /// Why the system cancelled the task, by Apple's numbers: with completed.
        package var cancelReason: Int?
        /// The question's number, which tells it from later ones of the task: with challenged and delayed.
        package var question: Int?
        /// What is wanted: with challenged.
        package var challenge: Challenge?
        /// What the task has cost: with completed, where the session wants to know.
        package var metrics: TaskMetrics?

        /// Creates an event.
        package init(
            kind: EventKind,
            sequence: Int64? = nil,
            task: Int? = nil,
            response: Response? = nil,
            request: Request? = nil,
            offset: Int64? = nil,
            receivedByteCount: Int64? = nil,
            expectedByteCount: Int64? = nil,
            sentByteCount: Int64? = nil,
            path: String? = nil,
            failure: Failure? = nil,
            resumeData: Data? = nil,
            resumeDataRefusal: String? = nil,
            cancelReason: Int? = nil,
            question: Int? = nil,
            challenge: Challenge? = nil,
            metrics: TaskMetrics? = nil
        ) {
            self.kind = kind
            self.sequence = sequence
            self.task = task
            self.response = response
            self.request = request
            self.offset = offset
            self.receivedByteCount = receivedByteCount
            self.expectedByteCount = expectedByteCount
            self.sentByteCount = sentByteCount
            self.path = path
            self.failure = failure
            self.resumeData = resumeData
            self.resumeDataRefusal = resumeDataRefusal
            self.cancelReason = cancelReason
            self.question = question
            self.challenge = challenge
            self.metrics = metrics
        }
    }
}
