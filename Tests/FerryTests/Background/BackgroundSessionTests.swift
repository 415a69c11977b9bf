import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

@Suite("Background sessions", .timeLimit(.minutes(1)))
struct BackgroundSessionTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        url = try #require(URL(string: "https://example.com/song"))
    }

    // MARK: - Asking

    @Test func `a session is opened with the application and its own configuration`() async throws {
        let session = app.session {
            $0.httpAdditionalHeaders = ["Accept": "audio/mpeg"]
            $0.timeoutIntervalForResource = 77
            $0.httpMaximumConnectionsPerHost = 3
            $0.sessionSendsLaunchEvents = false
        }
        await daemon.calls.wait(for: "ReceiveEvents")
        let application = try #require(await daemon.applications.first)
        #expect(application.identifier == "/bin/app")
        #expect(application.launch?.executable == "/bin/app")
        #expect(application.launch?.arguments == ["-a"])
        #expect(application.launch?.environment["PATH"] == ProcessEnvironment["PATH"])
        let configuration = try #require(await daemon.sessions["tracks"]?.configuration)
        #expect(configuration.additionalFields == [.init(name: "Accept", value: "audio/mpeg")])
        #expect(configuration.resourceTimeout == 77)
        #expect(configuration.maximumConnectionsPerHost == 3)
        #expect(!configuration.sendsLaunchEvents)
        session.invalidateAndCancel()
    }

    @Test func `what an app asks of a task reaches the daemon in order`() async throws {
        let session = app.session()
        let task = session.downloadTask(with: url)
        #expect(task.taskIdentifier == 1)
        task.taskDescription = "cover"
        task.priority = 0.75
        task.resume()
        task.suspend()
        task.resume()
        task.cancel()
        await session.flush()
        #expect(
            daemon.calls.requests.prefix(7) == [
                "CreateDownload 1", "SetDescription 1 cover", "SetPriority 1 0.75", "Resume 1",
                "Suspend 1", "Resume 1", "Cancel 1",
            ]
        )
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls == [.created(1), .completed(1, .cancelled)])
    }

    @Test func `a request is sent whole, with the time-outs that hold`() async throws {
        let session = app.session { $0.timeoutIntervalForRequest = 5 }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        request.setValue("v", forHTTPHeaderField: "X-Field")
        session.downloadTask(with: request).resume()
        await session.flush()
        let sent = try #require(await daemon.sessions["tracks"]?.tasks[1]?.originalRequest.value)
        #expect(sent.url == url.absoluteString)
        #expect(sent.method == "POST")
        #expect(sent.body == Data("body".utf8))
        #expect(sent.idleTimeout == 5)
        #expect(sent.fields.contains(.init(name: "X-Field", value: "v")))
    }

    @Test func `P16: a session that has ended leaves neither its parts nor its thread`() async {
        weak var core: SessionCore?
        weak var connection: BackgroundConnection?
        do {
            let session = app.session()
            core = session.core
            connection = (session.core.backend as? BackgroundBackend)?.connection
            session.downloadTask(with: url).resume()
            await session.flush()
            session.invalidateAndCancel()
            await app.recorder.wait { $0.contains(.invalid) }
        }
        // Whoever has just told the last thing may still hold it for a moment.
        while core != nil || connection != nil { await Task.yield() }
    }

    @Test func `tasks are numbered on from what the daemon has had`() async throws {
        await LoopActor.run {
            daemon.sessions["tracks"] = ScriptedDaemon.Session(
                number: 0,
                configuration: .any,
                nextTaskIdentifier: 42
            )
        }
        let session = app.session()
        _ = await session.allTasks
        #expect(session.downloadTask(with: url).taskIdentifier == 42)
        #expect(session.downloadTask(with: url).taskIdentifier == 43)
    }

    @Test func `tasks made by many threads reach the daemon in the order of their numbers`() async {
        let session = app.session()
        let url = url
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { session.downloadTask(with: url).resume() } }
        }
        await session.flush()
        let created = daemon.calls.requests.filter { $0.hasPrefix("CreateDownload") }
        #expect(created == (1...100).map { "CreateDownload \($0)" })
    }

    // MARK: - Events

    @Test func `BG-32: the file comes, then the end, which is acknowledged`() async throws {
        let session = app.session()
        let task = session.downloadTask(with: url)
        task.resume()
        await session.flush()
        try await daemon.finish(1, in: "tracks", contents: "la")
        await daemon.calls.wait(for: "Acknowledge")
        #expect(app.recorder.story == ["created", "wrote", "finished", "completed"])
        #expect(app.recorder.calls.contains(.finished(1, contents: Data("la".utf8))))
        #expect(daemon.calls.requests.filter { $0.hasPrefix("Acknowledge") } == ["Acknowledge 1"])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(task.state == .completed)
    }

    @Test func `progress and redirects show in the task`() async throws {
        let session = app.session()
        let task = session.downloadTask(with: url)
        task.resume()
        await session.flush()
        let target = "https://mirror.example.com/song"
        await LoopActor.run {
            daemon.emit(
                Wire.Event(
                    kind: .response,
                    task: 1,
                    response: Encoded(
                        .init(status: 200, version: "HTTP/1.1", fields: [], url: target)
                    ),
                    request: .init(url: target, method: "GET", fields: [], idleTimeout: 60)
                ),
                in: "tracks"
            )
            daemon.emit(
                Wire.Event(
                    kind: .progress,
                    task: 1,
                    receivedByteCount: 30,
                    expectedByteCount: 100
                ),
                in: "tracks"
            )
        }
        await app.recorder.waitForBytes(30)
        #expect(app.recorder.calls.last == .wrote(1, new: 30, total: 30, expected: 100))
        #expect(task.countOfBytesReceived == 30)
        #expect(task.countOfBytesExpectedToReceive == 100)
        #expect(task.currentRequest?.url?.absoluteString == target)
        #expect(task.originalRequest?.url == url)
        #expect(task.progress.fractionCompleted == 0.3)
    }

    @Test func `API-29: the progress of a body that ferryd decodes is that of its coding`() async {
        let session = app.session()
        let task = session.downloadTask(with: url)
        task.resume()
        await session.flush()
        await LoopActor.run {
            daemon.emit(
                Wire.Event(
                    kind: .progress,
                    task: 1,
                    receivedByteCount: 30,
                    codedByteCount: 10,
                    expectedCodedByteCount: 40
                ),
                in: "tracks"
            )
        }
        await app.recorder.waitForBytes(30)
        #expect(app.recorder.calls.last == .wrote(1, new: 30, total: 30, expected: -1))
        #expect(task.countOfBytesReceived == 30)
        #expect(task.progress.fractionCompleted == 0.25)
    }

    @Test func `BG-18: the app does not hear that the daemon has continued a download`() async {
        let session = app.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        await LoopActor.run {
            let progress =
                [(Wire.EventKind.progress, 30), (.resumed, 30), (.progress, 60)]
                + [(.resumed, 0), (.progress, 70)]
            for (kind, count) in progress {
                daemon.emit(
                    Wire.Event(
                        kind: kind,
                        task: 1,
                        offset: kind == .resumed ? Int64(count) : nil,
                        receivedByteCount: kind == .progress ? Int64(count) : nil
                    ),
                    in: "tracks"
                )
            }
        }
        await app.recorder.waitForBytes(70)
        #expect(
            app.recorder.calls.filter { $0.name == "resumed" }
                == [.resumed(1, offset: 0, expected: -1)],
            "only that it had to start over"
        )
    }

    @Test func `RD-7: a task made from resume data tells of its resumption`() async throws {
        let resumeData = try await Self.resumeData()
        let session = app.session()
        let task = session.downloadTask(withResumeData: resumeData)
        #expect(task.originalRequest?.url?.path == "/song")
        task.resume()
        await session.flush()
        await LoopActor.run {
            daemon.emit(
                Wire.Event(kind: .resumed, task: 1, offset: 20, expectedByteCount: 50),
                in: "tracks"
            )
        }
        await app.recorder.wait { $0.contains(.resumed(1, offset: 20, expected: 50)) }
    }

    @Test func `RD-10: unusable resume data fails with -3003, and never reaches the daemon`() async
    {
        let session = app.session()
        session.downloadTask(withResumeData: Data("garbage".utf8)).resume()
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.last == .completed(1, .cannotWriteToFile))
        await session.flush()
        #expect(daemon.calls.requests.isEmpty)
    }

    @Test func `BG-39: a forced quit is told with its reason and resume data`() async throws {
        let session = app.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        await LoopActor.run {
            daemon.emit(
                Wire.Event(
                    kind: .completed,
                    task: 1,
                    failure: Wire.Failure(code: "cancelled", message: "quit"),
                    resumeData: Data([1, 2, 3]),
                    cancelReason: 0
                ),
                in: "tracks"
            )
        }
        await app.recorder.waitForCompletions()
        let error = try #require(app.recorder.error(ofTask: 1))
        #expect(error.code == .cancelled)
        #expect(error.backgroundTaskCancelledReason == .userForceQuitApplication)
        #expect(error.downloadTaskResumeData == Data([1, 2, 3]))
        #expect(error.failingURL == url)
    }

    @Test func `RD-3: resume data come with the end of the task`() async throws {
        let session = app.session()
        let task = session.downloadTask(with: url)
        task.resume()
        await session.flush()
        async let resumeData = task.cancelByProducingResumeData()
        await daemon.calls.wait(for: "CancelProducingResumeData 1")
        await LoopActor.run {
            daemon.emit(
                Wire.Event(
                    kind: .completed,
                    task: 1,
                    failure: Wire.Failure(code: "cancelled", message: ""),
                    resumeData: Data([7])
                ),
                in: "tracks"
            )
        }
        #expect(await resumeData == Data([7]))
        await app.recorder.waitForCompletions()
        #expect(app.recorder.error(ofTask: 1)?.downloadTaskResumeData == Data([7]))
    }

    @Test func `a session without delegate leaves the events with the daemon`() async throws {
        let session = app.session(hasDelegate: false)
        let task = session.downloadTask(with: url)
        task.resume()
        await session.flush()
        let file = try await daemon.finish(1, in: "tracks", contents: "la")
        while task.state != .completed { await Task.yield() }
        await session.flush()
        #expect(!daemon.calls.requests.contains { $0.hasPrefix("Acknowledge") })
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    /// Resume data as a default session makes them.
    static func resumeData() async throws -> Data {
        let server = try FixtureServer()
        let gate = FixtureGate()
        let file = FixtureFile(.seeded(7, byteCount: 2 << 20))
        server.on("/song", .file(file).stalling(after: 1 << 20, at: gate))
        let recorder = SessionRecorder()
        let session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        let task = session.downloadTask(with: try server.address("/song"))
        task.resume()
        await recorder.waitForBytes(1 << 20)
        return try #require(await task.cancelByProducingResumeData())
    }
}
