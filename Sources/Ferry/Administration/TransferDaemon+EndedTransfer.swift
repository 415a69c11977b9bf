import FerryWire
public import Foundation

extension TransferDaemon {
    /// A transfer that has ended and whose end its application has acknowledged, as the daemon remembers it.
    public struct EndedTransfer: Identifiable, Hashable, Sendable {
        /// The number that the transfer had.
        public var id: Int
        /// The identifier of the application that created it.
        public var application: String
        /// The identifier of the background session in which it was created.
        public var session: String
        /// The task's number within that session, ``URLSessionTask/taskIdentifier``.
        public var taskIdentifier: Int
        /// The application's description of it, ``URLSessionTask/taskDescription``; nil if that was longer
        /// than 2 KiB.
        public var taskDescription: String?
        /// The requested address, without user, password, query and fragment, which may be secret.
        public var address: String
        /// The status of the last response; nil if there was none.
        public var status: Int?
        /// The number of bytes of the body that were received.
        public var receivedByteCount: Int64
        /// The number of bytes of the whole body; nil if the server had not reported it.
        public var expectedByteCount: Int64?
        /// What it has sent; nil for a download.
        public var upload: Transfer.Upload?
        /// Why it failed, or that it was cancelled; nil if it succeeded.
        public var failure: Transfer.Failure?
        /// When it was created.
        public var created: Date
        /// When it ended.
        public var ended: Date
        /// Where its application has put the file, ``URLSessionDownloadTask/savedLocation``; nil if it has not said so.
        public var path: String?
        /// The digests that its file was found to have; empty if none was asked for.
        public var digests: [TransferOptions.Digest]
        /// Whether its file was deleted, as the user wanted, before its application had taken it.
        public var isDiscarded: Bool

        /// An ended transfer with the given properties.
        package init(
            id: Int,
            application: String,
            session: String,
            taskIdentifier: Int,
            taskDescription: String? = nil,
            address: String,
            status: Int? = nil,
            receivedByteCount: Int64 = 0,
            expectedByteCount: Int64? = nil,
            upload: Transfer.Upload? = nil,
            failure: Transfer.Failure? = nil,
            created: Date,
            ended: Date,
            path: String? = nil,
            digests: [TransferOptions.Digest] = [],
            isDiscarded: Bool = false
        ) {
            self.id = id
            self.application = application
            self.session = session
            self.taskIdentifier = taskIdentifier
            self.taskDescription = taskDescription
            self.address = address
            self.status = status
            self.receivedByteCount = receivedByteCount
            self.expectedByteCount = expectedByteCount
            self.upload = upload
            self.failure = failure
            self.created = created
            self.ended = ended
            self.path = path
            self.digests = digests
            self.isDiscarded = isDiscarded
        }
    }

    /// A filter for transfers that have ended.
    public struct EndedQuery: Hashable, Sendable {
        /// Only those with these numbers; nil for all.
        public var ids: Set<Transfer.ID>?
        /// Only those of the application with this identifier; nil for all.
        public var application: String?
        /// Only those of background sessions with this identifier; nil for all.
        public var session: String?

        /// A query; without arguments, for all transfers that are remembered.
        ///
        /// - Parameters:
        ///   - ids: Only transfers with these numbers.
        ///   - application: Only transfers of this application.
        ///   - session: Only transfers of background sessions with this identifier.
        public init(
            ids: Set<Transfer.ID>? = nil,
            application: String? = nil,
            session: String? = nil
        ) {
            self.ids = ids
            self.application = application
            self.session = session
        }
    }
}

extension TransferDaemon.EndedTransfer {
    init(_ task: Wire.EndedTask) {
        self.init(
            id: Int(task.id),
            application: task.application,
            session: task.session,
            taskIdentifier: task.identifier,
            taskDescription: task.description,
            address: task.url,
            status: task.status,
            receivedByteCount: task.receivedByteCount,
            expectedByteCount: task.expectedByteCount,
            upload: task.upload.map { .init($0) },
            failure: task.failure.map { .init($0) },
            created: task.created,
            ended: task.ended,
            path: task.path,
            digests: [TransferOptions.Digest](task.digests),
            isDiscarded: task.discarded ?? false
        )
    }
}
