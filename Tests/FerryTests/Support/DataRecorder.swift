import Ferry
import FerryTestSupport
import Foundation
import Synchronization
import Testing

/// A session's delegate for tasks of all kinds, which tells its calls as a story and answers as it is told.
final class DataRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    /// What it answers.
    struct Answers: Sendable {
        var disposition = URLSession.ResponseDisposition.allow
        /// Whether a response is answered at all.
        var answersResponses = true
        var redirect: @Sendable (URLRequest) -> URLRequest? = { $0 }
        var answersRedirects = true
        var challenge:
            @Sendable (URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) = { _ in (.performDefaultHandling, nil) }
        var sessionChallenge:
            @Sendable (URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) = { _ in (.performDefaultHandling, nil) }
        var stream: @Sendable () -> Data? = { nil }
        /// The rest of a stream.
        var streamFrom: @Sendable (Int64) -> Data? = { _ in nil }
        var cached: @Sendable (CachedURLResponse) -> CachedURLResponse? = { $0 }
        /// Called when some of the request's body has left, on the delegate queue.
        var didSend: @Sendable (URLSessionTask) -> Void = { _ in }
        /// Called when data has come, on the delegate queue.
        var gotData: @Sendable () -> Void = {}
    }

    private struct State: Sendable {
        var story: [String] = []
        var data = Data()
        var file: Data?
        var error: URLError?
        var sent: [Int64] = []
        var challenges: [URLAuthenticationChallenge] = []
        var metrics: URLSessionTaskMetrics?
        var queues: Set<String> = []
    }

    private let state = Awaited(State())
    private let answers: Mutex<Answers>

    init(_ answers: Answers = Answers()) {
        self.answers = Mutex(answers)
    }

    /// A session of whose calls this takes note, by default one that caches nothing.
    func makeSession(
        _ change: (URLSessionConfiguration) -> Void = { $0.urlCache = nil }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    var story: [String] { state.value.story }
    var data: Data { state.value.data }
    var text: String { String(decoding: data, as: UTF8.self) }
    var file: Data? { state.value.file }
    var error: URLError? { state.value.error }
    var challenges: [URLAuthenticationChallenge] { state.value.challenges }
    var sent: [Int64] { state.value.sent }
    /// Those that were told last.
    var metrics: URLSessionTaskMetrics? { state.value.metrics }
    /// The names of the queues that calls came on.
    var queues: Set<String> { state.value.queues }

    /// Returns when so many tasks have completed.
    func waitForEnd(
        _ count: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await state.wait(
            until: { $0.story.count { $0.hasPrefix("completed") } >= count },
            sourceLocation: sourceLocation
        )
    }

    /// Returns when something was told.
    func wait(for line: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        await state.wait(until: { $0.story.contains(line) }, sourceLocation: sourceLocation)
    }

    private func record(_ line: String, _ change: @Sendable (inout State) -> Void = { _ in }) {
        let queue = OperationQueue.current?.name ?? "none"
        state.change { state in
            state.queues.insert(queue)
            // Any number of calls in a row tells no more than one.
            if !["data", "sent", "wrote"].contains(line) || state.story.last != line {
                state.story.append(line)
            }
            change(&state)
        }
    }

    private var given: Answers { answers.withLock { $0 } }

    func change(_ body: (inout sending Answers) -> Void) {
        answers.withLock { body(&$0) }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        record("invalid")
    }

    // MARK: - Tasks

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let line =
            "redirect \(response.statusCode) \(request.httpMethod ?? "") \(request.url?.path ?? "")"
        record(line)
        if given.answersRedirects { completionHandler(given.redirect(request)) }
    }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        record("session challenge") { $0.challenges.append(challenge) }
        let answer = given.sessionChallenge(challenge)
        completionHandler(answer.0, answer.1)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        record("challenge \(challenge.previousFailureCount)") { $0.challenges.append(challenge) }
        let answer = given.challenge(challenge)
        completionHandler(answer.0, answer.1)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        record("stream")
        completionHandler(given.stream().map { InputStream(data: $0) })
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        record("stream from \(offset)")
        completionHandler(given.streamFrom(offset).map { InputStream(data: $0) })
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        given.didSend(task)
        record("sent") { $0.sent = [bytesSent, totalBytesSent, totalBytesExpectedToSend] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        record("informational \(response.statusCode)")
    }

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        record("waiting")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        record("metrics \(metrics.transactionMetrics.count)") { $0.metrics = metrics }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let error = error as? URLError
        record(error.map { "completed \($0.code.rawValue)" } ?? "completed") { $0.error = error }
    }

    // MARK: - Data

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        record("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        if given.answersResponses { completionHandler(given.disposition) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        record("became download")
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        record("data") { $0.data.append(data) }
        given.gotData()
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        record("will cache")
        completionHandler(given.cached(proposedResponse))
    }

    // MARK: - Downloads

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        record("wrote")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let contents = try? Data(contentsOf: location)
        record("finished") { $0.file = contents }
    }
}
