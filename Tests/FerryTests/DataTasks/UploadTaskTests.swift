import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Upload tasks", .timeLimit(.minutes(1)))
struct UploadTaskTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession
    private let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/in", .content(.text("thanks")))
    }

    private func request(_ path: String = "/in", _ method: String = "PUT") throws -> URLRequest {
        var request = URLRequest(url: try server.address(path))
        request.httpMethod = method
        return request
    }

    private let story = ["sent", "response 200", "data", "metrics 1", "completed"]

    @Test func `OR-4: data is sent`() async throws {
        let task = session.uploadTask(with: try request(), from: body)
        #expect(task.countOfBytesExpectedToSend == 300_000)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.story == story)
        #expect(recorder.text == "thanks")
        #expect(recorder.sent.dropFirst() == [300_000, 300_000])
        #expect(server.requests.first?.body.elementsEqual(body) == true)
        #expect(server.requests.first?["Content-Length"] == "300000")
        #expect(task.countOfBytesSent == 300_000)
    }

    @Test func `DL-8: a file is sent, and not the request's body`() async throws {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/body")
        try body.write(to: file)
        var request = try request()
        request.httpBody = Data("ignored".utf8)
        let task = session.uploadTask(with: request, fromFile: file)
        #expect(task.countOfBytesExpectedToSend == 300_000)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.story == story)
        #expect(recorder.sent.dropFirst() == [300_000, 300_000])
        #expect(server.requests.first?.body.elementsEqual(body) == true)
    }

    @Test func `OR-5, DL-7: a stream is asked for, and sent in chunks`() async throws {
        recorder.change { [body] in $0.stream = { body } }
        let task = session.uploadTask(withStreamedRequest: try request())
        #expect(task.countOfBytesExpectedToSend == NSURLSessionTransferSizeUnknown)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["stream"] + story)
        #expect(recorder.sent.dropFirst() == [300_000, -1])
        #expect(server.requests.first?.body.elementsEqual(body) == true)
        #expect(server.requests.first?["Transfer-Encoding"] == "chunked")
    }

    @Test func `DL-7: a stream is asked for again when it must be sent again`() async throws {
        server.on("/moved", .redirect(to: "/in", status: 307))
        recorder.change { [body] in $0.stream = { body } }
        session.uploadTask(withStreamedRequest: try request("/moved")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == ["stream", "sent", "redirect 307 PUT /in", "stream"]
                + story.dropLast(2)
                + ["metrics 2", "completed"]
        )
        #expect(server.requests.map(\.body.count) == [300_000, 300_000])
    }

    @Test func `a stream that is not given fails the task`() async throws {
        session.uploadTask(withStreamedRequest: try request()).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .requestBodyStreamExhausted)
        #expect(server.requests.isEmpty)
    }

    @Test func `a request's own stream is sent, as long as it says`() async throws {
        var request = try request("/in", "POST")
        request.httpBodyStream = InputStream(data: body)
        request.setValue("300000", forHTTPHeaderField: "Content-Length")
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == story)
        #expect(server.requests.first?.body.elementsEqual(body) == true)
        #expect(server.requests.first?["Content-Length"] == "300000")
    }

    @Test func `DL-16: a suspended upload sends nothing, and goes on`() async throws {
        server.on("/song", .content(.text("la")))
        let total = 64 << 20
        let task = session.uploadTask(with: try request(), from: Data(count: total))
        recorder.change { $0.didSend = { if $0.state == .running { $0.suspend() } } }
        task.resume()
        await recorder.wait(for: "sent")
        // What was asked for before is carried out when this is.
        await session.flush()
        let sent = task.countOfBytesSent
        #expect(sent < total)
        _ = try await session.data(from: try server.address("/song"))
        #expect(task.countOfBytesSent == sent)
        recorder.change { $0.didSend = { _ in } }
        task.resume()
        await recorder.wait(for: "completed")
        #expect(server.requests.last?.body.count == total)
    }

    @Test func `a file that is missing fails the task`() async throws {
        let missing = URL(fileURLWithPath: "/nowhere/at/all")
        session.uploadTask(with: try request(), fromFile: missing).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .fileDoesNotExist)
        #expect(server.requests.isEmpty)
    }

    @Test func `DL-5: a GET with a body fails before anything is sent`() async throws {
        session.uploadTask(with: try request("/in", "GET"), from: body).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .dataLengthExceedsMaximum)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [("POST", "application/x-www-form-urlencoded"), ("PUT", nil)])
    func `DL-6: a POST without type is a form`(method: String, type: String?) async throws {
        var request = try request("/in", method)
        request.httpBody = Data("a=b".utf8)
        _ = try await session.data(for: request)
        #expect(server.requests.first?["Content-Type"] == type)
    }

    @Test(arguments: ["POST", "PUT"])
    func `API-10: a POST without type is a form, whatever its body comes from`(
        method: String
    ) async throws {
        let type = method == "POST" ? "application/x-www-form-urlencoded" : nil
        recorder.change { [body] in $0.stream = { body } }
        let request = try request("/in", method)
        var streaming = request
        streaming.httpBodyStream = InputStream(data: body)
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/body")
        try body.write(to: file)
        let tasks = [
            session.dataTask(with: streaming), session.uploadTask(with: request, from: body),
            session.uploadTask(with: request, fromFile: file),
            session.uploadTask(withStreamedRequest: request),
        ]
        for (index, task) in tasks.enumerated() {
            task.resume()
            await recorder.waitForEnd(index + 1)
        }
        #expect(server.requests.map { $0["Content-Type"] } == [type, type, type, type])
        #expect(server.requests.allSatisfy { $0.body.elementsEqual(body) })
    }

    @Test func `API-10: an upload's own type stays, and nothing sent has none`() async throws {
        var request = try request("/in", "POST")
        _ = try await session.upload(for: request, from: Data())
        request.setValue("audio/ogg", forHTTPHeaderField: "content-type")
        _ = try await session.upload(for: request, from: body)
        #expect(server.requests.map { $0["Content-Type"] } == [nil, "audio/ogg"])
    }

    @Test func `handlers and async calls get the answer`() async throws {
        let (data, _) = try await session.upload(for: try request(), from: body)
        #expect(data == Data("thanks".utf8))
        let request = try request()
        let text = await withCheckedContinuation { continuation in
            session.uploadTask(with: request, from: body) { data, _, _ in
                continuation.resume(returning: data.map { String(decoding: $0, as: UTF8.self) })
            }.resume()
        }
        #expect(text == "thanks")
        #expect(server.requests.map(\.body.count) == [300_000, 300_000])
    }

    /// A stream that says that it has read more than it was asked for.
    private final class BoastingStream: InputStream {
        override var hasBytesAvailable: Bool { true }
        override var streamStatus: Stream.Status { .open }
        override var streamError: (any Error)? { nil }

        override func open() {}
        override func close() {}

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            length + 1
        }
    }

    @Test func `REL-10: a stream that says that it has read too much fails its task`() async throws
    {
        var request = try request()
        request.httpBodyStream = BoastingStream(data: Data())
        let task = session.uploadTask(withStreamedRequest: request)
        task.resume()
        await recorder.waitForEnd()
        #expect((task.error as? URLError)?.code == .requestBodyStreamExhausted)
    }
}

/// Uploads of files whose file system does not answer any more.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
struct HangingUploadTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/in", .content(.text("thanks")))
        server.on("/other", .content(.text("hello")))
    }

    @Test(arguments: [HangingDisk.Operation.open, .getattr, .read])
    func `REL-1: a file that does not answer stops no other task, and its own can be cancelled`(
        operation: HangingDisk.Operation
    ) async throws {
        let disk = try await HangingDisk(byteCount: 20_000_000)
        // Without the hint Foundation would look whether it is a directory, and hang itself.
        let file = URL(filePath: disk.file, directoryHint: .notDirectory)
        try await disk.hang(operation)
        var request = URLRequest(url: try server.address("/in"))
        request.httpMethod = "PUT"
        let task = session.uploadTask(with: request, fromFile: file)
        task.resume()
        try await disk.waitUntilHanging(operation)
        let (data, _) = try await session.data(from: try server.address("/other"))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        task.cancel()
        await recorder.waitForEnd()
        #expect((task.error as? URLError)?.code == .cancelled)
        #expect(server.requests(to: "/in").isEmpty)
        try await disk.proceed()
    }
}
