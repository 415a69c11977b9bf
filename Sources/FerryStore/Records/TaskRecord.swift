package import FoundationEssentials

/// A task of a background session.
package struct TaskRecord: Hashable, Sendable {
    /// The daemon's number for the task, chosen by the caller and never used again.
    package var id: Int64
    /// The session's number.
    package var sessionID: Int64
    /// The task's number within its session.
    package var identifier: Int
    /// What is to become of it.
    package var state: State
    /// The queue it waits in: the host, in whatever form the scheduler limits connections by.
    package var host: String
    /// Tasks of a higher priority come first.
    package var priority: Double
    /// The request, in the daemon's own encoding; it never changes.
    package var request: [UInt8]
    /// The request after redirects, if there were any.
    package var currentRequest: [UInt8]?
    /// The head of the latest response.
    package var response: [UInt8]?
    /// What the application noted on the task.
    package var description: String?
    /// How many bytes of the body have arrived.
    package var receivedByteCount: Int64
    /// How many bytes the whole body has, if known.
    package var expectedByteCount: Int64?
    /// Which bytes on disk can be trusted, in the daemon's own encoding.
    package var checkpoint: [UInt8]?
    /// How many attempts have failed in a row.
    package var attempts: Int
    /// The earliest moment of the next attempt, or `nil` when it need not wait.
    package var notBefore: Date?
    /// Why the latest attempt failed, in the daemon's own encoding.
    package var lastError: [UInt8]?
    /// When it was created.
    package var createdAt: Date
    /// When it was resumed for the first time.
    package var startedAt: Date?
    /// When it fails if it has not ended until then.
    package var deadline: Date?
    /// What it sends, in the daemon's own encoding; `nil` for a download.
    package var upload: [UInt8]?
    /// Until when it was not to begin, in the daemon's own encoding; `nil` for one without such a date.
    package var delay: [UInt8]?
    /// How it is carried out, in the daemon's own encoding; `nil` where its application has not said so.
    package var options: [UInt8]?
    /// What is sent in place of its request, in the daemon's own encoding; `nil` for that itself.
    package var link: [UInt8]?

    /// Creates a record of a task.
    package init(
        id: Int64,
        sessionID: Int64,
        identifier: Int,
        state: State = .suspended,
        host: String,
        priority: Double = 0.5,
        request: [UInt8],
        currentRequest: [UInt8]? = nil,
        response: [UInt8]? = nil,
        description: String? = nil,
        receivedByteCount: Int64 = 0,
        expectedByteCount: Int64? = nil,
        checkpoint: [UInt8]? = nil,
        attempts: Int = 0,
        notBefore: Date? = nil,
        lastError: [UInt8]? = nil,
        createdAt: Date,
        startedAt: Date? = nil,
        deadline: Date? = nil,
        upload: [UInt8]? = nil,
        delay: [UInt8]? = nil,
        options: [UInt8]? = nil,
        link: [UInt8]? = nil
    ) {
        self.id = id
        self.sessionID = sessionID
        self.identifier = identifier
        self.state = state
        self.host = host
        self.priority = priority
        self.request = request
        self.currentRequest = currentRequest
        self.response = response
        self.description = description
        self.receivedByteCount = receivedByteCount
        self.expectedByteCount = expectedByteCount
        self.checkpoint = checkpoint
        self.attempts = attempts
        self.notBefore = notBefore
        self.lastError = lastError
        self.createdAt = createdAt
        self.startedAt = startedAt
        self.deadline = deadline
        self.upload = upload
        self.delay = delay
        self.options = options
        self.link = link
    }
}

extension TaskRecord {
    /// The moment until which a task waits that waits for a network: the last second of the year 9999.
    package static let networkWait = Date(timeIntervalSince1970: 253_402_300_799)

    /// How many bytes there are in what may be long.
    var byteCount: Int {
        let parts = [
            request, currentRequest, response, checkpoint, lastError, upload, delay, options, link,
        ]
        return parts.reduce(description?.utf8.count ?? 0) { $0 + ($1?.count ?? 0) }
    }
}

/// What has become of a task, without what it consists of.
package struct TaskStanding: Hashable, Sendable {
    /// The task's number.
    package var id: Int64
    /// Its session.
    package var sessionID: Int64
    /// What it is doing.
    package var state: TaskRecord.State
    /// Whether its last attempt has failed.
    package var hasFailed: Bool

    package init(id: Int64, sessionID: Int64, state: TaskRecord.State, hasFailed: Bool) {
        self.id = id
        self.sessionID = sessionID
        self.state = state
        self.hasFailed = hasFailed
    }
}
