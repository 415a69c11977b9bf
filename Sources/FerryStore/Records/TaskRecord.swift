package import FerrySystem
package import FerryWire
package import FoundationEssentials

/// A task of a background session.
package struct TaskRecord: Hashable, Sendable {
    /// ferryd's number for the task, chosen by the caller and never used again.
    package var id: TaskID
    /// The session's number.
    package var sessionID: SessionID
    /// The task's number within its session.
    package var identifier: Int
    /// Its state.
    package var state: State
    /// The queue that it waits in: the host, in the form by which the scheduler limits connections.
    package var host: String
    /// Tasks of a higher priority come first.
    package var priority: Double
    /// The request; it never changes.
    package var request: Encoded<Wire.Request>
    /// The request after redirects, if there were any.
    package var currentRequest: Encoded<Wire.Request>?
    /// The head of the latest response.
    package var response: Encoded<Wire.Response>?
    /// The application's description of the task.
    package var description: String?
    /// The number of bytes of the body that have arrived.
    package var receivedByteCount: Int64
    /// The number of bytes in the whole body, if known.
    package var expectedByteCount: Int64?
    /// Which bytes on disk can be trusted.
    package var checkpoint: Encoded<ByteState>?
    /// The number of consecutive failed attempts.
    package var attempts: Int
    /// The earliest time of the next attempt, or `nil` if it need not wait.
    package var notBefore: Date?
    /// Why the latest attempt failed.
    package var lastError: Encoded<AttemptFailure>?
    /// When it was created.
    package var createdAt: Date
    /// When it was resumed for the first time.
    package var startedAt: Date?
    /// When it fails if it has not ended by then.
    package var deadline: Date?
    /// The file that it uploads; `nil` for a download.
    package var upload: Encoded<UploadState>?
    /// The date before which it was not to begin; `nil` for a task without such a date.
    package var delay: Encoded<DelayState>?
    /// Its options; `nil` if its application has not set any.
    package var options: Encoded<Wire.TransferOptions>?
    /// The request that is sent in place of its own; `nil` for its own.
    package var link: Encoded<LinkState>?
    /// The conditions of the machine under which it does not run, besides those that its session avoids; `nil` if a
    /// person lets it run under all.
    package var avoids: Conditions?
    /// The event that reports its end; `nil` unless it has ended.
    package var event: Encoded<Wire.Event>?

    /// Creates a record of a task.
    package init(
        id: TaskID,
        sessionID: SessionID,
        identifier: Int,
        state: State = .suspended,
        host: String,
        priority: Double = 0.5,
        request: Encoded<Wire.Request>,
        currentRequest: Encoded<Wire.Request>? = nil,
        response: Encoded<Wire.Response>? = nil,
        description: String? = nil,
        receivedByteCount: Int64 = 0,
        expectedByteCount: Int64? = nil,
        checkpoint: Encoded<ByteState>? = nil,
        attempts: Int = 0,
        notBefore: Date? = nil,
        lastError: Encoded<AttemptFailure>? = nil,
        createdAt: Date,
        startedAt: Date? = nil,
        deadline: Date? = nil,
        upload: Encoded<UploadState>? = nil,
        delay: Encoded<DelayState>? = nil,
        options: Encoded<Wire.TransferOptions>? = nil,
        link: Encoded<LinkState>? = nil,
        avoids: Conditions? = [],
        event: Encoded<Wire.Event>? = nil
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
        self.avoids = avoids
        self.event = event
    }
}

extension TaskRecord {
    /// The `notBefore` of a task that waits for a network: the last second of the year 9999.
    package static let networkWait = Date(timeIntervalSince1970: 253_402_300_799)

    /// The number of bytes in the values that may be long.
    var byteCount: Int {
        func count(_ part: Encoded<some JSONCodable>?) -> Int { part?.text.count ?? 0 }
        return (description?.utf8.count ?? 0) + count(request) + count(currentRequest)
            + count(response) + count(checkpoint) + count(lastError) + count(upload)
            + count(delay) + count(options) + count(link) + count(event)
    }
}

/// The state of a task, without its contents.
package struct TaskStanding: Hashable, Sendable {
    /// The task's number.
    package var id: TaskID
    /// Its session.
    package var sessionID: SessionID
    /// Its state.
    package var state: TaskRecord.State
    /// Whether its last attempt has failed.
    package var hasFailed: Bool

    package init(id: TaskID, sessionID: SessionID, state: TaskRecord.State, hasFailed: Bool) {
        self.id = id
        self.sessionID = sessionID
        self.state = state
        self.hasFailed = hasFailed
    }
}

extension TaskRecord {
    /// The state of a task.
    ///
    /// Two parties decide: its application suspends and resumes it, and the user may hold it back whatever
    /// the application wants.
    package enum State: Int, Hashable, Sendable, CaseIterable {
        /// Its application has not resumed it, or has suspended it.
        case suspended = 0
        /// It is to run, or is running: the store does not distinguish the two.
        case waiting = 1
        /// It has ended; final.
        case completed = 2
        /// The user holds it back; its application wants it to run.
        case held = 3
        /// The user holds it back; its application does not want it to run either.
        case heldSuspended = 4

        /// The state after the application has resumed the task.
        var whenResumed: State {
            switch self {
            case .suspended, .waiting: .waiting
            case .held, .heldSuspended: .held
            case .completed: .completed
            }
        }

        /// The state after the application has suspended the task.
        var whenSuspended: State {
            switch self {
            case .suspended, .waiting: .suspended
            case .held, .heldSuspended: .heldSuspended
            case .completed: .completed
            }
        }

        /// The state after the user has held the task back.
        var whenHeld: State {
            switch self {
            case .waiting, .held: .held
            case .suspended, .heldSuspended: .heldSuspended
            case .completed: .completed
            }
        }

        /// The state after the user has released the task.
        var whenReleased: State {
            switch self {
            case .waiting, .held: .waiting
            case .suspended, .heldSuspended: .suspended
            case .completed: .completed
            }
        }
    }
}
