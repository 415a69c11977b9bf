import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Downloads that several tasks share", .timeLimit(.minutes(1)))
struct SharedDownloadTests {
    private static let half: Int64 = 1 << 20

    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession
    private let file = FixtureFile(.seeded(7, byteCount: 2 * half))
    /// Before the head of the first answer, and in the middle of its body.
    private let head = FixtureGate()
    private let body = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        let whole = FixtureAnswer.file(file)
        server.on("/song", whole.waiting(at: head).stalling(after: Self.half, at: body), whole)
    }

    /// Tasks for the same, of which the first one's request is there.
    private func start(_ count: Int) async throws -> [URLSessionDownloadTask] {
        let url = try server.address("/song")
        let tasks = (0..<count).map { _ in session.downloadTask(with: url) }
        try await share(tasks)
        return tasks
    }

    /// Resumes the first task, and the others when its request is there.
    private func share(_ tasks: [URLSessionDownloadTask]) async throws {
        tasks[0].resume()
        try await server.waitForStall(at: "/song")
        for task in tasks.dropFirst() { task.resume() }
        // Once for the command, and once for what the task then does by itself.
        for _ in 0..<2 { await session.flush() }
    }

    /// Tasks that share an answer of which half has come.
    private func startHalf(_ count: Int) async throws -> [URLSessionDownloadTask] {
        let tasks = try await start(count)
        head.open()
        for task in tasks {
            await recorder.waitForBytes(Self.half, ofTask: task.taskIdentifier)
        }
        return tasks
    }

    private func expectFile(ofTask task: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let contents = Data(file.content.bytes)
        #expect(
            recorder.calls.contains(.finished(task, contents: contents)),
            sourceLocation: sourceLocation
        )
        #expect(recorder.calls.contains(.completed(task, nil)), sourceLocation: sourceLocation)
    }

    private var ranges: [String?] { server.requests(to: "/song").map(\.range) }

    // MARK: - One request

    @Test func `P15: equal downloads under way fetch once, and each has a file and progress`()
        async throws
    {
        let tasks = try await startHalf(5)
        #expect(tasks.map(\.countOfBytesReceived) == Array(repeating: Self.half, count: 5))
        #expect(tasks.map(\.progress.fractionCompleted) == Array(repeating: 0.5, count: 5))
        body.open()
        await recorder.waitForCompletions(5)
        for task in 1...5 { expectFile(ofTask: task) }
        #expect(Set(recorder.locations).count == 5)
        #expect(ranges == [nil])
    }

    @Test func `P15: files of equal downloads are not the same file`() async throws {
        let temporary = try TemporaryDirectory()
        let files = (0..<2).map { URL(fileURLWithPath: temporary.path + "/\($0)") }
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        let url = try server.address("/song")
        let tasks = files.map { file in
            session.downloadTask(with: url) { location, _, _ in
                if let location { try? FileManager.default.moveItem(at: location, to: file) }
                continuation.yield()
            }
        }
        try await share(tasks)
        head.open()
        body.open()
        for await _ in ended.prefix(2) {}
        #expect(ranges == [nil])
        try FileHandle(forWritingTo: files[0]).write(contentsOf: Data("changed".utf8))
        #expect(try Data(contentsOf: files[1]) == Data(file.content.bytes))
    }

    @Test func `P15: what every task is told of itself is told once per request`() async throws {
        let metrics = DataRecorder()
        let session = metrics.makeSession()
        let url = try server.address("/song")
        let tasks = (0..<2).map { _ in session.downloadTask(with: url) }
        tasks[0].resume()
        try await server.waitForStall(at: "/song")
        tasks[1].resume()
        for _ in 0..<2 { await session.flush() }
        head.open()
        body.open()
        await metrics.waitForEnd(2)
        #expect(metrics.story.count { $0 == "metrics 1" } == 2)
        #expect(server.requests.count == 1)
    }

    // MARK: - Whoever leaves

    @Test func `P15: the first one's cancelling before the answer leaves the others to load`()
        async throws
    {
        let tasks = try await start(3)
        tasks[0].cancel()
        await recorder.waitForCompletions(3)
        #expect(recorder.calls.contains(.completed(1, .cancelled)))
        for task in 2...3 { expectFile(ofTask: task) }
    }

    @Test func `P15: the first one's cancelling during the answer takes nothing from the others`()
        async throws
    {
        let tasks = try await startHalf(3)
        tasks[0].cancel()
        await recorder.waitForCompletions()
        body.open()
        await recorder.waitForCompletions(3)
        for task in 2...3 { expectFile(ofTask: task) }
        #expect(ranges == [nil])
    }

    @Test func `P15: when all have left, the request ends`() async throws {
        for task in try await startHalf(3) { task.cancel() }
        await recorder.waitForCompletions(3)
        try await server.waitUntil { $0.requests(to: "/song").first?.state == .abandoned }
    }

    @Test(arguments: [0, 1])
    func `P15, RD-3: each has resume data of its own, and takes nothing from the other`(
        leaver: Int
    ) async throws {
        let tasks = try await startHalf(2)
        let resumeData = try #require(await tasks[leaver].cancelByProducingResumeData())
        session.downloadTask(withResumeData: resumeData).resume()
        await recorder.waitForCompletions(2)
        expectFile(ofTask: 3)
        body.open()
        await recorder.waitForCompletions(3)
        expectFile(ofTask: 2 - leaver)
        #expect(ranges == [nil, "bytes=1048576-"])
    }

    @Test(arguments: [0, 1])
    func `P15, DL-16: one that is suspended holds up nobody, and goes on where it was`(
        suspended: Int
    ) async throws {
        let tasks = try await startHalf(2)
        tasks[suspended].suspend()
        await session.flush()
        body.open()
        await recorder.waitForCompletions()
        expectFile(ofTask: 2 - suspended)
        #expect(ranges == [nil])
        tasks[suspended].resume()
        await recorder.waitForCompletions(2)
        expectFile(ofTask: suspended + 1)
        #expect(ranges == [nil, "bytes=1048576-"])
    }

    @Test func `P15, DL-16: a first one that is suspended before the answer holds up nobody`()
        async throws
    {
        let tasks = try await start(3)
        tasks[0].suspend()
        await recorder.waitForCompletions(2)
        for task in 2...3 { expectFile(ofTask: task) }
        tasks[0].resume()
        await recorder.waitForCompletions(3)
        expectFile(ofTask: 1)
    }

    @Test func `P15: a first one that is suspended in line holds up nobody`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        let session = URLSession(
            configuration: configuration,
            delegate: recorder,
            delegateQueue: nil
        )
        server.on("/slow", .file(file).waiting(at: head))
        server.on("/song", .file(file))
        session.downloadTask(with: try server.address("/slow")).resume()
        let url = try server.address("/song")
        let tasks = (0..<3).map { _ in session.downloadTask(with: url) }
        for task in tasks { task.resume() }
        tasks[0].suspend()
        for _ in 0..<2 { await session.flush() }
        head.open()
        await recorder.waitForCompletions(3)
        for task in [1, 3, 4] { expectFile(ofTask: task) }
        tasks[0].cancel()
        await recorder.waitForCompletions(4)
    }

    @Test func `P15, RD-4: a connection that is lost leaves each of them its bytes`() async throws {
        server.on(
            "/song",
            .file(file).waiting(at: head).dropping(after: Self.half),
            .file(file)
        )
        _ = try await start(2)
        head.open()
        await recorder.waitForCompletions(2)
        for task in 1...2 {
            let error = try #require(recorder.error(ofTask: task))
            #expect(error.code == .networkConnectionLost)
            let resumeData = try #require(error.downloadTaskResumeData)
            session.downloadTask(withResumeData: resumeData).resume()
        }
        await recorder.waitForCompletions(4)
        for task in 3...4 { expectFile(ofTask: task) }
        #expect(ranges == [nil, "bytes=1048576-", "bytes=1048576-"])
    }

    // MARK: - Who makes a request alone

    @Test func `P15: whoever proves to be somebody else gets a file of its own`() async throws {
        let url = try server.address("/song")
        for user in ["alice", "bob"] {
            var request = URLRequest(url: url)
            request.setValue("Bearer \(user)", forHTTPHeaderField: "Authorization")
            session.downloadTask(with: request).resume()
        }
        try await server.waitUntil { $0.requests.count == 2 }
        head.open()
        body.open()
        await recorder.waitForCompletions(2)
        let proofs = server.requests.map { $0["Authorization"] }
        #expect(Set(proofs) == ["Bearer alice", "Bearer bob"])
    }

    @Test func `P15: a download that is asked for a password answers for itself`() async throws {
        let file = FixtureAnswer.file(file)
        let head = head
        server.on("/private") { request in
            if request["Authorization"] != nil { return file }
            return .status(401, fields: [("WWW-Authenticate", "Basic realm=\"songs\"")])
                .waiting(at: head)
        }
        let delegate = DataRecorder()
        let session = delegate.makeSession()
        delegate.change {
            $0.challenge = { _ in
                let user = URLCredential(user: "a", password: "b", persistence: .none)
                return (.useCredential, user)
            }
        }
        let url = try server.address("/private")
        let tasks = (0..<2).map { _ in session.downloadTask(with: url) }
        tasks[0].resume()
        try await server.waitForStall(at: "/private")
        tasks[1].resume()
        for _ in 0..<2 { await session.flush() }
        head.open()
        await delegate.waitForEnd(2)
        #expect(delegate.story.count { $0 == "challenge 0" } == 2)
        #expect(delegate.story.count { $0 == "finished" } == 2)
    }

    @Test func `P15: a download with a delegate of its own, or past the cache, is alone`()
        async throws
    {
        let url = try server.address("/song")
        let own = session.downloadTask(with: url)
        own.delegate = SessionRecorder()
        var request = URLRequest(url: url)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        let fresh = (0..<2).map { _ in session.downloadTask(with: request) }
        for task in [own] + fresh + [session.downloadTask(with: url)] { task.resume() }
        try await server.waitUntil { $0.requests.count == 4 }
        session.invalidateAndCancel()
    }

    @Test func `P15: a download that has ended is loaded again`() async throws {
        head.open()
        body.open()
        for count in 1...2 {
            session.downloadTask(with: try server.address("/song")).resume()
            await recorder.waitForCompletions(count)
        }
        #expect(ranges == [nil, nil])
    }
}
