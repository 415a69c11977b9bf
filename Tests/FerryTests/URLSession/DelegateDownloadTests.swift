import Ferry
import FerryTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Downloads with a delegate", .timeLimit(.minutes(1)))
struct DelegateDownloadTests {
    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
    }

    private func url(_ path: String) throws -> URL {
        try #require(URL(string: server.url(path)))
    }

    @Test func `OR-9: a download tells of its progress, its file and its end`() async throws {
        let file = FixtureFile(.seeded(1, byteCount: 3 << 20))
        let gate = FixtureGate()
        server.on("/song", .file(file).waiting(at: gate))
        let task = session.downloadTask(with: try url("/song"))
        #expect(task.state == .suspended)
        #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
        task.resume()
        #expect(task.state == .running)
        gate.open()
        await recorder.waitForCompletions()

        #expect(recorder.story == ["created", "wrote", "finished", "completed"])
        let calls = recorder.calls
        #expect(calls[calls.count - 2] == .finished(1, contents: Data(file.content.bytes)))
        #expect(calls.last == .completed(1, nil))
        #expect(task.state == .completed)
        #expect(task.error == nil)
        #expect(task.countOfBytesReceived == 3 << 20)
        #expect(task.countOfBytesExpectedToReceive == 3 << 20)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(task.currentRequest == task.originalRequest)
    }

    @Test func `OR-9: progress adds up, and the last of it tells the whole`() async throws {
        server.on("/song", .file(FixtureFile(.seeded(2, byteCount: 5_000_001))))
        session.downloadTask(with: try url("/song")).resume()
        await recorder.waitForCompletions()

        var sum: Int64 = 0
        for case .wrote(_, let new, let total, let expected) in recorder.calls {
            #expect(new > 0)
            sum += new
            #expect(total == sum)
            #expect(expected == 5_000_001)
        }
        #expect(sum == 5_000_001)
    }

    @Test func `an empty body makes a file and no progress`() async throws {
        server.on("/empty", .content(.empty))
        session.downloadTask(with: try url("/empty")).resume()
        await recorder.waitForCompletions()
        #expect(
            recorder.calls == [.created(1), .finished(1, contents: Data()), .completed(1, nil)]
        )
    }

    @Test func `DL-34: a body of unknown length has an expected size of -1`() async throws {
        server.on("/live", .content(.seeded(3, byteCount: 70_000)).chunked())
        let task = session.downloadTask(with: try url("/live"))
        task.resume()
        await recorder.waitForCompletions()
        for case .wrote(_, _, let total, let expected) in recorder.calls where total < 70_000 {
            #expect(expected == NSURLSessionTransferSizeUnknown)
        }
        #expect(task.countOfBytesReceived == 70_000)
    }

    @Test(arguments: [404, 500])
    func `BG-19: an error page is the file, and no error`(status: Int) async throws {
        server.on("/page", .status(status, body: "sorry"))
        let task = session.downloadTask(with: try url("/page"))
        task.resume()
        await recorder.waitForCompletions()
        #expect(recorder.calls.contains(.finished(1, contents: Data("sorry".utf8))))
        #expect(recorder.calls.last == .completed(1, nil))
        #expect((task.response as? HTTPURLResponse)?.statusCode == status)
    }

    @Test func `OR-10: a failed download tells of its end only`() async throws {
        server.on("/song", .content(.seeded(4, byteCount: 1_000)).dropping(after: 0))
        let task = session.downloadTask(with: try url("/song"))
        task.resume()
        await recorder.waitForCompletions()
        #expect(recorder.calls == [.created(1), .completed(1, .networkConnectionLost)])
        #expect((task.error as? URLError)?.failingURL == task.originalRequest?.url)
        #expect(task.state == .completed)
    }

    @Test func `BG-40: the file is there during the call and not after it`() async throws {
        server.on("/song", .content(.text("la")))
        session.downloadTask(with: try url("/song")).resume()
        await recorder.waitForCompletions()
        let location = try #require(recorder.locations.first)
        #expect(location.path.hasPrefix(Home.path + "/cache/ferry/downloads/CFNetworkDownload_"))
        #expect(location.pathExtension == "tmp")
        #expect(location.deletingPathExtension().lastPathComponent.count == 24)
        #expect(!FileManager.default.fileExists(atPath: location.path))
    }

    @Test func `BG-40: a file that was moved in time is the app's`() async throws {
        let target = URL(fileURLWithPath: Home.path + "/moved-\(UUID().uuidString)")
        let recorder = Mover(target: target)
        let session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        server.on("/song", .content(.text("la")))
        session.downloadTask(with: try url("/song")).resume()
        session.finishTasksAndInvalidate()
        await recorder.ended.wait()
        #expect(try String(contentsOf: target, encoding: .utf8) == "la")
    }

    @Test func `DL-1: without a queue of the app's, calls are serial`() async throws {
        #expect(session.delegateQueue.maxConcurrentOperationCount == 1)
        server.on("/song", .content(.text("la")))
        for _ in 0..<10 { session.downloadTask(with: try url("/song")).resume() }
        await recorder.waitForCompletions(10)
        #expect(recorder.calls.count { $0.name == "finished" } == 10)
    }

    @Test func `DL-1: calls come on the app's queue, in order for each task`() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        let isOnQueue = Mutex(true)
        let recorder = SessionRecorder { call in
            guard call.name != "created" else { return }
            isOnQueue.withLock { $0 = $0 && OperationQueue.current === queue }
        }
        let session = URLSession(configuration: .default, delegate: recorder, delegateQueue: queue)
        server.on("/song", .content(.seeded(5, byteCount: 300_000)))
        for _ in 0..<8 { session.downloadTask(with: try url("/song")).resume() }
        await recorder.waitForCompletions(8)
        #expect(isOnQueue.withLock { $0 })
        for task in 1...8 {
            let last = recorder.calls.filter { $0.task == task }.suffix(2).map(\.name)
            #expect(last == ["finished", "completed"])
        }
    }

    @Test func `a slow delegate gets the sum of what has happened meanwhile`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        let recorder = SessionRecorder { call in
            guard call.name == "wrote",
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return }
            gate.wait()
        }
        let session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        server.on("/song", .content(.seeded(6, byteCount: 8 << 20)))
        let task = session.downloadTask(with: try url("/song"))
        task.resume()
        // All has arrived at the server's side while the delegate is still in its first call.
        try await server.waitUntil { $0.requests(to: "/song").first?.state == .sent }
        while task.countOfBytesReceived < 8 << 20 { await Task.yield() }
        gate.signal()
        await recorder.waitForCompletions()
        #expect((1...2).contains(recorder.calls.count { $0.name == "wrote" }))
    }

    @Test func `the delegate may use the session and the task inside of its calls`() async throws {
        server.on("/song", .content(.text("la")))
        let request = URLRequest(url: try url("/song"))
        let recorder = Chain(count: 5, request: request)
        let session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        session.downloadTask(with: request).resume()
        await recorder.ended.wait()
        #expect(server.requests(to: "/song").count == 5)
    }
}

extension SessionRecorder.Call {
    /// The task that the call is about.
    var task: Int? {
        switch self {
        case .created(let task), .resumed(let task, _, _), .wrote(let task, _, _, _),
            .finished(let task, _), .completed(let task, _):
            task
        case .invalid, .finishedEvents: nil
        }
    }
}

/// Moves the file away.
private final class Mover: NSObject, URLSessionDownloadDelegate {
    let target: URL
    let ended = Signal()

    init(target: URL) {
        self.target = target
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        try? FileManager.default.moveItem(at: location, to: target)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        ended.give()
    }
}

/// Starts the next download when one has ended.
private final class Chain: NSObject, URLSessionDownloadDelegate {
    let ended = Signal()
    private let remaining: Mutex<Int>
    private let request: URLRequest

    init(count: Int, request: URLRequest) {
        remaining = Mutex(count)
        self.request = request
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let isLast = remaining.withLock { remaining in
            remaining -= 1
            return remaining == 0
        }
        if isLast {
            ended.give()
        } else {
            session.downloadTask(with: request).resume()
        }
    }
}
