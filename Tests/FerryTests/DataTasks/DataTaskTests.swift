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

    @Test func `DL-29: async calls end that are cancelled while they fail`() async throws {
        let closed = try FixtureClosedPort()
        let url = try #require(URL(string: closed.url("/")))
        await withTaskGroup(of: URLError.Code?.self) { group in
            for number in 0..<500 {
                let call = Task { [session] in try await session.data(from: url) }
                group.addTask {
                    for _ in 0..<number % 50 { await Task.yield() }
                    call.cancel()
                    guard case .failure(let error) = await call.result else { return nil }
                    return (error as? URLError)?.code
                }
            }
            for await code in group { #expect(code == .cancelled || code == .cannotConnectToHost) }
        }
    }

    @Test func `DL-29: an async call is told of by its own delegate`() async throws {
        server.on("/moved", .redirect(to: "/song"))
        let own = DataRecorder()
        let (data, _) = try await session.data(from: try server.address("/moved"), delegate: own)
        #expect(data == Data("la la".utf8))
        #expect(own.story == ["redirect 302 GET /song", "metrics 2"])
        #expect(recorder.story == [])
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

    @Test func `OR-13: what has become a download and does not end well leaves no file`() async {
        // In a process of its own, so that all files there are this test's.
        await #expect(processExitsWith: .success) {
            _ = Home.path
            let server = try FixtureServer()
            let gate = FixtureGate()
            let file = FixtureFile(.seeded(7, byteCount: 2 << 20))
            server.on("/slow", .file(file).stalling(after: 1 << 20, at: gate))
            server.on("/cut", .file(file).dropping(after: 1 << 20))
            let recorder = DataRecorder()
            recorder.change { $0.disposition = .becomeDownload }
            let session = recorder.makeSession()
            session.dataTask(with: try server.address("/slow")).resume()
            await recorder.wait(for: "wrote")
            #expect(!Home.leftovers.isEmpty)
            for task in await session.allTasks { task.cancel() }
            await recorder.waitForEnd()
            #expect(recorder.error?.code == .cancelled)
            #expect(Home.leftovers == [])
            session.dataTask(with: try server.address("/cut")).resume()
            await recorder.waitForEnd(2)
            #expect(recorder.error?.code == .networkConnectionLost)
            #expect(recorder.story.count { $0 == "wrote" } == 2)
            #expect(Home.leftovers == [])
        }
    }

    @Test func `a stream task is refused`() async throws {
        recorder.change { $0.disposition = .becomeStream }
        session.dataTask(with: try server.address("/song")).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .unsupportedURL)
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
        #expect(task.response?.expectedContentLength == NSURLSessionTransferSizeUnknown)
        let length = (task.response as? HTTPURLResponse)?.value(
            forHTTPHeaderField: "Content-Length"
        )
        #expect(length != nil)
        #expect(task.countOfBytesReceived == 11)
    }

    @Test func `a packed body is asked for and unpacked without the app's doing`() async throws {
        server.on("/packed", .gzip(.text("la la la la")))
        let (data, _) = try await session.data(from: try server.address("/packed"))
        #expect(String(decoding: data, as: UTF8.self) == "la la la la")
        let accepted = try #require(server.requests.first?["Accept-Encoding"])
        #expect(accepted.contains("gzip") && accepted.contains("br"))
    }

    @Test func `KEEP-4: a coding that the app does not want stays, and is of the announced length`()
        async throws
    {
        let packed = FixtureGzip.encode(Array("la la la la".utf8))
        server.on("/packed", .gzip(.text("la la la la")))
        var request = URLRequest(url: try server.address("/packed"))
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        let task = session.dataTask(with: request)
        task.resume()
        await recorder.waitForEnd()
        #expect(Array(recorder.data) == packed)
        #expect(task.countOfBytesExpectedToReceive == Int64(packed.count))
        #expect(task.response?.expectedContentLength == Int64(packed.count))
    }

    @Test func `a request for a part asks for no coding`() async throws {
        server.on("/song", .file(FixtureFile(.text("la la la la"))))
        var request = URLRequest(url: try server.address("/song"))
        request.setValue("bytes=3-4", forHTTPHeaderField: "Range")
        let (data, response) = try await session.data(for: request)
        #expect(data == Data("la".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 206)
        #expect(server.requests.map { $0["Accept-Encoding"] } == ["identity"])
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
