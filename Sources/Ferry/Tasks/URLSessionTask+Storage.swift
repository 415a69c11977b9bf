import FerryTransfer
import Foundation
import FoundationNetworking

extension URLSessionTask {
    /// The mutable state of a task.
    struct Storage: Sendable {
        /// The session, until the task has ended: a task that an app keeps does not keep its session.
        var session: URLSession?
        /// When the task was made.
        var created = Date()
        var lifecycle = Lifecycle()
        var deliveries = Deliveries()
        var counts = ByteCounts()
        /// The progress of a body that is decoded, where its length in the coding is known.
        var coded: CodedProgress?
        var sentCounts = SentByteCounts()
        /// Whether the app still has to be notified how many of an earlier task's bytes can be used.
        var owesResumption = false
        var originalRequest: URLRequest?
        /// The URL from which an earlier task's bytes were first requested, if it differs.
        var madeFor: String?
        var currentRequest: URLRequest?
        var response = LatestResponse()
        var error: (any Error)?
        /// Whether the task's metrics were collected, so that no empty ones are delivered.
        var hasMetrics = false
        var taskDescription: String?
        var priority = URLSessionTask.defaultPriority
        var earliestBeginDate: Date?
        var clientExpectsToSendByteCount = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceiveByteCount = NSURLSessionTransferSizeUnknown
        var delegate: (any URLSessionTaskDelegate)?
        /// The credential with which a password challenge was last answered; it is shown if it was refused.
        var latestCredential: URLCredential?
        /// Made on first use.
        var progress: Progress?
        /// Whether all bytes were sent and received, so that a progress object is finished.
        var isWorkDone = false
        /// The handlers that wait for the resume data of a cancelled download or upload.
        var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
        /// The file that a task with a completion handler has received.
        var file: FinishedFile?
        /// Whether the complete file is not there, and its delivery waits for it.
        var isAwaitingFile = false
        /// Why the app does not get the complete file, until the task ends.
        var fileFailure: URLError?
        /// Where the app has put the file of a download, if it has said so.
        var savedLocation: URL?
        /// The body that a task with a completion handler has received.
        var body: Data?
        var prefersIncrementalDelivery = true
        var transferOptions = TransferOptions()
    }

    /// The progress of a task's body.
    struct ByteCounts: Hashable, Sendable {
        var received: Int64 = 0
        var expected = NSURLSessionTransferSizeUnknown
    }

    /// The progress of sending the request's body.
    struct SentByteCounts: Hashable, Sendable {
        var sent: Int64 = 0
        /// The length of the body; 0 where there is none.
        var expected: Int64 = 0
        /// The file that is sent, until it is open; its length is not known before.
        var unopenedFile: URL?

        /// Creates counts of the bytes sent and expected.
        init(sent: Int64 = 0, expected: Int64 = 0) {
            self.sent = sent
            self.expected = expected
        }

        /// Creates counts for a request's body of which nothing was sent yet.
        init(of body: DataBody, for request: URLRequest) {
            expected = body.byteCount(for: request) ?? NSURLSessionTransferSizeUnknown
            unopenedFile = body.file
        }

        /// The length of the body, for the app; for a file its current length, whose lookup may block.
        var currentlyExpected: Int64 {
            guard let path = unopenedFile?.path,
                let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                let size = attributes[.size] as? NSNumber
            else { return expected }
            return size.int64Value
        }
    }
}
