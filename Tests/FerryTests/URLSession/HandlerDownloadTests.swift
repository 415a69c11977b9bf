import Ferry
import FerryTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Downloads with a completion handler, and async", .timeLimit(.minutes(1)))
struct HandlerDownloadTests {
    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        server.on("/song", .content(.text("la")))
    }

    @Test func `DL-2: a completion handler takes the place of the delegate`() async throws {
        let url = try server.address("/song")
        let queue = session.delegateQueue
        let (location, text) = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<(URL, String), any Error>) in
            session.downloadTask(with: url) { location, response, error in
                #expect(OperationQueue.current === queue)
                #expect((response as? HTTPURLResponse)?.statusCode == 200)
                continuation.resume(
                    with: Result {
                        if let error { throw error }
                        let location = try #require(location)
                        return (location, try String(contentsOf: location, encoding: .utf8))
                    }
                )
            }.resume()
        }
        #expect(text == "la")
        session.finishTasksAndInvalidate()
        await recorder.wait { $0.contains(.invalid) }
        #expect(recorder.story == ["created", "invalid"])
        #expect(!FileManager.default.fileExists(atPath: location.path))
    }

    @Test func `a completion handler gets the error`() async throws {
        server.on("/gone", .content(.text("la")).dropping(after: 1))
        let url = try server.address("/gone")
        let error = await withCheckedContinuation { continuation in
            session.downloadTask(with: url) { location, _, error in
                #expect(location == nil)
                continuation.resume(returning: error as? URLError)
            }.resume()
        }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test func `DL-30: the file of an async download stays`() async throws {
        let (location, response) = try await session.download(from: try server.address("/song"))
        #expect(try String(contentsOf: location, encoding: .utf8) == "la")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        try FileManager.default.removeItem(at: location)
    }

    @Test func `the shared session downloads, too`() async throws {
        let request = URLRequest(url: try server.address("/song"))
        let (location, _) = try await URLSession.shared.download(for: request)
        try FileManager.default.removeItem(at: location)
    }

    @Test func `DL-29: cancelling the surrounding task cancels the download`() async throws {
        let gate = FixtureGate()
        server.on("/slow", .content(.text("la")).stalling(after: 1, at: gate))
        let url = try server.address("/slow")
        let download = Task { [session] in try await session.download(from: url) }
        try await server.waitForStall(at: "/slow")
        download.cancel()
        let error = await #expect(throws: URLError.self) { _ = try await download.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `DL-29: a task that is cancelled already downloads nothing`() async throws {
        let url = try server.address("/song")
        let download = Task { [session] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.download(from: url)
        }
        let error = await #expect(throws: URLError.self) { _ = try await download.value }
        #expect(error?.code == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test func `DL-29: a delegate of the task alone learns which task it is`() async throws {
        let own = SessionRecorder()
        let (location, _) = try await session.download(
            from: try server.address("/song"),
            delegate: own
        )
        try FileManager.default.removeItem(at: location)
        #expect(own.calls == [.created(1)])
        #expect(recorder.calls.isEmpty)
    }

    @Test func `DL-23: what a task's delegate does not implement goes to the session's`()
        async throws
    {
        let own = CompletionOnly()
        let task = session.downloadTask(with: try server.address("/song"))
        task.delegate = own
        task.resume()
        await own.completed.wait()
        #expect(task.delegate == nil || task.state == .completed)
        session.finishTasksAndInvalidate()
        await recorder.wait { $0.contains(.invalid) }
        #expect(recorder.story == ["created", "wrote", "finished", "invalid"])
        #expect(task.delegate == nil)
    }

    @Test func `DL-23: a task's delegate cannot change after resume`() async {
        await #expect(processExitsWith: .failure) {
            let url = try #require(URL(string: "http://localhost/"))
            let task = URLSession(configuration: .default).downloadTask(with: url)
            task.resume()
            task.delegate = nil
        }
    }
}

/// Implements one method only.
private final class CompletionOnly: NSObject, URLSessionTaskDelegate {
    let completed = Signal()

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        completed.give()
    }
}
