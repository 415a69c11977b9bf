package import FoundationEssentials

extension Wire {
    /// A transfer, as it stands.
    package struct Task: Codable, Hashable, Sendable {
        /// The task's number, unique for this user's daemon.
        package var id: Int64
        /// The identifier of the application that the task belongs to.
        package var application: String
        /// The identifier of the session that the task belongs to.
        package var session: String
        /// The task's number in its session.
        package var identifier: Int
        /// What the task is doing.
        package var state: TaskState
        /// The application's own words on the task.
        package var description: String?
        /// How important the task is among its session's, from 0 to 1.
        package var priority: Double
        /// The request that the task was made with.
        package var originalRequest: Request
        /// The request after redirects, where it differs.
        package var currentRequest: Request?
        /// The latest answer.
        package var response: Response?
        /// How many bytes of the body are held.
        package var receivedByteCount: Int64
        /// How many bytes the body has, where that is known.
        package var expectedByteCount: Int64?
        /// What it sends, if it is an upload.
        package var upload: Upload?
        /// Why the task does not run, while it waits.
        package var wait: Wait?
        /// What went wrong last.
        package var failure: Failure?
        /// How many attempts have failed since bytes last arrived.
        package var attempts: Int
        /// When the task was made.
        package var created: Date
        /// The date before which it was not to begin.
        package var earliestBegin: Date?
        /// How it is carried out, where its application has said so.
        package var options: TransferOptions?

        /// Creates a task.
        package init(
            id: Int64,
            application: String,
            session: String,
            identifier: Int,
            state: TaskState,
            description: String? = nil,
            priority: Double,
            originalRequest: Request,
            currentRequest: Request? = nil,
            response: Response? = nil,
            receivedByteCount: Int64,
            expectedByteCount: Int64? = nil,
            upload: Upload? = nil,
            wait: Wait? = nil,
            failure: Failure? = nil,
            attempts: Int,
            created: Date,
            earliestBegin: Date? = nil,
            options: TransferOptions? = nil
        ) {
            self.id = id
            self.application = application
            self.session = session
            self.identifier = identifier
            self.state = state
            self.description = description
            self.priority = priority
            self.originalRequest = originalRequest
            self.currentRequest = currentRequest
            self.response = response
            self.receivedByteCount = receivedByteCount
            self.expectedByteCount = expectedByteCount
            self.upload = upload
            self.wait = wait
            self.failure = failure
            self.attempts = attempts
            self.created = created
            self.earliestBegin = earliestBegin
            self.options = options
        }
    }
}
