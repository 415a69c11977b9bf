import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

@Suite("Questions to background sessions", .timeLimit(.minutes(1)))
struct BackgroundQuestionTests {
    private let daemon: ScriptedDaemon
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        url = try #require(URL(string: "https://example.com/song"))
    }

    private static func challenge(_ question: Int, failureCount: Int = 0) -> Wire.Event {
        Wire.Event(
            kind: .challenged,
            task: 1,
            question: question,
            challenge: Wire.Challenge(
                origin: "https://example.com:443",
                previousFailureCount: failureCount,
                response: Wire.Response(
                    status: 401,
                    version: "HTTP/1.1",
                    fields: [],
                    url: "https://example.com/song"
                ),
                password: Wire.PasswordChallenge(
                    scheme: "basic",
                    parameters: ["realm": "music"],
                    isProxy: false
                )
            )
        )
    }

    private func ask(_ event: Wire.Event) async {
        await LoopActor.run { daemon.emit(event, in: "tracks") }
    }

    private func run(_ app: BackgroundApp, delegate: (any URLSessionDelegate)? = nil) async {
        app.session(delegate: delegate).downloadTask(with: url).resume()
        await daemon.calls.wait(for: "Resume 1")
    }

    @Test func `BG-36: the delegate is asked, once for each question`() async throws {
        let delegate = AnsweringDelegate()
        await run(BackgroundApp(daemon), delegate: delegate)
        #expect(await daemon.sessions["tracks"]?.configuration.answersPasswords == true)
        await ask(Self.challenge(7))
        await daemon.calls.wait(for: "AnswerChallenge 1 7")
        // A daemon tells it again over a new subscription.
        await ask(Self.challenge(7))
        await ask(Self.challenge(8, failureCount: 1))
        await daemon.calls.wait(for: "AnswerChallenge 1 8")
        let answers = await daemon.answers
        #expect(answers.map(\.question) == [7, 8])
        #expect(answers.map(\.disposition) == [.use, .cancel])
        #expect(answers.first?.user == "jo")
        #expect(answers.first?.password == "secret")
        #expect(answers.first?.isKept == true)
        #expect(answers.allSatisfy { $0.answersNoOthers == nil })
    }

    @Test func `DL-11: a session's credentials answer without its delegate`() async throws {
        let space = URLProtectionSpace(
            host: "example.com",
            port: 443,
            protocol: "https",
            realm: "music",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        let credential = URLCredential(user: "jo", password: "stored", persistence: .permanent)
        let storage = try #require(URLSessionConfiguration.ephemeral.urlCredentialStorage)
        storage.setDefaultCredential(credential, for: space)
        let app = BackgroundApp(daemon)
        let session = app.session { $0.urlCredentialStorage = storage }
        session.downloadTask(with: url).resume()
        await daemon.calls.wait(for: "Resume 1")
        #expect(await daemon.sessions["tracks"]?.configuration.answersPasswords == true)
        await ask(Self.challenge(7))
        await daemon.calls.wait(for: "AnswerChallenge 1 7")
        #expect(await daemon.answers.first?.password == "stored")
    }

    @Test func `a delegate that implements no challenge method says so once for all`() async throws
    {
        let app = BackgroundApp(daemon)
        await run(app, delegate: SilentDelegate())
        await ask(Self.challenge(7))
        await daemon.calls.wait(for: "AnswerChallenge 1 7")
        #expect(await daemon.answers.first?.disposition == .goOn)
        #expect(await daemon.answers.first?.answersNoOthers == true)
        try await app.die(with: daemon)
        let next = BackgroundApp(daemon)
        _ = next.session(delegate: SilentDelegate())
        await daemon.calls.wait(for: "ReceiveEvents", count: 2)
        #expect(await daemon.sessions["tracks"]?.configuration.answersPasswords == false)
    }

    @Test func `without a delegate nobody is asked`() async throws {
        await run(BackgroundApp(daemon))
        #expect(await daemon.sessions["tracks"]?.configuration.answersPasswords == false)
    }

    @Test func `a delegate of which nothing is known is asked about certificates, too`() async {
        let app = BackgroundApp(daemon)
        await run(app, delegate: AnsweringDelegate())
        #expect(await daemon.sessions["tracks"]?.configuration.answersCertificates == true)
    }

    @Test func `a challenge that a newer daemon tells is left to it`() async throws {
        await run(BackgroundApp(daemon), delegate: AnsweringDelegate())
        let unknown = Wire.Challenge(origin: "https://example.com:443", previousFailureCount: 0)
        await ask(Wire.Event(kind: .challenged, task: 1, question: 7, challenge: unknown))
        await daemon.calls.wait(for: "AnswerChallenge 1 7")
        #expect(await daemon.answers.first?.disposition == .goOn)
    }

    @Test func `BG-20: a task is created with its date, which a later launch finds`() async throws {
        let date = Date(timeIntervalSince1970: 2_000_000_000)
        let app = BackgroundApp(daemon)
        let task = app.session().downloadTask(with: url)
        #expect(task.earliestBeginDate == nil)
        task.earliestBeginDate = date
        task.resume()
        await daemon.calls.wait(for: "Resume 1")
        #expect(await daemon.sessions["tracks"]?.tasks[1]?.earliestBegin == date)
        try await app.die(with: daemon)
        let tasks = await BackgroundApp(daemon).session().allTasks
        #expect(tasks.map(\.earliestBeginDate) == [date])
    }

    @Test(arguments: [
        (URLSession.DelayedRequestDisposition.continueLoading, "Begin 1 7 -"),
        (.useNewRequest, "Begin 1 7 https://example.com/new"),
        (.cancel, "Cancel 1"),
    ])
    func `BG-21: what the delegate decides about a task that is to begin is done`(
        disposition: URLSession.DelayedRequestDisposition,
        call: String
    ) async throws {
        let new = try #require(URL(string: "https://example.com/new"))
        let delegate = DelayDelegate(disposition, URLRequest(url: new))
        await run(BackgroundApp(daemon), delegate: delegate)
        await ask(Wire.Event(kind: .delayed, task: 1, question: 7))
        await daemon.calls.wait(for: call)
        #expect(delegate.urls == [url])
    }

    @Test func `BG-33, BG-36: that events are finished is told when the questions are answered`()
        async throws
    {
        let first = BackgroundApp(daemon)
        let session = first.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        try await first.die(with: daemon)
        await LoopActor.run {
            let question = Wire.Event(kind: .delayed, task: 1, question: 7)
            daemon.sessions["tracks"]?.events.append(question)
        }
        let delegate = PatientDelegate()
        let next = BackgroundApp(daemon, launchReason: .backgroundURLSession(identifier: "tracks"))
        let again = next.session(delegate: delegate)
        await delegate.asked.wait()
        // Whatever is told without the answer is on the delegate's queue by now.
        _ = await again.allTasks
        await withCheckedContinuation { continuation in
            again.delegateQueue.addOperation { continuation.resume() }
        }
        #expect(!delegate.hasFinished.value)
        delegate.answer.give()
        await daemon.calls.wait(for: "Begin 1 7 -")
        await delegate.hasFinished.wait(until: { $0 })
    }

    private static let questions = [
        Wire.Event(kind: .delayed, task: 1, question: 7), challenge(7),
        Wire.Event(
            kind: .expired,
            task: 1,
            response: Encoded(
                Wire.Response(
                    status: 403,
                    version: "HTTP/1.1",
                    fields: [],
                    url: "https://example.com/song"
                )
            ),
            question: 7
        ),
    ]

    @Test(arguments: questions)
    func `BG-33: that events are finished is told when the task of an open question has ended`(
        question: Wire.Event
    ) async throws {
        let first = BackgroundApp(daemon)
        let session = first.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        try await first.die(with: daemon)
        await LoopActor.run { daemon.sessions["tracks"]?.events.append(question) }
        let delegate = MuteDelegate()
        let next = BackgroundApp(daemon, launchReason: .backgroundURLSession(identifier: "tracks"))
        _ = next.session(delegate: delegate)
        await delegate.asked.wait()
        #expect(!delegate.hasFinished.hasHappened)
        await ask(
            Wire.Event(
                kind: .completed,
                task: 1,
                failure: Wire.Failure(code: "cancelled", message: "")
            )
        )
        await delegate.hasFinished.wait()
    }

    @Test func `a certificate of no persistence is good for its task alone`() async throws {
        await run(BackgroundApp(daemon), delegate: CertificateDelegate())
        let challenge = Wire.Challenge(
            origin: "https://example.com:443",
            previousFailureCount: 0,
            certificate: Wire.CertificateRequest(host: "example.com", issuers: [])
        )
        await ask(Wire.Event(kind: .challenged, task: 1, question: 7, challenge: challenge))
        await daemon.calls.wait(for: "AnswerChallenge 1 7")
        let answer = try #require(await daemon.answers.first)
        #expect(answer.identity != nil)
        #expect(answer.isKept == false)
    }

    @Test func `BG-21: a new request that the daemon refuses ends the task`() async throws {
        let delegate = DelayDelegate(.useNewRequest, URLRequest(url: url))
        await run(BackgroundApp(daemon), delegate: delegate)
        await LoopActor.run {
            daemon.behaviours["Begin"] = [
                .refuse(.invalidRequest(parameter: "request", reason: "too long"))
            ]
        }
        await ask(Wire.Event(kind: .delayed, task: 1, question: 7))
        await daemon.calls.wait(for: "Cancel 1")
    }

    @Test func `BG-21: a new request that cannot be sent ends the task`() async throws {
        let file = URL(fileURLWithPath: "/etc/hostname")
        let delegate = DelayDelegate(.useNewRequest, URLRequest(url: file))
        await run(BackgroundApp(daemon), delegate: delegate)
        await ask(Wire.Event(kind: .delayed, task: 1, question: 7))
        await daemon.calls.wait(for: "Cancel 1")
    }
}

