import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

/// The state of a task's bytes in the store: what is known about them, or why resume data could not be used.
struct ByteState: StoredRecord, Hashable {
    /// The latest checkpoint of the task's file.
    var checkpoint: Checkpoint?
    /// Whether the application made the task from resume data and has not yet been notified how many bytes were kept.
    var isFromResumeData = false
    /// The resume data whose file the task has not taken over yet; nothing is loaded before.
    var resumeData: Data?
    /// Why the resume data that the task was made from cannot be used.
    var failure: TransferError?
    /// The upload resource on the server, from which the upload can resume.
    var resource: UploadResource?

    /// Encodes the state of an upload for the store.
    fileprivate static func encoded(_ resource: UploadResource?) -> [UInt8]? {
        resource.map { ByteState(resource: $0).encoded }
    }
}

extension TaskRecord {
    /// The upload resource on the server, from which the task's upload can resume.
    var uploadResource: UploadResource? {
        get { ByteState.decode(checkpoint)?.resource }
        set { checkpoint = ByteState.encoded(newValue) }
    }
}

extension Mutation {
    /// Replaces the resource from which an upload resumes.
    static func setUploadResource(task: TaskID, _ resource: UploadResource?) -> Mutation {
        .setCheckpoint(task: task, ByteState.encoded(resource))
    }
}

/// A failed attempt as the store keeps it; a client sees the first two members.
struct AttemptFailure: StoredRecord, Hashable {
    /// The failure's class.
    var code: String
    /// A description of the failure, for people.
    var message: String
    /// The number of consecutive times that the server has reported that it is unavailable.
    var unavailableCount = 0
    /// The maximum number of body bytes in this attempt and earlier ones: received here, or held by the server of an
    /// upload.
    var mostByteCount: Int64?

    /// Creates the record of a failure, given the one before it.
    init(_ error: TransferError, after earlier: AttemptFailure?, mostByteCount: Int64? = nil) {
        code = error.code.rawValue
        message = error.message
        self.mostByteCount = mostByteCount ?? earlier?.mostByteCount
        guard error.code == .serverUnavailable else { return }
        // A stored number may have any value.
        unavailableCount = min(max(0, earlier?.unavailableCount ?? 0), .max - 1) + 1
    }
}
