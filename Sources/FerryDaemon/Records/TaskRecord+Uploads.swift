import FerryStore
import FerryTransfer
import FerryWire

extension TaskRecord {
    /// The upload resource on the server, from which the task's upload can resume.
    var uploadResource: UploadResource? {
        get { checkpoint?.value?.resource }
        set { checkpoint = stored(newValue) }
    }
}

extension Mutation {
    /// Replaces the resource from which an upload resumes.
    static func setUploadResource(task: TaskID, _ resource: UploadResource?) -> Mutation {
        .setCheckpoint(task: task, stored(resource))
    }
}

/// Returns the state of an upload's bytes, for the store.
private func stored(_ resource: UploadResource?) -> Encoded<ByteState>? {
    resource.map { Encoded(ByteState(resource: $0)) }
}
