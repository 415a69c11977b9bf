import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Data tasks", .timeLimit(.minutes(1)))
struct DataTaskTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/song", .content(.text("la la")))
    }

    @Test func `OR-1: a task's delegate hears of it before anybody has it`() throws {
        let creations = CreationRecorder()
        let session = URLSession(
            configuration: .ephemeral,
            delegate: creations,
            delegateQueue: nil
        )
        let url = try server.address("/song")
        let task = session.dataTask(with: url)
        #expect(creations.identifiers == [task.taskIdentifier])
        #expect(creations.isOnDelegateQueue == false)
        #expect(session.uploadTask(with: URLRequest(url: url), from: Data()).taskIdentifier == 2)
        #expect(creations.identifiers == [1, 2])
        session.invalidateAndCancel()
    }

    @Test func `OR-12: a response in several parts is handed over as one`() async throws {
        let body = "--x\r\n\r\none\r\n--x\r\n\r\ntwo\r\n--x--\r\n"
        let type = "multipart/x-mixed-replace; boundary=x"
        server.on("/parts", .content(.text(body)).with(fields: [("Content-Type", type)]))
        session.dataTask(with: try server.address("/parts")).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 200", "data", "metrics 1", "completed"])
        #expect(recorder.text == body)
    }

    @Test func `DL-24: metrics come once, before the end, also of a task that fails`() async throws
    {
        server.on("/gone", .content(.text("la la")).dropping(after: 2))
        session.dataTask(with: try server.address("/gone")).resume()
        await recorder.waitForEnd()
        #expect(recorder.story.suffix(2) == ["metrics 1", "completed -1005"])
        #expect(recorder.story.count { $0.hasPrefix("metrics") } == 1)
    }

    @Test func `DL-28: bodies are handed over in parts unless the app says otherwise`() throws {
        let task = session.dataTask(with: try server.address("/song"))
        #expect(task.prefersIncrementalDelivery)
        task.prefersIncrementalDelivery = false
        #expect(!task.prefersIncrementalDelivery)
    }

    @Test func `DL-31: an async download tells its delegate of no bytes`() async throws {
        let own = DataRecorder()
        let url = try server.address("/song")
        let (file, _) = try await session.download(from: url, delegate: own)
        #expect(own.story == ["metrics 1"])
        try FileManager.default.removeItem(at: file)
    }

    @Test func `OR-2: a delegate hears of the response, the data and the end`() async throws {
        let task = session.dataTask(with: try server.address("/song"))
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 200", "data", "metrics 1", "completed"])
        #expect(recorder.text == "la la")
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(task.state == .completed)
        #expect(task.countOfBytesReceived == 5)
        #expect(task.countOfBytesExpectedToReceive == 5)
        #expect(task.countOfBytesExpectedToSend == 0)
    }

    @Test(arguments: ["HEAD", "GET"])
    func `OR-3: without a body no data is told of`(method: String) async throws {
        server.on("/empty", .content(.empty))
        var request = URLRequest(url: try server.address("/empty"))
        request.httpMethod = method
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 200", "metrics 1", "completed"])
    }

    @Test func `OR-3: a 304 that the app has asked for is the answer`() async throws {
        server.on("/same", .status(304))
        var request = URLRequest(url: try server.address("/same"))
        request.setValue("\"x\"", forHTTPHeaderField: "If-None-Match")
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 304", "metrics 1", "completed"])
    }

    @Test func `DL-2: a completion handler takes the place of the messages about the answer`()
        async throws
    {
        let url = try server.address("/song")
        let queue = session.delegateQueue
        let (data, response) = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, response, error in
                #expect(OperationQueue.current === queue)
                #expect(error == nil)
                continuation.resume(returning: (data, response))
            }.resume()
        }
        #expect(data == Data("la la".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(recorder.story == ["metrics 1"])
    }

    @Test func `a completion handler gets empty data for an empty body`() async throws {
        server.on("/empty", .status(204))
        let (data, response) = try await session.data(from: try server.address("/empty"))
        #expect(data.isEmpty)
        #expect((response as? HTTPURLResponse)?.statusCode == 204)
    }

    @Test func `a completion handler gets the error, and no data`() async throws {
        server.on("/gone", .content(.text("la la")).dropping(after: 2))
        let url = try server.address("/gone")
        let (data, error) = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, _, error in
                continuation.resume(returning: (data, error as? URLError))
            }.resume()
        }
        #expect(data == nil)
        #expect(error?.code == .networkConnectionLost)
        #expect(error?.failingURL == url)
    }

    @Test func `DL-29: cancelling a Swift task cancels the session's`() async throws {
        let gate = FixtureGate()
        server.on("/slow", .content(.text("la la")).stalling(after: 1, at: gate))
        let url = try server.address("/slow")
        let task = Task { [session] in try await session.data(from: url) }
        try await server.waitForStall(at: "/slow")
        task.cancel()
        await expectURLError(.cancelled) { try await task.value }
        gate.open()
    }

    @Test func `DL-29: an async call is told of by its own delegate`() async throws {
        server.on("/moved", .redirect(to: "/song"))
        let own = DataRecorder()
        let (data, _) = try await session.data(from: try server.address("/moved"), delegate: own)
        #expect(data == Data("la la".utf8))
        #expect(own.story == ["redirect 302 GET /song", "metrics 2"])
        #expect(recorder.story == [])
    }

    @Test func `DL-14: nothing is told until the response is answered`() async throws {
        recorder.change { $0.answersResponses = false }
        let task = session.dataTask(with: try server.address("/song"))
        task.resume()
        await recorder.wait(for: "response 200")
        try await server.waitUntil { $0.requests.first?.state == .sent }
        await session.flush()
        #expect(recorder.story == ["response 200"])
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 200", "metrics 1", "completed -999"])
    }

    @Test func `DL-14: an answer of cancel cancels the task, which gets no data`() async throws {
        recorder.change { $0.disposition = .cancel }
        session.dataTask(with: try server.address("/song")).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 200", "metrics 1", "completed -999"])
        #expect(recorder.data.isEmpty)
    }

    @Test func `OR-13: a data task can become a download`() async throws {
        recorder.change { $0.disposition = .becomeDownload }
        let task = session.dataTask(with: try server.address("/song"))
        task.resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == [
                "response 200", "became download", "wrote", "finished", "metrics 1", "completed",
            ]
        )
        #expect(recorder.file == Data("la la".utf8))
        #expect(task.state == .completed)
        session.finishTasksAndInvalidate()
        await recorder.wait(for: "invalid")
    }

    @Test func `a stream task is refused`() async throws {
        recorder.change { $0.disposition = .becomeStream }
        session.dataTask(with: try server.address("/song")).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .unsupportedURL)
    }

    @Test func `a slow app makes the server wait`() async throws {
        let total: Int64 = 64 << 20
        server.on("/long", .content(.seeded(3, byteCount: total)))
        let taken = DispatchSemaphore(value: 0)
        recorder.change { answers in
            answers.gotData = { taken.wait() }
        }
        let task = session.dataTask(with: try server.address("/long"))
        task.resume()
        try await server.waitUntil { $0.requests.first?.state == .blocked }
        #expect(task.countOfBytesReceived < 16 << 20)
        recorder.change { $0.gotData = {} }
        taken.signal()
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(Int64(recorder.data.count) == total)
        #expect(recorder.data == Data(FixtureContent.seeded(3, byteCount: total).bytes))
    }

    @Test func `DL-15, DL-16: a suspended task makes no traffic, and goes on`() async throws {
        let total: Int64 = 32 << 20
        server.on("/long", .content(.seeded(4, byteCount: total)))
        recorder.change { $0.answersResponses = false }
        let task = session.dataTask(with: try server.address("/long"))
        task.resume()
        await recorder.wait(for: "response 200")
        task.suspend()
        #expect(task.state == .suspended)
        try await server.waitUntil { $0.requests.first?.state == .blocked }
        task.resume()
        #expect(task.state == .running)
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
    }

    @Test func `DL-17, DL-18: a task that was never resumed can be cancelled`() async throws {
        let task = session.dataTask(with: try server.address("/song"))
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.story == ["metrics 0", "completed -999"])
        task.resume()
        #expect(task.state == .completed)
        #expect(server.requests.isEmpty)
    }

    @Test func `thousands of tasks end, each of them once`() async throws {
        let url = try server.address("/song")
        let count = 2000
        for number in 0..<count {
            let task = session.dataTask(with: url)
            task.resume()
            if number.isMultiple(of: 3) { task.cancel() }
        }
        await recorder.waitForEnd(count)
        session.finishTasksAndInvalidate()
        await recorder.wait(for: "invalid")
        #expect(recorder.story.count { $0.hasPrefix("completed") } == count)
    }

    @Test func `DL-34: of a decoded body the length is not known`() async throws {
        server.on("/packed", .gzip(.text("la la la la")))
        var request = URLRequest(url: try server.address("/packed"))
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        let task = session.dataTask(with: request)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.text == "la la la la")
        #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
        #expect(task.countOfBytesReceived == 11)
    }

    @Test func `a packed body is asked for and unpacked without the app's doing`() async throws {
        server.on("/packed", .gzip(.text("la la la la")))
        let (data, _) = try await session.data(from: try server.address("/packed"))
        #expect(String(decoding: data, as: UTF8.self) == "la la la la")
        let accepted = try #require(server.requests.first?["Accept-Encoding"])
        #expect(accepted.contains("gzip") && accepted.contains("br"))
    }

    @Test func `UP-11: interim responses are told of, before the response`() async throws {
        server.on(
            "/hinted",
            .content(.text("la")).after(interim: 103, fields: [("Link", "</style.css>")])
        )
        session.dataTask(with: try server.address("/hinted")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == [
                "informational 103", "response 200", "data", "metrics 1", "completed",
            ]
        )
    }

    @Test func `DL-13: the delegate decides what is cached`() async throws {
        let session = recorder.makeSession {
            $0.urlCache = URLSessionConfiguration.ephemeral.urlCache
        }
        server.on(
            "/cached",
            .content(.text("la")).with(fields: [("Cache-Control", "max-age=600")])
        )
        let url = try server.address("/cached")
        recorder.change { answers in
            answers.cached = { response in
                CachedURLResponse(
                    response: response.response,
                    data: Data("mine".utf8),
                    userInfo: nil,
                    storagePolicy: .allowedInMemoryOnly
                )
            }
        }
        session.dataTask(with: url).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == ["response 200", "data", "will cache", "metrics 1", "completed"]
        )
        let (data, response) = try await session.data(from: url)
        #expect(data == Data("mine".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(server.requests.count == 1)
    }

    @Test func `what is stored is confirmed by the server`() async throws {
        let session = recorder.makeSession {
            $0.urlCache = URLSessionConfiguration.ephemeral.urlCache
        }
        server.on(
            "/tagged",
            .content(.text("la")).with(fields: [("ETag", "\"1\""), ("Cache-Control", "no-cache")]),
            .status(304, fields: [("ETag", "\"1\"")])
        )
        let url = try server.address("/tagged")
        for _ in 0..<2 {
            let (data, response) = try await session.data(from: url)
            #expect(data == Data("la".utf8))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"1\""])
    }

    @Test func `a request for the cache alone fails where nothing is stored`() async throws {
        let session = recorder.makeSession {
            $0.urlCache = URLSessionConfiguration.ephemeral.urlCache
        }
        var request = URLRequest(url: try server.address("/song"))
        request.cachePolicy = .returnCacheDataDontLoad
        let asked = request
        await expectURLError(.resourceUnavailable) { try await session.data(for: asked) }
        #expect(server.requests.isEmpty)
    }

    @Test func `a data URL is its own answer`() async throws {
        let url = try #require(URL(string: "data:text/plain;base64,bGEgbGE="))
        session.dataTask(with: url).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 0", "data", "metrics 0", "completed"])
        #expect(recorder.text == "la la")
        let (location, _) = try await session.download(from: url)
        #expect(try Data(contentsOf: location) == Data("la la".utf8))
        try FileManager.default.removeItem(at: location)
    }

    @Test func `a file URL works in data and download tasks`() async throws {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/a song.txt")
        try Data("la la".utf8).write(to: file)
        let (data, response) = try await session.data(from: file)
        #expect(data == Data("la la".utf8))
        #expect(response.expectedContentLength == 5)
        session.downloadTask(with: file).resume()
        await recorder.wait(for: "completed")
        #expect(recorder.file == Data("la la".utf8))
        let missing = URL(fileURLWithPath: directory.path + "/missing")
        await expectURLError(.fileDoesNotExist) { try await session.data(from: missing) }
    }

    @Test func `DL-1: without a queue of the app's, calls come on one of the session's`()
        async throws
    {
        session.dataTask(with: try server.address("/song")).resume()
        await recorder.waitForEnd()
        #expect(recorder.queues == ["ferry.session.delegate"])
    }
}

/// Notes which tasks were created, and whether that was told on the delegate queue.
private final class CreationRecorder: NSObject, URLSessionTaskDelegate {
    private let state = Awaited<(identifiers: [Int], isOnQueue: Bool)>(([], false))

    var identifiers: [Int] { state.value.identifiers }
    var isOnDelegateQueue: Bool { state.value.isOnQueue }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        let isOnQueue = OperationQueue.current === session.delegateQueue
        state.change { state in
            state.identifiers.append(task.taskIdentifier)
            state.isOnQueue = state.isOnQueue || isOnQueue
        }
    }
}
