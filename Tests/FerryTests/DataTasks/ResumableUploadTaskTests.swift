import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Resumable uploads", .timeLimit(.minutes(3)))
struct ResumableUploadTaskTests {
    private let recorder = DataRecorder()
    private let session: URLSession
    private let directory: TemporaryDirectory
    private let content = FixtureContent.seeded(43, byteCount: 1_000_003)
    private let file: URL

    static let versions = [3, 5, 6, 8]

    init() throws {
        _ = Home.path
        session = recorder.makeSession()
        directory = try TemporaryDirectory()
        file = URL(fileURLWithPath: directory.path + "/body")
        try Data(content.bytes).write(to: file)
    }

    private func request(
        _ server: UploadServer,
        _ path: String = "/in",
        idle: Double = 60
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: server.url(path))))
        request.httpMethod = "PUT"
        request.timeoutInterval = idle
        return request
    }

    /// Uploads a little until the server was offered what it speaks.
    private func introduce(_ server: UploadServer) async throws {
        for _ in 0..<4
        where server.requests.last?["Upload-Draft-Interop-Version"] != "\(server.version)" {
            let quiet = try request(server, "/introduction")
            _ = try await session.upload(for: quiet, from: Data("hello".utf8))
        }
    }

    /// A reset may overtake the interim response to the first request.
    private static func isReset(_ request: UploadServerRequest) -> Bool {
        request.method == "PATCH" && request.number % 3 == 0
    }

    private func difference(_ server: UploadServer) -> Int? {
        content.firstDifference(from: server.contents(of: "/in"))
    }

    // MARK: - Brief interruptions

    @Test(arguments: versions)
    func `UP-5: a task goes on through thirty cuts`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            guard request.target != "/introduction", request.number < 66 else {
                return UploadBehaviour()
            }
            return request.method == "HEAD"
                ? UploadBehaviour() : .cutting(after: 9_001, isReset: Self.isReset(request))
        }
        try await introduce(server)
        let task = session.uploadTask(with: try request(server), fromFile: file)
        task.resume()
        await recorder.wait(for: "completed")
        #expect(difference(server) == nil)
        #expect(server.violations == [])
        #expect(recorder.text == "thanks")
        #expect(task.countOfBytesSent == 1_000_003)
        #expect(server.requests.count { $0.method == "PATCH" } >= 30)
        #expect(recorder.error == nil)
    }

    @Test func `UP-11: the delegate hears of the interim response`() async throws {
        let server = try UploadServer(version: 8)
        session.uploadTask(with: try request(server), fromFile: file).resume()
        await recorder.wait(for: "completed")
        #expect(recorder.story.contains("informational 104"))
    }

    @Test func `UP-10: the rest of a stream is asked for by its offset`() async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .cutting(after: 400_000) : UploadBehaviour()
        }
        recorder.change { [content] answers in
            answers.stream = { Data(content.bytes) }
            answers.streamFrom = { Data(content.bytes(in: $0..<content.byteCount)) }
        }
        session.uploadTask(withStreamedRequest: try request(server)).resume()
        await recorder.wait(for: "completed")
        #expect(recorder.story.contains("stream from 400000"))
        #expect(difference(server) == nil)
    }

    // MARK: - Resume data

    /// A server that cuts everything off until it is told not to.
    private func interruptedServer(_ gate: FixtureGate) throws -> UploadServer {
        try UploadServer(version: 8) { request in
            if gate.isOpen { return UploadBehaviour() }
            return request.method == "PUT" ? .cutting(after: 300_000) : .answering(503)
        }
    }

    @Test func `UP-5: after a longer interruption the error has resume data`() async throws {
        let gate = FixtureGate()
        let server = try interruptedServer(gate)
        let task = session.uploadTask(with: try request(server, idle: 0.5), fromFile: file)
        task.resume()
        await recorder.waitForEnd()
        let data = try #require(recorder.error?.uploadTaskResumeData)
        #expect(recorder.error?.downloadTaskResumeData == nil)
        gate.open()
        session.uploadTask(withResumeData: data).resume()
        await recorder.wait(for: "completed")
        #expect(difference(server) == nil)
        #expect(server.requests.count { $0.method == "PUT" } == 1)
        #expect(server.violations == [])
    }

    @Test(arguments: [true, false])
    func `UP-5: a cancelled upload is continued, from a file or from memory`(
        isFile: Bool
    ) async throws {
        let gate = FixtureGate()
        let server = try interruptedServer(gate)
        let request = try request(server)
        let task =
            isFile
            ? session.uploadTask(with: request, fromFile: file)
            : session.uploadTask(with: request, from: Data(content.bytes))
        task.resume()
        await server.waitUntil { $0.requests.contains { $0.method == "HEAD" } }
        let data = try #require(await task.cancelByProducingResumeData())
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
        #expect(recorder.error?.uploadTaskResumeData == data)
        gate.open()
        let rest = session.uploadTask(withResumeData: data)
        #expect(rest.originalRequest?.url == request.url)
        #expect(rest.countOfBytesExpectedToSend == 1_000_003)
        rest.resume()
        await recorder.wait(for: "completed")
        #expect(difference(server) == nil)
        #expect(rest.countOfBytesSent == 1_000_003)
        #expect(server.requests.contains { $0.method == "DELETE" } == false)
    }

    @Test func `UP-5: a stream is continued by another task`() async throws {
        let gate = FixtureGate()
        let server = try interruptedServer(gate)
        recorder.change { [content] answers in
            answers.stream = { Data(content.bytes) }
            answers.streamFrom = { Data(content.bytes(in: $0..<content.byteCount)) }
        }
        let task = session.uploadTask(withStreamedRequest: try request(server))
        task.resume()
        await server.waitUntil { $0.requests.contains { $0.method == "HEAD" } }
        let data = try #require(await task.cancelByProducingResumeData())
        gate.open()
        session.uploadTask(withResumeData: data).resume()
        await recorder.wait(for: "completed")
        #expect(difference(server) == nil)
    }

    @Test func `UP-4: without the interim response there is no resume data`() async throws {
        let server = try UploadServer(version: 8) { _ in
            .with {
                $0.cut = 1_000
                $0.announces = false
            }
        }
        session.uploadTask(with: try request(server), fromFile: file).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .networkConnectionLost)
        #expect(recorder.error?.uploadTaskResumeData == nil)
        #expect(recorder.error?.userInfo[NSURLSessionUploadTaskResumeData] == nil)
    }

    @Test func `UP-10: a file that was changed is not continued`() async throws {
        let gate = FixtureGate()
        let server = try interruptedServer(gate)
        let task = session.uploadTask(with: try request(server), fromFile: file)
        task.resume()
        await server.waitUntil { $0.requests.contains { $0.method == "HEAD" } }
        let data = try #require(await task.cancelByProducingResumeData())
        await recorder.waitForEnd()
        gate.open()
        try Data("something else".utf8).write(to: file, options: [])
        session.uploadTask(withResumeData: data).resume()
        await recorder.waitForEnd(2)
        #expect(recorder.error?.code == .cannotOpenFile)
        #expect(server.requests.contains { $0.method == "PATCH" } == false)
    }

    @Test func `UP-10: a file that is missing is not continued`() async throws {
        let gate = FixtureGate()
        let server = try interruptedServer(gate)
        let task = session.uploadTask(with: try request(server), fromFile: file)
        task.resume()
        await server.waitUntil { $0.requests.contains { $0.method == "HEAD" } }
        let data = try #require(await task.cancelByProducingResumeData())
        await recorder.waitForEnd()
        try FileManager.default.removeItem(at: file)
        session.uploadTask(withResumeData: data).resume()
        await recorder.waitForEnd(2)
        #expect(recorder.error?.code == .fileDoesNotExist)
    }

    @Test func `UP-12: what is no resume data fails the task when it is resumed`() async throws {
        let task = session.uploadTask(withResumeData: Data("nonsense".utf8))
        #expect(task.state == .suspended)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .unsupportedURL)
    }

    @Test func `UP-12: resume data is good for one task`() async throws {
        let gate = FixtureGate()
        let server = try interruptedServer(gate)
        let task = session.uploadTask(with: try request(server), fromFile: file)
        task.resume()
        await server.waitUntil { $0.requests.contains { $0.method == "HEAD" } }
        let data = try #require(await task.cancelByProducingResumeData())
        gate.open()
        session.uploadTask(withResumeData: data).resume()
        await recorder.wait(for: "completed")
        session.uploadTask(withResumeData: data).resume()
        await recorder.wait(for: "completed \(URLError.Code.unsupportedURL.rawValue)")
        #expect(server.requests.count { $0.method == "PATCH" } == 1)
    }

    @Test func `a cancelled upload is taken back from the server`() async throws {
        let gate = FixtureGate()
        let server = try interruptedServer(gate)
        let task = session.uploadTask(with: try request(server), fromFile: file)
        task.resume()
        await server.waitUntil { $0.requests.contains { $0.method == "HEAD" } }
        gate.open()
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.error?.uploadTaskResumeData == nil)
        await server.waitUntil { $0.removedCount == 1 }
        #expect(server.openUploadCount == 0)
    }
}
