package import FerryTransfer
package import FoundationEssentials

/// The state of a task's bytes in the store: what is known about them, or why resume data could not be used.
package struct ByteState: StoredRecord, Hashable, Sendable {
    /// The latest checkpoint of the task's file.
    package var checkpoint: Checkpoint?
    /// Whether the application made the task from resume data and has not yet been notified how many bytes were kept.
    package var isFromResumeData = false
    /// The resume data whose file the task has not taken over yet; nothing is loaded before.
    package var resumeData: Data?
    /// Why the resume data that the task was made from cannot be used.
    package var failure: TransferError?
    /// The upload resource on the server, from which the upload can resume.
    package var resource: UploadResource?

    /// Creates a state of what is known.
    package init(
        checkpoint: Checkpoint? = nil,
        isFromResumeData: Bool = false,
        resumeData: Data? = nil,
        failure: TransferError? = nil,
        resource: UploadResource? = nil
    ) {
        self.checkpoint = checkpoint
        self.isFromResumeData = isFromResumeData
        self.resumeData = resumeData
        self.failure = failure
        self.resource = resource
    }
}
