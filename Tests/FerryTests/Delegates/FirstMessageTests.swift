import Ferry
import FerryTestSupport
import Foundation
import Synchronization
import Testing

/// The first message of a task.
@Suite(.timeLimit(.minutes(1))) struct FirstMessageTests {
    /// A delegate that cancels each task in its first message, and stays in it for a while.
    private final class HastyDelegate: NSObject, URLSessionWebSocketDelegate, URLSessionDataDelegate
    {
        let calls = Mutex<[String]>([])
        let ended = DispatchSemaphore(value: 0)

        func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
            task.cancel()
            // A message of the task would be on the queue by the time that the later ones of these are.
            for _ in 0..<3 {
                let listed = DispatchSemaphore(value: 0)
                session.getAllTasks { _ in listed.signal() }
                listed.wait()
            }
            calls.withLock { $0.append("created") }
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didCompleteWithError error: (any Error)?
        ) {
            calls.withLock { $0.append("completed \((error as? URLError)?.code.rawValue ?? 0)") }
            ended.signal()
        }
    }

    /// The ways to make a task.
    enum Kind: CaseIterable {
        case data, download, upload, webSocket, local, localDownload
    }

    @Test(arguments: Kind.allCases) func `nothing of a task comes before its first message`(
        kind: Kind
    ) async throws {
        let server = try FixtureServer()
        let url = try #require(URL(string: server.url("/a")))
        let socketURL = try #require(URL(string: server.url("/a").replacing("http", with: "ws")))
        let localURL = try #require(URL(string: "data:,a"))
        let delegate = HastyDelegate()
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        // Not on a thread of Swift's, as the delegate waits.
        let thread = Thread {
            switch kind {
            case .data: _ = session.dataTask(with: url)
            case .download: _ = session.downloadTask(with: url)
            case .upload: _ = session.uploadTask(with: URLRequest(url: url), from: Data("a".utf8))
            case .webSocket: _ = session.webSocketTask(with: socketURL)
            case .local: _ = session.dataTask(with: localURL)
            case .localDownload: _ = session.downloadTask(with: localURL)
            }
        }
        thread.start()
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                delegate.ended.wait()
                done.resume()
            }
        }
        #expect(delegate.calls.withLock { $0 } == ["created", "completed -999"])
        session.invalidateAndCancel()
    }
}
