import Ferry
import FerryTestSupport
import Foundation
import Synchronization
import Testing

/// An asynchronous operation of an app, which has begun and ends when it is told.
private final class LongOperation: Operation, @unchecked Sendable {
    private let condition = Mutex((isExecuting: false, isFinished: false))
    let hasBegun = Awaited(false)

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { condition.withLock { $0.isExecuting } }
    override var isFinished: Bool { condition.withLock { $0.isFinished } }

    override func start() {
        condition.withLock { $0.isExecuting = true }
        hasBegun.change { $0 = true }
    }

    func finish() {
        willChangeValue(for: \.isFinished)
        condition.withLock { $0 = (false, true) }
        didChangeValue(for: \.isFinished)
    }
}

@Suite("Sessions of the main queue", .timeLimit(.minutes(1)), .serialized)
struct MainQueueTests {
    private let server: FixtureServer
    private let operation = LongOperation()
    /// What the main queue has, whichever thread serves it.
    private let mark = DispatchSpecificKey<Bool>()

    init() async throws {
        _ = Home.path
        server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        server.on("/moved", .redirect(to: "/song"))
        DispatchQueue.main.setSpecific(key: mark, value: true)
        OperationQueue.main.addOperation(operation)
        await operation.hasBegun.wait { $0 }
    }

    private func session(_ delegate: (any URLSessionDelegate)? = nil) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return URLSession(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: .main
        )
    }

    @Test func `API-25: handlers run beside an operation that waits for them`() async throws {
        defer { operation.finish() }
        let session = session()
        let url = try server.address("/song")
        let (data, isMain) = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { [mark] data, _, _ in
                let isMain = DispatchQueue.getSpecific(key: mark) == true
                continuation.resume(returning: (data, isMain))
            }.resume()
        }
        #expect(data == Data("la".utf8))
        #expect(isMain)
        #expect(try await session.download(from: url).1.url == url)
        #expect(await session.allTasks.isEmpty)
        await session.flush()
    }

    @Test func `API-25: delegates are called in order, to the end of the session`() async throws {
        defer { operation.finish() }
        let recorder = DataRecorder()
        let session = session(recorder)
        session.dataTask(with: try server.address("/moved")).resume()
        session.finishTasksAndInvalidate()
        await recorder.wait(for: "invalid")
        #expect(
            recorder.story == [
                "redirect 302 GET /song", "response 200", "data", "metrics 2", "completed",
                "invalid",
            ]
        )
    }

    @Test func `API-25: a task that cannot be sent fails there, too`() async throws {
        defer { operation.finish() }
        let url = try #require(URL(string: "myapp://a"))
        await expectURLError(.unsupportedURL) { try await session().data(from: url) }
    }
}
