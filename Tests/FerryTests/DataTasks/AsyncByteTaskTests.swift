import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Bytes of a response", .timeLimit(.minutes(1)))
struct AsyncByteTaskTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
    }

    @Test func `DL-32: bytes come as they arrive, after the response`() async throws {
        let gate = FixtureGate()
        server.on("/lines", .content(.text("la\nli\nlu\n")).stalling(after: 3, at: gate))
        let (bytes, response) = try await session.bytes(from: try server.address("/lines"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        var lines = bytes.lines.makeAsyncIterator()
        #expect(try await lines.next() == "la")
        gate.open()
        #expect(try await lines.next() == "li")
        #expect(try await lines.next() == "lu")
        #expect(try await lines.next() == nil)
    }

    @Test func `DL-32: an error after the response is thrown by the iteration`() async throws {
        server.on("/gone", .content(.text("la la")).dropping(after: 2))
        let (bytes, _) = try await session.bytes(from: try server.address("/gone"))
        var count = 0
        let error = await #expect(throws: URLError.self) {
            for try await _ in bytes { count += 1 }
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(count == 2)
    }

    @Test func `an error before the response is thrown at once`() async throws {
        let url = try #require(URL(string: "gopher://example.com/"))
        await expectURLError(.unsupportedURL) { try await session.bytes(from: url) }
    }

    @Test func `a task that its delegate cancels at once is no response`() async throws {
        let url = try #require(URL(string: server.url("/lines")))
        await expectURLError(.cancelled) {
            try await session.bytes(from: url, delegate: CancellingDelegate())
        }
    }

    @Test func `DL-32: nobody who iterates makes the server wait`() async throws {
        let total: Int64 = 64 << 20
        server.on("/long", .content(.seeded(5, byteCount: total)))
        let (bytes, _) = try await session.bytes(from: try server.address("/long"))
        try await server.waitUntil { $0.requests.first?.state == .blocked }
        #expect(bytes.task.countOfBytesReceived < 16 << 20)
        bytes.task.cancel()
    }

    @Test func `all bytes come, in order`() async throws {
        let total: Int64 = 5 << 20
        let content = FixtureContent.seeded(6, byteCount: total)
        server.on("/long", .content(content))
        let (bytes, _) = try await session.bytes(from: try server.address("/long"))
        var received: [UInt8] = []
        received.reserveCapacity(Int(total))
        for try await byte in bytes { received.append(byte) }
        #expect(received == content.bytes)
    }

    @Test func `the error of bytes whose reader is cancelled names the URL`() async throws {
        server.on("/long", .content(.seeded(7, byteCount: 64 << 20)))
        let url = try server.address("/long")
        let reader = Task { [session] in
            let (bytes, _) = try await session.bytes(from: url)
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in bytes {}
        }
        let error = await #expect(throws: URLError.self) { try await reader.value }
        #expect(error?.code == .cancelled)
        #expect(error?.failingURL == url)
    }

    @Test func `dropping the bytes cancels the task`() async throws {
        let total: Int64 = 64 << 20
        server.on("/long", .content(.seeded(7, byteCount: total)))
        var answer: (URLSession.AsyncBytes, URLResponse)? = try await session.bytes(
            from: try server.address("/long")
        )
        let task = try #require(answer?.0.task)
        answer = nil
        await recorder.wait(for: "metrics 1")
        #expect((task.error as? URLError)?.code ?? .cancelled == .cancelled)
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
    }
}

private final class CancellingDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { task.cancel() }
}
