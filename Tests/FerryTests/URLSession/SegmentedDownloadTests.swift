import FerryTestSupport
import Foundation
import Testing

@testable import Ferry
@testable import FerryTransfer

@Suite("Downloads by several connections", .timeLimit(.minutes(1)))
struct SegmentedDownloadTests {
    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession
    private let content = FixtureContent.seeded(11, byteCount: 6_000_001)
    private let gate = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = Self.session(recorder)
    }

    private static func session(_ recorder: SessionRecorder, connections: Int = 3) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration[\.segments] = .eager(4, minimumSegmentBytes: 100_000)
        configuration.httpMaximumConnectionsPerHost = connections
        return URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    }

    /// Serves the file; the first answer stops after a million bytes.
    private func serve(_ further: FixtureAnswer? = nil) {
        let file = FixtureFile(content)
        server.on("/file", .file(file).stalling(after: 1_000_000, at: gate), further ?? .file(file))
    }

    @Test func `a task gets what the session's limit leaves, and tells one story`() async throws {
        serve()
        session.downloadTask(with: try server.address("/file")).resume()
        try await server.waitUntil { $0.requests.count > 3 }
        gate.open()
        await recorder.waitForCompletions()
        #expect(recorder.story == ["created", "wrote", "finished", "completed"])
        #expect(recorder.calls.contains(.finished(1, contents: Data(content.bytes))))
        #expect(server.history.maximumOpenConnectionCount <= 3)
        var sum: Int64 = 0
        for case .wrote(_, let new, let total, _) in recorder.calls {
            sum += new
            #expect(total == sum)
        }
        #expect(sum == content.byteCount)
    }

    @Test func `a task that waits comes before a further connection`() async throws {
        let session = Self.session(recorder, connections: 2)
        let file = FixtureFile(content)
        serve(.file(file).paced(bytesPerSecond: 2_000_000))
        server.on("/other", .content(.text("other")))
        session.downloadTask(with: try server.address("/file")).resume()
        // Both connections are the first task's now.
        try await server.waitUntil { $0.requests(to: "/file").count == 2 }
        session.downloadTask(with: try server.address("/other")).resume()
        await recorder.wait { $0.contains(.completed(2, nil)) }
        #expect(!recorder.calls.contains(.completed(1, nil)))
        gate.open()
        await recorder.waitForCompletions(2)
        #expect(recorder.calls.contains(.finished(1, contents: Data(content.bytes))))
    }

    @Test func `resume data keeps what all connections have brought`() async throws {
        let file = FixtureFile(content)
        serve(.file(file).stalling(after: 90_000, at: gate))
        let task = session.downloadTask(with: try server.address("/file"))
        task.resume()
        await recorder.waitForBytes(1_180_000)
        let data = try #require(await task.cancelByProducingResumeData())
        server.on("/file", .file(file))
        session.downloadTask(withResumeData: data).resume()
        await recorder.wait { $0.contains(.completed(2, nil)) }
        #expect(
            recorder.calls.contains(.resumed(2, offset: 1_180_000, expected: content.byteCount))
        )
        #expect(recorder.calls.contains(.finished(2, contents: Data(content.bytes))))
    }

    @Test func `a suspended task goes on with all its parts`() async throws {
        let file = FixtureFile(content)
        serve(.file(file).stalling(after: 90_000, at: gate))
        let task = session.downloadTask(with: try server.address("/file"))
        task.resume()
        await recorder.waitForBytes(1_180_000)
        task.suspend()
        try await server.waitUntil { $0.openConnectionCount == 0 }
        let count = server.requests.count
        server.on("/file", .file(file))
        task.resume()
        await recorder.waitForCompletions()
        #expect(recorder.calls.contains(.finished(1, contents: Data(content.bytes))))
        #expect(server.requests[count...].allSatisfy { $0.range != nil })
    }
}
