import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Controlling download tasks", .timeLimit(.minutes(1)))
struct TaskControlTests {
    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession
    private let file = FixtureFile(.seeded(7, byteCount: 2 << 20))
    private let gate = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        server.on("/song", .file(file).stalling(after: 1 << 20, at: gate), .file(file))
    }

    /// A task that has received half of the file, and waits for the rest.
    private func startedTask() async throws -> URLSessionDownloadTask {
        let task = session.downloadTask(with: try server.address("/song"))
        task.resume()
        await recorder.waitForBytes(1 << 20)
        return task
    }

    private func expectWholeFile() {
        #expect(recorder.calls.contains(.finished(1, contents: Data(file.content.bytes))))
        #expect(recorder.calls.last == .completed(1, nil))
    }

    // MARK: - Suspending

    @Test func `DL-16: a suspended download goes on where it was`() async throws {
        let task = try await startedTask()
        task.suspend()
        #expect(task.state == .suspended)
        try await server.waitUntil { $0.requests(to: "/song").first?.state == .abandoned }
        task.resume()
        await recorder.waitForCompletions()
        expectWholeFile()
        #expect(server.requests(to: "/song").map(\.range) == [nil, "bytes=1048576-"])
        #expect(recorder.story == ["created", "wrote", "finished", "completed"])
    }

    @Test func `DL-16: a file that comes without parts goes on where it was, too`() async throws {
        server.on("/song", withoutRanges.stalling(after: 1 << 20, at: gate), withoutRanges)
        let task = try await startedTask()
        task.suspend()
        try await server.waitUntil { $0.requests(to: "/song").first?.state == .abandoned }
        task.resume()
        await recorder.waitForCompletions()
        expectWholeFile()
        #expect(server.requests(to: "/song").map(\.range) == [nil, nil])
        #expect(recorder.story == ["created", "wrote", "finished", "completed"])
    }

    @Test func `DL-16: a download that cannot be continued starts over and says so`() async throws {
        let changed = FixtureContent.seeded(9, byteCount: 3 << 20)
        server.on(
            "/song",
            withoutRanges.stalling(after: 1 << 20, at: gate),
            .file(FixtureFile(changed, entityTag: "\"v2\""))
        )
        let task = try await startedTask()
        task.suspend()
        try await server.waitUntil { $0.requests(to: "/song").first?.state == .abandoned }
        task.resume()
        await recorder.waitForCompletions()
        #expect(recorder.calls.contains(.finished(1, contents: Data(changed.bytes))))
        #expect(server.requests(to: "/song").map(\.range) == [nil, nil])
        #expect(
            recorder.story == ["created", "wrote", "resumed", "wrote", "finished", "completed"]
        )
    }

    @Test func `DL-15: a task that was suspended twice needs two resumes`() async throws {
        server.on("/song", .file(file))
        let task = session.downloadTask(with: try server.address("/song"))
        task.suspend()
        task.resume()
        #expect(task.state == .running)
        // What is asked for later is also carried out later: the first task has not begun.
        let second = session.downloadTask(with: try server.address("/other"))
        second.resume()
        await recorder.wait { $0.contains { $0.task == 2 && $0.name == "completed" } }
        #expect(server.requests(to: "/song").isEmpty)
        task.resume()
        await recorder.waitForCompletions(2)
        #expect(server.requests(to: "/song").count == 1)
    }

    // MARK: - Cancelling

    @Test func `DL-17: a cancelled task completes with -999`() async throws {
        let task = try await startedTask()
        task.cancel()
        #expect([.canceling, .completed].contains(task.state))
        await recorder.waitForCompletions()
        #expect(recorder.calls.last == .completed(1, .cancelled))
        #expect(task.state == .completed)
        let error = try #require(recorder.error(ofTask: 1))
        #expect(error.failingURL == task.originalRequest?.url)
        #expect(error.localizedDescription == "cancelled")
        #expect(error.downloadTaskResumeData == nil)
        task.resume()
        #expect(task.state == .completed)
    }

    @Test func `BG-41: a cancelled task leaves no file, one that can be continued leaves its own`()
        async
    {
        // In a process of its own, so that all files there are this test's.
        await #expect(processExitsWith: .success) {
            _ = Home.path
            let server = try FixtureServer()
            let gate = FixtureGate()
            let file = FixtureFile(.seeded(7, byteCount: 2 << 20))
            server.on("/song", .file(file).stalling(after: 1 << 20, at: gate))
            let recorder = SessionRecorder()
            let session = URLSession(
                configuration: .default,
                delegate: recorder,
                delegateQueue: nil
            )
            for task in 1...2 {
                session.downloadTask(with: try server.address("/song")).resume()
                await recorder.waitForBytes(1 << 20, ofTask: task)
            }
            let tasks = await session.tasks.2
            #expect(Home.leftovers.count == 2)
            tasks[0].cancel()
            await recorder.waitForCompletions()
            #expect(Home.leftovers.count == 1)
            let resumeData = await tasks[1].cancelByProducingResumeData()
            #expect(resumeData != nil)
            #expect(Home.leftovers.count == 1)
        }
    }

    @Test func `DL-18: a task that was never resumed can be cancelled`() async throws {
        let task = session.downloadTask(with: try server.address("/song"))
        task.cancel()
        await recorder.waitForCompletions()
        #expect(recorder.calls == [.created(1), .completed(1, .cancelled)])
        #expect(server.requests.isEmpty)
    }

    @Test func `DL-20: a copy of a task or session is the same object`() throws {
        let task = session.downloadTask(with: try server.address("/song"))
        defer { task.cancel() }
        #expect(task.copy() as? URLSessionDownloadTask === task)
    }

    // MARK: - Resume data

    @Test func `RD-3: cancelling for resume data also completes the task`() async throws {
        let task = try await startedTask()
        let resumeData = try #require(await task.cancelByProducingResumeData())
        await recorder.waitForCompletions()
        #expect(recorder.calls.last == .completed(1, .cancelled))
        #expect(recorder.error(ofTask: 1)?.downloadTaskResumeData == resumeData)
        #expect(resumeData.count < 4096, "RD-2: the blob does not hold the bytes")
    }

    @Test func `RD-5 and RD-7: a task made from resume data fetches the rest only`() async throws {
        let resumeData = try #require(await startedTask().cancelByProducingResumeData())
        let recorder = SessionRecorder()
        let session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        let task = session.downloadTask(withResumeData: resumeData)
        #expect(task.originalRequest?.url == (try server.address("/song")))
        task.resume()
        await recorder.waitForCompletions()
        let request = try #require(server.requests(to: "/song").last)
        #expect(request.range == "bytes=1048576-")
        #expect(request["If-Range"] == file.entityTag)
        #expect(recorder.story == ["created", "resumed", "wrote", "finished", "completed"])
        #expect(recorder.calls[1] == .resumed(1, offset: 1 << 20, expected: 2 << 20))
        #expect(recorder.calls.contains(.finished(1, contents: Data(file.content.bytes))))
        #expect(task.countOfBytesReceived == 2 << 20, "RD-8: the offset counts")
        guard case .wrote(_, let new, let total, _) = recorder.calls[2] else {
            Issue.record("no progress after the resumption")
            return
        }
        #expect(total == 1 << 20 + new)
    }

    @Test func `RD-6: a resource that has changed is fetched from the start`() async throws {
        let changed = FixtureFile(.seeded(8, byteCount: 1_500_000), entityTag: "\"v2\"")
        server.on("/song", .file(file).stalling(after: 1 << 20, at: gate), .file(changed))
        let resumeData = try #require(await startedTask().cancelByProducingResumeData())
        let recorder = SessionRecorder()
        let session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        session.downloadTask(withResumeData: resumeData).resume()
        await recorder.waitForCompletions()
        #expect(recorder.calls[1] == .resumed(1, offset: 0, expected: 1_500_000))
        #expect(recorder.calls.contains(.finished(1, contents: Data(changed.content.bytes))))
    }

    @Test func `RD-4: a download that fails leaves resume data in its error`() async throws {
        server.on("/song", .file(file).dropping(after: 1 << 20), .file(file))
        session.downloadTask(with: try server.address("/song")).resume()
        await recorder.waitForCompletions()
        let error = try #require(recorder.error(ofTask: 1))
        #expect(error.code == .networkConnectionLost)
        let resumeData = try #require(error.downloadTaskResumeData)
        let (location, _) = try await session.download(resumeFrom: resumeData)
        #expect(try Data(contentsOf: location) == Data(file.content.bytes))
        #expect(server.requests(to: "/song").last?.range == "bytes=1048576-")
    }

    @Test func `RD-11: resume data can be used once`() async throws {
        let resumeData = try #require(await startedTask().cancelByProducingResumeData())
        let (location, _) = try await session.download(resumeFrom: resumeData)
        #expect(try Data(contentsOf: location) == Data(file.content.bytes))
        await expectURLError(.fileDoesNotExist) {
            try await session.download(resumeFrom: resumeData)
        }
    }

    @Test func `RD-11: a task made from resume data and cancelled at once gives new data`()
        async throws
    {
        let resumeData = try #require(await startedTask().cancelByProducingResumeData())
        let task = session.downloadTask(withResumeData: resumeData)
        let renewed = try #require(await task.cancelByProducingResumeData())
        let (location, _) = try await session.download(resumeFrom: renewed)
        #expect(try Data(contentsOf: location) == Data(file.content.bytes))
    }

    @Test func `RD-5, DL-16: a task made from resume data keeps it when it is suspended in line`()
        async throws
    {
        let resumeData = try #require(await startedTask().cancelByProducingResumeData())
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        let recorder = SessionRecorder()
        let session = URLSession(
            configuration: configuration,
            delegate: recorder,
            delegateQueue: nil
        )
        server.on("/first", .file(file).stalling(after: 0, at: gate))
        let first = session.downloadTask(with: try server.address("/first"))
        first.resume()
        try await server.waitForStall(at: "/first")
        let task = session.downloadTask(withResumeData: resumeData)
        task.resume()
        task.suspend()
        first.cancel()
        await recorder.waitForCompletions()
        task.resume()
        await recorder.waitForCompletions(2)
        #expect(server.requests(to: "/song").last?.range == "bytes=1048576-")
        #expect(recorder.calls.contains(.finished(2, contents: Data(file.content.bytes))))
    }

    @Test func `RD-9: garbage makes a task that fails when it is resumed`() async throws {
        let task = session.downloadTask(withResumeData: Data("garbage".utf8))
        #expect(task.originalRequest == nil)
        #expect(task.state == .suspended)
        task.resume()
        await recorder.waitForCompletions()
        #expect(recorder.calls == [.created(1), .completed(1, .unsupportedURL)])
    }

    /// The file from a server that sends no parts of it.
    private var withoutRanges: FixtureAnswer {
        .file(FixtureFile(file.content, ranges: .ignored, fields: [("Accept-Ranges", "none")]))
    }

    @Test(arguments: ["nothing received", "no parts", "POST"])
    func `RD-1: a download that cannot be continued has no resume data`(why: String) async throws {
        var request = URLRequest(url: try server.address("/song"))
        switch why {
        case "nothing received":
            server.on("/song", .file(file).stalling(after: 0, at: gate))
        case "no parts":
            server.on("/song", withoutRanges.stalling(after: 1 << 20, at: gate))
        default:
            request.httpMethod = "POST"
            request.httpBody = Data("body".utf8)
        }
        let task = session.downloadTask(with: request)
        task.resume()
        if why == "nothing received" {
            try await server.waitForStall(at: "/song")
        } else {
            await recorder.waitForBytes(1 << 20)
        }
        #expect(await task.cancelByProducingResumeData() == nil)
        await recorder.waitForCompletions()
        #expect(recorder.calls.last == .completed(1, .cancelled))
    }

    @Test func `resume data of a completed task is nil`() async throws {
        server.on("/song", .file(file))
        let task = session.downloadTask(with: try server.address("/song"))
        task.resume()
        await recorder.waitForCompletions()
        #expect(await task.cancelByProducingResumeData() == nil)
    }
}
