import FerryHTTP
import Foundation
import FoundationNetworking
import Synchronization

/// What a transfer is recognized by that belongs to a request and the path of its file: its task's description.
///
/// A run is what a launch of the app has begun, and what the launches after it continue as long as one of its transfers is
/// left. A file that was saved in a run is not loaded again in that run, unless the app asks once more.
struct FileTransferDescription: Hashable, Sendable {
    /// The request and the path.
    struct Key: Hashable, Sendable {
        /// A hash of the request: its URL may be secret.
        let request: String
        let path: String

        init(_ request: URLRequest, path: String) {
            let parts = [
                request.httpMethod ?? "GET", request.url?.absoluteString ?? "",
                request.httpBody?.base64EncodedString() ?? "",
            ]
            let text = parts.joined(separator: "\n")
            self.request = (try? MessageDigest.sha256.hexadecimal(of: text)) ?? "none"
            self.path = path
        }

        fileprivate init(request: String, path: String) {
            (self.request, self.path) = (request, path)
        }
    }

    private static let prefix = "ferry-file"

    let key: Key
    /// When the run began, in microseconds since 1970.
    let run: Int64

    init(_ key: Key, run: Int64) {
        (self.key, self.run) = (key, run)
    }

    /// Reads a task's description; nil for that of any other task.
    init?(_ text: String?) {
        guard let text, text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.split(separator: " ", maxSplits: 3).map(String.init)
        guard parts.count == 4, parts[0] == Self.prefix, let run = Int64(parts[1]) else {
            return nil
        }
        self.init(Key(request: parts[2], path: parts[3]), run: run)
    }

    /// The task's description.
    var text: String { "\(Self.prefix) \(run) \(key.request) \(key.path)" }
}

extension URLSessionTask {
    /// What the task was made for, if its session's `file(from:to:)` has made it.
    var fileTransfer: FileTransferDescription? {
        guard core.unread != nil, self is URLSessionDownloadTask else { return nil }
        return FileTransferDescription(taskDescription)
    }
}
