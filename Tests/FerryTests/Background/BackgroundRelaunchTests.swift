import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

@Suite("Background sessions across launches", .timeLimit(.minutes(1)))
struct BackgroundRelaunchTests {
    private let daemon: ScriptedDaemon
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        url = try #require(URL(string: "https://example.com/song"))
    }

    /// Has an earlier launch create tasks.
    private func createTasks(_ count: Int) async throws {
        let app = BackgroundApp(daemon)
        let session = app.session()
        for number in 1...count {
            let task = session.downloadTask(with: url)
            task.taskDescription = "song \(number)"
            task.resume()
        }
        await session.flush()
        try await app.die(with: daemon)
    }

    @Test func `BG-26 to BG-28: a new launch finds its tasks again, page by page`() async throws {
        try await createTasks(7)
        await LoopActor.run {
            daemon.pageLength = 3
            daemon.sessions["tracks"]?.tasks[2]?.state = .suspended
            daemon.sessions["tracks"]?.tasks[3]?.receivedByteCount = 10
            daemon.sessions["tracks"]?.tasks[3]?.expectedByteCount = 40
            daemon.sessions["tracks"]?.tasks[4]?.state = .completed
        }
        let session = BackgroundApp(daemon).session()
        let tasks = await session.allTasks
        #expect(tasks.map(\.taskIdentifier) == Array(1...7))
        #expect(tasks.map(\.taskDescription) == (1...7).map { "song \($0)" })
        #expect(tasks.allSatisfy { $0.originalRequest?.url == url })
        #expect(tasks.map(\.state).prefix(4) == [.running, .suspended, .running, .completed])
        #expect(tasks[2].countOfBytesReceived == 10)
        #expect(tasks[2].countOfBytesExpectedToReceive == 40)
        #expect(await session.allTasks == tasks, "the same objects")
        #expect(daemon.calls.all.suffix(3) == ["ListTasks 0", "ListTasks 3", "ListTasks 6"])

        tasks[0].suspend()
        tasks[1].resume()
        await session.flush()
        #expect(daemon.calls.requests.suffix(2) == ["Suspend 1", "Resume 2"])
    }

    @Test func `BG-29: a task made from resume data has the request of the first one`() async throws
    {
        let resumeData = try await BackgroundSessionTests.resumeData()
        let first = BackgroundApp(daemon)
        let session = first.session()
        let task = session.downloadTask(withResumeData: resumeData)
        let request = try #require(task.originalRequest)
        #expect(request.url?.path == "/song")
        task.resume()
        await session.flush()
        try await first.die(with: daemon)
        let found = try #require(await BackgroundApp(daemon).session().allTasks.first)
        #expect(found.originalRequest?.url == request.url)
        #expect(found.currentRequest?.url == request.url)
    }

    @Test func `BG-29: a task made from something that is no resume data has no request`() {
        let task = BackgroundApp(daemon).session().downloadTask(withResumeData: Data("la".utf8))
        #expect(task.originalRequest == nil)
        #expect(task.currentRequest == nil)
    }

    @Test func `BG-31, BG-33: events wait for the session, then comes that they are finished`()
        async throws
    {
        try await createTasks(3)
        try await daemon.finish(1, in: "tracks", contents: "one")
        try await daemon.finish(3, in: "tracks", contents: "three")
        let app = BackgroundApp(
            daemon,
            launchReason: .backgroundURLSession(identifier: "tracks")
        )
        let session = app.session()
        await app.recorder.wait { $0.contains(.finishedEvents) }
        #expect(
            Set(app.recorder.calls.prefix(4)) == [
                .finished(1, contents: Data("one".utf8)), .completed(1, nil),
                .finished(3, contents: Data("three".utf8)), .completed(3, nil),
            ]
        )
        #expect(app.recorder.calls.last == .finishedEvents)
        #expect(app.recorder.story.contains("wrote") == false, "no progress of an earlier launch")

        try await daemon.finish(2, in: "tracks", contents: "two")
        await app.recorder.waitForCompletions(3)
        await session.flush()
        #expect(app.recorder.calls.count { $0 == .finishedEvents } == 1)
    }

    @Test(arguments: [Application.LaunchReason.user, .backgroundURLSession(identifier: "other")])
    func `BG-30: a program started for something else is not told that events are finished`(
        reason: Application.LaunchReason
    ) async throws {
        try await createTasks(1)
        try await daemon.finish(1, in: "tracks", contents: "one")
        let app = BackgroundApp(daemon, launchReason: reason)
        let session = app.session()
        await app.recorder.waitForCompletions()
        await session.flush()
        #expect(app.recorder.story == ["finished", "completed"])
    }

    @Test func `BG-31: a program started for a session without news is told so, too`() async {
        let app = BackgroundApp(
            daemon,
            launchReason: .backgroundURLSession(identifier: "tracks")
        )
        _ = app.session()
        await app.recorder.wait { $0.contains(.finishedEvents) }
        #expect(app.recorder.calls == [.finishedEvents])
    }

    @Test func `BG-31: a program started for a session waits until the daemon can open it`() async {
        await LoopActor.run {
            let full = TransferInterfaceError.storeUnavailable(reason: "disk full")
            daemon.refusesOpening = [full, full]
        }
        let app = BackgroundApp(
            daemon,
            launchReason: .backgroundURLSession(identifier: "tracks")
        )
        _ = app.session()
        await app.recorder.wait { $0.contains(.finishedEvents) }
        #expect(await daemon.refusesOpening.isEmpty)
    }

    @Test func `a file that the app had taken before it died is not told of again`() async throws {
        try await createTasks(1)
        let file = try await daemon.finish(1, in: "tracks", contents: "one")
        FinishedFile(path: file.path).markDelivered()
        try FileManager.default.removeItem(at: file)
        let app = BackgroundApp(daemon)
        _ = app.session()
        await daemon.calls.wait(for: "Acknowledge")
        #expect(app.recorder.calls == [.completed(1, nil)])
    }

    @Test func `an event of a task that is not listed any more is told all the same`() async throws
    {
        try await createTasks(1)
        await LoopActor.run { _ = daemon.sessions["tracks"]?.tasks.removeValue(forKey: 1) }
        try await daemon.finish(1, in: "tracks", contents: "one")
        let app = BackgroundApp(daemon)
        _ = app.session()
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.first == .finished(1, contents: Data("one".utf8)))
    }

    @Test func `BG-9: a second session of an identifier is a second handle of the first`()
        async throws
    {
        let app = BackgroundApp(daemon)
        let first = app.session()
        let other = SessionRecorder()
        let second = URLSession(
            backgroundIdentifier: "tracks",
            configuration: URLSessionConfiguration.background(withIdentifier: "tracks").snapshot,
            delegate: other,
            among: app.sessions
        )
        #expect(second.delegate === app.recorder)
        #expect(second.delegateQueue === first.delegateQueue)
        let task = second.downloadTask(with: url)
        task.resume()
        #expect(await first.allTasks == [task])
        try await daemon.finish(1, in: "tracks", contents: "one")
        await app.recorder.waitForCompletions()
        #expect(other.calls.isEmpty)
        #expect(daemon.calls.all.count { $0.hasPrefix("OpenSession") } == 1)
    }

    // MARK: - The end

    @Test func `BG-11: an identifier can be used again when its session has become invalid`()
        async throws
    {
        let app = BackgroundApp(daemon)
        let session = app.session()
        session.downloadTask(with: url).resume()
        session.finishTasksAndInvalidate()
        await daemon.calls.wait(for: "Resume 1")
        try await daemon.finish(1, in: "tracks", contents: "one")
        await app.recorder.wait { $0.contains(.invalid) }
        #expect(app.recorder.story == ["created", "wrote", "finished", "completed", "invalid"])
        #expect(daemon.calls.requests.last == "CloseSession")
        // It is let go of when its last method has returned, which has told of itself before.
        while session.delegate != nil { await Task.yield() }

        let next = app.session()
        #expect(next.delegate === app.recorder)
        _ = await next.allTasks
        #expect(next.downloadTask(with: url).taskIdentifier == 2)
    }

    @Test func `OR-14: invalidating cancels the tasks of earlier launches, too`() async throws {
        try await createTasks(2)
        let app = BackgroundApp(daemon, firstTaskIdentifier: { 3 })
        let session = app.session()
        session.downloadTask(with: url).resume()
        session.invalidateAndCancel()
        await app.recorder.wait { $0.contains(.invalid) }
        for task in 1...3 { #expect(app.recorder.calls.contains(.completed(task, .cancelled))) }
        #expect(app.recorder.calls.last == .invalid)
    }
}
