import FerryStore
import FerryTransfer
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
    static func setUploadResource(task: Int64, _ resource: UploadResource?) -> Mutation {
        .setCheckpoint(task: task, ByteState.encoded(resource))
    }
}
