package import FoundationEssentials

extension Wire {
    /// Makes an upload of a file, which comes along as a descriptor; once answered, it is durable.
    ///
    /// Repeating the call with the same contents changes nothing, even when the task is gone.
    package struct CreateUpload: TransferMethod {
        /// What ``CreateUpload`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// The task's number, unique for this user's daemon; 0 for one that is gone.
            package var id: Int64

            /// Creates a reply.
            package init(id: Int64) {
                self.id = id
            }
        }

        /// The method's name in the interface.
        package static let name = "CreateUpload"

        /// The open session's number.
        package var session: Int64
        /// The new task's number in its session, chosen by the caller; 1 or more.
        package var identifier: Int
        /// Where to send the file; a body in it is not sent.
        package var request: Request
        /// The file's absolute path, by which the daemon finds it again if it has to.
        package var path: String
        /// What to continue from: that of an upload of the same file.
        package var resumeData: Data?
        /// The application's own words on the task.
        package var description: String?
        /// How important the task is, from 0 to 1.
        package var priority: Double
        /// Whether the task may run at once; otherwise it is suspended.
        package var resumed: Bool?
        /// Until when it does not begin, as ``SetEarliestBegin`` has it.
        package var earliestBegin: EarliestBegin?
        /// How it is carried out, as ``SetOptions`` has it.
        package var options: TransferOptions?

        /// Creates a call.
        package init(
            session: Int64,
            identifier: Int,
            request: Request,
            path: String,
            resumeData: Data? = nil,
            description: String? = nil,
            priority: Double,
            resumed: Bool? = nil,
            earliestBegin: EarliestBegin? = nil,
            options: TransferOptions? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.request = request
            self.path = path
            self.resumeData = resumeData
            self.description = description
            self.priority = priority
            self.resumed = resumed
            self.earliestBegin = earliestBegin
            self.options = options
        }
    }
}
