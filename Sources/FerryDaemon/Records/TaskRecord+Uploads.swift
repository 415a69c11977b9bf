import FerryStore
import FerryTransfer
import FerryWire

extension TaskRecord {
    /// The upload resource on the server, from which the task's upload can resume.
    var uploadResource: UploadResource? {
        get { checkpoint?.value?.resource }
        set { checkpoint = newValue.map { Encoded(ByteState(resource: $0)) } }
    }
}

extension Mutation {
    /// Replaces the resource from which an upload resumes.
    static func setUploadResource(task: TaskID, _ resource: UploadResource?) -> Mutation {
        .setCheckpoint(task: task, resource.map { Encoded(ByteState(resource: $0)) })
    }
}
