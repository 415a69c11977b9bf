import Ferry
import FerryTestSupport
import Foundation
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