/// Answers the first question with a password, and cancels the next one.
private final class AnsweringDelegate: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.previousFailureCount == 0 else {
            return (.cancelAuthenticationChallenge, nil)
        }
        return (
            .useCredential,
            URLCredential(user: "jo", password: "secret", persistence: .forSession)
        )
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}

/// Leaves all questions to their defaults.
private final class SilentDelegate: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}

/// Decides about tasks that are to begin.
private final class DelayDelegate: NSObject, URLSessionDownloadDelegate {
    private let disposition: URLSession.DelayedRequestDisposition
    private let request: URLRequest
    private let asked = Awaited<[URL?]>([])

    init(_ disposition: URLSession.DelayedRequestDisposition, _ request: URLRequest) {
        self.disposition = disposition
        self.request = request
    }

    var urls: [URL?] { asked.value }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        asked.change { $0.append(request.url) }
        completionHandler(disposition, disposition == .useNewRequest ? self.request : nil)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}

/// Lets its task begin when the test says so.
private final class PatientDelegate: NSObject, URLSessionDownloadDelegate {
    let asked = Signal()
    let answer = Signal()
    let hasFinished = Awaited(false)

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        asked.give()
        await answer.wait()
        return (.continueLoading, nil)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        hasFinished.change { $0 = true }
    }
}

/// Leaves all questions without an answer.
private final class MuteDelegate: NSObject, URLSessionDownloadDelegate {
    let asked = Signal()
    let hasFinished = Signal()

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        asked.give()
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needsNewRequestAfter response: HTTPURLResponse,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        asked.give()
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
        asked.give()
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        hasFinished.give()
    }
}

/// Proves who it is by a certificate that is not to be kept.
private final class CertificateDelegate: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let identity = SecIdentity(pkcs12: Data([1, 2, 3]), passphrase: "x")
        let credential = URLCredential(
            identity: identity,
            certificates: nil,
            persistence: .none
        )
        return (.useCredential, credential)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}
