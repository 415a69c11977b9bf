import Foundation
import FoundationNetworking

extension URLSessionTask {
    /// All that changes about a task.
    struct Storage: Sendable {
        /// The session, until the task has ended: a task that an app keeps does not keep its session.
        var session: URLSession?
        /// When the task was made.
        var created = Date()
        var lifecycle = Lifecycle()
        var deliveries = Deliveries()
        var counts = ByteCounts()
        var sentCounts = SentByteCounts()
        /// Whether the app still has to hear how many of an earlier task's bytes are of use.
        var owesResumption = false
        var originalRequest: URLRequest?
        /// The URL that the bytes of an earlier task were first asked for, where that is another one.
        var madeFor: String?
        var currentRequest: URLRequest?
        var response = LatestResponse()
        var error: (any Error)?
        /// Whether a delegate is told what the task has cost, by what is known of that.
        var hasMetrics = false
        var taskDescription: String?
        var priority = URLSessionTask.defaultPriority
        var earliestBeginDate: Date?
        var clientExpectsToSendByteCount = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceiveByteCount = NSURLSessionTransferSizeUnknown
        var delegate: (any URLSessionTaskDelegate)?
        /// What a password challenge was last answered with: it is shown where that was refused.
        var latestCredential: URLCredential?
        /// Made when it is asked for first.
        var progress: Progress?
        /// Who waits for the resume data of a cancelled download or upload.
        var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
        /// The file that a task with a completion handler has received.
        var location: URL?
        /// The body that a task with a completion handler has received.
        var body: Data?
        var prefersIncrementalDelivery = true
        var transferOptions = TransferOptions()
    }

    /// How far a task's body has come.
    struct ByteCounts: Hashable, Sendable {
        var received: Int64 = 0
        var expected = NSURLSessionTransferSizeUnknown
    }

    /// How much of the request's body was sent.
    struct SentByteCounts: Hashable, Sendable {
        var sent: Int64 = 0
        /// The length of the body; 0 where there is none.
        var expected: Int64 = 0
        /// The file that is sent, until it is open; its length is not known before.
        var unopenedFile: URL?

        /// So much was sent, of as much.
        init(sent: Int64 = 0, expected: Int64 = 0) {
            self.sent = sent
            self.expected = expected
        }

        /// Nothing was sent yet of a request's body.
        init(of body: DataBody, for request: URLRequest) {
            expected = body.byteCount(for: request) ?? NSURLSessionTransferSizeUnknown
            unopenedFile = body.file
        }

        /// The length of the body, for the app; for a file as long as it is now, which may take its time.
        var currentlyExpected: Int64 {
            guard let path = unopenedFile?.path,
                let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                let size = attributes[.size] as? NSNumber
            else { return expected }
            return size.int64Value
        }
    }
}
