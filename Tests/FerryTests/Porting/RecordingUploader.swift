import Ferry
import Foundation

/// Uploads recordings as a stream, which it opens again whenever the system asks for it.
///
/// Written for Apple's URLSession; only an import is another.
final class RecordingUploader: NSObject, @unchecked Sendable {
    private let user: String
    private let password: String
    // Guards what follows: callers and the session's queue both use it.
    private let lock = NSLock()
    private var recordings: [Int: URL] = [:]
    private var answers: [Int: Data] = [:]
    private var completionHandlers: [Int: @Sendable (Result<Data, any Error>) -> Void] = [:]
    private var openings = 0

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// How often a recording was opened.
    var openingCount: Int { lock.withLock { openings } }

    /// A session whose delegate this is.
    func makeSession() -> URLSession {
        URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    }

    /// Uploads a recording.
    func upload(
        _ file: URL,
        to url: URL,
        method: String,
        in session: URLSession,
        completionHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("audio/ogg", forHTTPHeaderField: "Content-Type")
        let task = session.uploadTask(withStreamedRequest: request)
        lock.withLock {
            recordings[task.taskIdentifier] = file
            completionHandlers[task.taskIdentifier] = completionHandler
        }
        task.resume()
    }
}

extension RecordingUploader: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        let file = lock.withLock {
            openings += 1
            return recordings[task.taskIdentifier]
        }
        completionHandler(file.flatMap { InputStream(url: $0) })
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.previousFailureCount == 0 else {
            return (.cancelAuthenticationChallenge, nil)
        }
        let credential = URLCredential(user: user, password: password, persistence: .none)
        return (.useCredential, credential)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { answers[dataTask.taskIdentifier, default: Data()].append(data) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let (answer, completionHandler) = lock.withLock {
            (
                answers.removeValue(forKey: task.taskIdentifier) ?? Data(),
                completionHandlers.removeValue(forKey: task.taskIdentifier)
            )
        }
        completionHandler?(error.map { .failure($0) } ?? .success(answer))
    }
}
