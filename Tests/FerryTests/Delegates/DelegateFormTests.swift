import Ferry
import FerryTestSupport
import Foundation
import PortedDelegates
import Synchronization
import Testing

@Suite("Delegate methods in two forms", .timeLimit(.minutes(1)))
struct DelegateFormTests {
    private let server: FixtureServer

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        server.on("/moved", .redirect(to: "/song"))
    }

    private func session(_ delegate: any URLSessionDelegate) -> URLSession {
        URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    }

    @Test func `the async forms are called`() async throws {
        let delegate = AsyncDelegate()
        let session = session(delegate)
        // Twice: the second time it is known which forms there are.
        for count in 1...2 {
            session.dataTask(with: try server.address("/moved")).resume()
            await delegate.ends.wait(until: { $0 == count })
        }
        #expect(
            delegate.calls.withLock { $0 }
                == ["redirect", "response", "cache", "redirect", "response", "cache"]
        )
    }

    @Test func `a delegate without either form gets Apple's defaults`() async throws {
        let delegate = BareDelegate()
        let session = session(delegate)
        for count in 1...2 {
            session.dataTask(with: try server.address("/moved")).resume()
            await delegate.ends.wait(until: { $0 == count })
        }
        #expect(delegate.data.withLock { $0 } == Data("lala".utf8))
    }

    /// A task that makes its delegates hear of something.
    enum Errand: CaseIterable {
        case redirectedData
        case password
        case redirectedStream
        case download
        case informational
        case becomesDownload
        case closedPort
    }

    private func run(
        _ errand: Errand,
        own: (any URLSessionTaskDelegate)?
    ) async throws -> [String] {
        server.on("/locked", .status(401, fields: [("WWW-Authenticate", "Basic realm=\"a\"")]))
        server.on("/again", .redirect(to: "/song", status: 307))
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nla"
        server.on("/hints", .script([.send(Array((hints + head).utf8))]))
        let recorder = DataRecorder()
        recorder.change { answers in
            answers.stream = { Data("stream".utf8) }
            answers.disposition = errand == .becomesDownload ? .becomeDownload : .allow
        }
        let session = recorder.makeSession { _ in }
        let closed = try FixtureClosedPort()
        var put = URLRequest(url: try server.address("/again"))
        put.httpMethod = "PUT"
        let task: URLSessionTask =
            switch errand {
            case .redirectedData: session.dataTask(with: try server.address("/moved"))
            case .password: session.dataTask(with: try server.address("/locked"))
            case .redirectedStream: session.uploadTask(withStreamedRequest: put)
            case .download: session.downloadTask(with: try server.address("/moved"))
            case .informational: session.dataTask(with: try server.address("/hints"))
            case .becomesDownload: session.dataTask(with: try server.address("/song"))
            case .closedPort: session.dataTask(with: try #require(URL(string: closed.url("/"))))
            }
        task.delegate = own
        task.resume()
        await recorder.waitForEnd()
        session.invalidateAndCancel()
        await recorder.wait(for: "invalid")
        #expect(!recorder.queues.contains("none"))
        return recorder.story
    }

    @Test(arguments: Errand.allCases)
    func `DL-23, API-2: the session's delegate hears what the task's own leaves out`(
        errand: Errand
    ) async throws {
        let story = try await run(errand, own: nil)
        // The second time it is known what the task's delegate implements.
        for _ in 1...2 {
            let told = try await run(errand, own: BareTaskDelegate())
            #expect(told == story)
        }
        for _ in 1...2 {
            let told = try await run(errand, own: BareDataDelegate())
            #expect(told == story)
        }
    }

    @Test func `API-2: a session's delegate that forwards to the task's own is called once`()
        async throws
    {
        let own = EndingDelegate()
        let forwarding = ForwardingDelegate(to: own)
        let session = session(forwarding)
        for count in 1...2 {
            let task = session.dataTask(with: try server.address("/moved"))
            task.delegate = own
            task.resume()
            await own.ends.wait(until: { $0 == count })
            #expect(forwarding.calls.count { $0 == "redirection" } == count)
            #expect(forwarding.calls.count { $0 == "didFinishCollecting" } == count)
        }
    }

    @Test func `DL-23: what a task's delegate leaves out goes to the session's`() async throws {
        let recorder = DataRecorder()
        let session = recorder.makeSession()
        let own = RedirectingDelegate()
        let task = session.dataTask(with: try server.address("/moved"))
        task.delegate = own
        task.resume()
        await recorder.waitForEnd()
        #expect(own.count.withLock { $0 } == 1)
        #expect(recorder.story == ["response 200", "data", "metrics 2", "completed"])
        session.finishTasksAndInvalidate()
        await recorder.wait(for: "invalid")
        #expect(task.delegate == nil)
    }
}

private final class AsyncDelegate: NSObject, URLSessionDataDelegate {
    let calls = Mutex<[String]>([])
    let ends = Awaited(0)

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? {
        calls.withLock { $0.append("redirect") }
        return request
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        calls.withLock { $0.append("response") }
        return .allow
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
        calls.withLock { $0.append("cache") }
        return nil
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        ends.change { $0 += 1 }
    }
}

private final class BareDelegate: NSObject, URLSessionDataDelegate {
    let data = Mutex(Data())
    let ends = Awaited(0)

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.data.withLock { $0.append(data) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        ends.change { $0 += 1 }
    }
}

private final class BareTaskDelegate: NSObject, URLSessionTaskDelegate {}

private final class BareDataDelegate: NSObject, URLSessionDataDelegate {}

private final class EndingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    URLSessionWebSocketDelegate
{
    let ends = Awaited(0)

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        ends.change { $0 += 1 }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}

private final class RedirectingDelegate: NSObject, URLSessionTaskDelegate {
    let count = Mutex(0)

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        count.withLock { $0 += 1 }
        completionHandler(request)
    }
}
