import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Sessions", .timeLimit(.minutes(1)))
struct SessionTests {
    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession
    private let gate = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        server.on("/slow", .content(.seeded(9, byteCount: 10)).stalling(after: 5, at: gate))
        server.on("/song", .content(.text("la")))
    }

    // MARK: - The end

    @Test func `OR-14: a session ends when its tasks have`() async throws {
        session.downloadTask(with: try server.address("/slow")).resume()
        session.downloadTask(with: try server.address("/song")).resume()
        session.finishTasksAndInvalidate()
        try await server.waitForStall(at: "/slow")
        #expect(!recorder.calls.contains(.invalid))
        gate.open()
        await recorder.wait { $0.contains(.invalid) }
        #expect(recorder.calls.last == .invalid)
        #expect(recorder.calls.count { $0.name == "completed" } == 2)
        // The call is over when the queue has come to this.
        await session.flush()
        while session.delegate != nil { await Task.yield() }
    }

    @Test func `API-12: tasks that are being cancelled are not listed`() async throws {
        let tasks = try (0..<3).map { _ in
            session.downloadTask(with: try server.address("/slow"))
        }
        for task in tasks { task.resume() }
        try await server.waitForStall(at: "/slow")
        tasks[0].cancel()
        #expect(await session.allTasks == Array(tasks.dropFirst()))
        session.invalidateAndCancel()
        #expect(await session.allTasks.isEmpty)
    }

    @Test func `OR-14: a session can cancel its tasks and end`() async throws {
        let tasks = try (0..<3).map { _ in
            session.downloadTask(with: try server.address("/slow"))
        }
        for task in tasks.prefix(2) { task.resume() }
        session.invalidateAndCancel()
        await recorder.wait { $0.contains(.invalid) }
        #expect(recorder.calls.last == .invalid)
        for task in 1...3 { #expect(recorder.calls.contains(.completed(task, .cancelled))) }
    }

    @Test func `a session without tasks ends at once, and once`() async throws {
        session.finishTasksAndInvalidate()
        session.invalidateAndCancel()
        await recorder.wait { $0.contains(.invalid) }
        session.invalidateAndCancel()
        await session.flush()
        #expect(recorder.calls == [.invalid])
    }

    @Test func `a session that finishes can still be told to cancel`() async throws {
        session.downloadTask(with: try server.address("/slow")).resume()
        session.finishTasksAndInvalidate()
        try await server.waitForStall(at: "/slow")
        session.invalidateAndCancel()
        await recorder.wait { $0.contains(.invalid) }
        #expect(recorder.calls.contains(.completed(1, .cancelled)))
    }

    @Test func `P16: a session lets go of its delegate when it has ended`() async throws {
        weak var delegate: SessionRecorder?
        let ended = Signal()
        do {
            let recorder = SessionRecorder { if $0 == .invalid { ended.give() } }
            delegate = recorder
            let session = URLSession(
                configuration: .default,
                delegate: recorder,
                delegateQueue: nil
            )
            session.finishTasksAndInvalidate()
            await ended.wait()
            await session.flush()
        }
        while delegate != nil { await Task.yield() }
    }

    @Test func `a session without tasks is released with its last reference`() async throws {
        weak var delegate: SessionRecorder?
        do {
            let recorder = SessionRecorder()
            delegate = recorder
            let session = URLSession(
                configuration: .default,
                delegate: recorder,
                delegateQueue: nil
            )
            session.downloadTask(with: try server.address("/song")).resume()
            await recorder.waitForCompletions()
            // What is told last is over when the queue has come to this.
            await session.flush()
        }
        // Whoever has just told the last thing may still hold it for a moment.
        while delegate != nil { await Task.yield() }
    }

    @Test func `a session with a task lives until the task has ended`() async throws {
        do {
            let url = try server.address("/slow")
            URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
                .downloadTask(with: url).resume()
        }
        gate.open()
        await recorder.waitForCompletions()
        #expect(recorder.calls.last == .completed(1, nil))
    }

    @Test func `DL-22: an invalidated session makes no task`() async {
        await #expect(processExitsWith: .failure) {
            let session = URLSession(configuration: .default)
            session.finishTasksAndInvalidate()
            let url = try #require(URL(string: "http://localhost/"))
            _ = session.downloadTask(with: url)
        }
    }

    @Test func `DL-21: the shared session has no delegate and no end`() throws {
        URLSession.shared.invalidateAndCancel()
        URLSession.shared.finishTasksAndInvalidate()
        #expect(URLSession.shared.delegate == nil)
        _ = URLSession.shared.downloadTask(with: try server.address("/song"))
    }

    // MARK: - Lists

    @Test func `DL-19: tasks are listed from their first resume to their end`() async throws {
        let fresh = session.downloadTask(with: try server.address("/slow"))
        let running = session.downloadTask(with: try server.address("/slow"))
        let suspended = session.downloadTask(with: try server.address("/slow"))
        running.resume()
        suspended.resume()
        suspended.suspend()
        #expect(await session.allTasks == [running, suspended])
        let (dataTasks, uploadTasks, downloadTasks) = await session.tasks
        #expect(dataTasks.isEmpty)
        #expect(uploadTasks.isEmpty)
        #expect(downloadTasks == [running, suspended])

        running.cancel()
        await recorder.waitForCompletions()
        await session.flush()
        #expect(await session.allTasks == [suspended])
        fresh.resume()
        #expect(await session.allTasks == [fresh, suspended])
        session.invalidateAndCancel()
    }

    @Test func `DL-19: a task is not listed any more where it tells its end`() async throws {
        let address = try server.address("/song")
        for _ in 0..<20 {
            let listed: Int = await withCheckedContinuation { continuation in
                session.dataTask(with: address) { [session] _, _, _ in
                    session.getAllTasks { continuation.resume(returning: $0.count) }
                }.resume()
            }
            #expect(listed == 0)
            _ = try await session.data(from: address)
            #expect(await session.allTasks.isEmpty)
        }
    }

    @Test func `DL-19: lists come on the delegate queue`() async {
        let queue = session.delegateQueue
        let isOnQueue = await withCheckedContinuation { continuation in
            session.getAllTasks { _ in
                continuation.resume(returning: OperationQueue.current === queue)
            }
        }
        #expect(isOnQueue)
    }

    @Test func `task identifiers are unique within their session`() throws {
        let url = try server.address("/song")
        let identifiers = (0..<100).map { _ in session.downloadTask(with: url).taskIdentifier }
        #expect(Set(identifiers).count == 100)
    }

    // MARK: - Stores and connections

    @Test func `flush has later tasks use new connections`() async throws {
        let url = try server.address("/song")
        for _ in 0..<2 { _ = try await session.download(from: url) }
        #expect(server.history.connectionCount == 1)
        await session.flush()
        _ = try await session.download(from: url)
        #expect(server.history.connectionCount == 2)
    }

    @Test func `reset empties the session's stores`() async throws {
        let session = URLSession(configuration: .ephemeral)
        let url = try server.address("/song")
        let storage = try #require(session.configuration.httpCookieStorage)
        let cookie = try #require(
            HTTPCookie(properties: [.name: "a", .value: "b", .originURL: url, .path: "/"])
        )
        storage.setCookie(cookie)
        #expect(storage.cookies?.count == 1)
        await session.reset()
        #expect(storage.cookies?.isEmpty != false)
    }
}
