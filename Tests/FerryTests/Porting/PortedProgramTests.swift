import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// Smaller programs, each for one habit of ported code.
@Suite("Ported programs", .timeLimit(.minutes(1)))
struct PortedProgramTests {
    private let server: FixtureServer
    private let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })

    init() throws {
        _ = Home.path
        server = try FixtureServer()
    }

    // MARK: - A proxy object

    @Test func `API-2: what a proxy object forwards arrives, and it ends`() async throws {
        server.on(
            "/song",
            .content(.text("la")).with(fields: [("Cache-Control", "max-age=1000")])
        )
        server.on("/moved", .redirect(to: "/song"))
        let recorder = DataRecorder()
        let log = TrafficLog(for: recorder)
        let session = URLSession(configuration: .ephemeral, delegate: log, delegateQueue: nil)
        session.dataTask(with: try server.address("/moved")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story
                == [
                    "redirect 302 GET /song", "response 200", "data", "will cache", "metrics 2",
                    "completed",
                ]
        )
        #expect(
            log.entries
                == [
                    "created", "redirect 302", "response 200", "cache", "metrics 2", "completed",
                ]
        )
        session.finishTasksAndInvalidate()
    }

    @Test func `API-2: a proxy object of a delegate that implements nothing ends, too`()
        async throws
    {
        server.on("/locked", .status(401, fields: [("WWW-Authenticate", "Basic realm=\"a\"")]))
        server.on("/moved", .redirect(to: "/locked"))
        let log = TrafficLog(for: SilentDelegate())
        let session = URLSession(configuration: .ephemeral, delegate: log, delegateQueue: nil)
        // With a handler of its own, of which delegates hear nothing.
        let (_, response) = try await session.data(from: try server.address("/moved"))
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(log.entries == ["created", "redirect 302", "challenge", "metrics 2"])
    }

    // MARK: - Streams

    private func upload(
        _ path: String,
        user: String = "alice"
    ) async throws -> (answer: Data, openingCount: Int) {
        let uploader = RecordingUploader(user: user, password: "harbour")
        let session = uploader.makeSession()
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/recording.ogg")
        try body.write(to: file)
        let url = try server.address(path)
        let answer = try await withCheckedThrowingContinuation { continuation in
            uploader.upload(file, to: url, method: "POST", in: session) {
                continuation.resume(with: $0)
            }
        }
        session.finishTasksAndInvalidate()
        return (answer, uploader.openingCount)
    }

    private func serveRecordings() {
        server.on("/in") { request in
            request["Authorization"] == "Basic YWxpY2U6aGFyYm91cg=="
                ? .content(.text("thanks"))
                : .status(401, fields: [("WWW-Authenticate", "Basic realm=\"a\"")], body: "who?")
        }
        server.on("/out", .content(.text("thanks")))
        server.on("/moved", .redirect(to: "/out", status: 307))
    }

    @Test func `API-1: a stream is opened again when a password is asked for`() async throws {
        serveRecordings()
        let (answer, openingCount) = try await upload("/in")
        #expect(answer == Data("thanks".utf8))
        #expect(openingCount == 2)
        #expect(server.requests.last?.body.elementsEqual(body) == true)
        #expect(server.requests.last?["Content-Type"] == "audio/ogg")
    }

    @Test func `API-1: a stream is opened again after a redirect that keeps the method`()
        async throws
    {
        serveRecordings()
        let (answer, openingCount) = try await upload("/moved")
        #expect(answer == Data("thanks".utf8))
        #expect(openingCount == 2)
        #expect(server.requests.map(\.method) == ["POST", "POST"])
        #expect(server.requests.allSatisfy { $0.body.elementsEqual(body) })
    }

    @Test func `API-1: a stream's task that is refused for good is cancelled`() async throws {
        serveRecordings()
        await expectURLError(.cancelled) { try await upload("/in", user: "mallory") }
    }

    // MARK: - Protocol classes

    @Test func `API-4: a protocol class knows the fields that the session adds`() async throws {
        let url = try #require(URL(string: "https://service.invalid/key"))
        let session = URLSession(configuration: StubbedService.configuration(key: "abc"))
        let (data, response) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "Your key is abc.")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        session.finishTasksAndInvalidate()
    }
}

private final class SilentDelegate: NSObject, URLSessionDataDelegate {}
