import FerryStore
import FerryTransfer
import FoundationEssentials

/// What the store keeps about a task's bytes: what is known of them, or why resume data was no use.
struct ByteState: StoredRecord, Hashable {
    /// The latest checkpoint of the task's file.
    var checkpoint: Checkpoint?
    /// Whether the application made the task from resume data and has not been told since how
    /// many bytes could be kept.
    var isFromResumeData = false
    /// Resume data whose file is not the task's own yet: until it is, nothing is loaded.
    var resumeData: Data?
    /// Why the resume data that the task was made from cannot be used.
    var failure: TransferError?
    /// What a server has made for an upload, by which it can go on.
    var resource: UploadResource?

    /// For the store, of an upload.
    fileprivate static func encoded(_ resource: UploadResource?) -> [UInt8]? {
        resource.map { ByteState(resource: $0).encoded }
    }
}

extension TaskRecord {
    /// What a server has made for what the task sends, by which that can go on.
    var uploadResource: UploadResource? {
        get { ByteState.decode(checkpoint)?.resource }
        set { checkpoint = ByteState.encoded(newValue) }
    }
}

extension Mutation {
    /// Replaces where an upload goes on.
    static func setUploadResource(task: Int64, _ resource: UploadResource?) -> Mutation {
        .setCheckpoint(task: task, ByteState.encoded(resource))
    }
}
