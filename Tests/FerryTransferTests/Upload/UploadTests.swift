import FerryHTTP
import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct UploadTests {
    let bench: DownloadBench
    let content = FixtureContent.seeded(31, byteCount: 3_000_001)

    init() throws {
        bench = try DownloadBench()
        try bench.temporary.write(content.bytes, to: "source")
    }

    private func request(_ path: String = "/upload", method: String = "POST") -> TransferRequest {
        TransferRequest(url: bench.server.url(path), method: method, idleTimeout: 30)
    }

    /// Uploads a file in the state that it is in now.
    private func upload(
        _ request: TransferRequest? = nil,
        _ name: String = "source",
        _ configuration: Upload.Configuration = Upload.Configuration()
    ) throws -> UploadProbe {
        let file = try bench.temporary.directory.open(name, .read)
        let identity = try file.identity()
        return UploadProbe(
            request ?? self.request(),
            UploadSource(UserFile(file), identity: identity),
            answer: bench.file("answer"),
            client: bench.client,
            configuration
        )
    }

    @Test(arguments: ["POST", "PUT"])
    func `a file arrives as it is, and so does the answer`(method: String) async throws {
        bench.server.on("/upload", .content(.text("Thanks")))
        let probe = try upload(request(method: method))
        await probe.end()
        #expect(probe.result?.response.status == 200)
        #expect(probe.result?.sentByteCount == content.byteCount)
        #expect(probe.result?.receivedByteCount == 6)
        #expect(try bench.temporary.text(of: "answer") == "Thanks")
        let arrived = try #require(bench.server.requests.first)
        #expect(arrived.method == method)
        #expect(arrived["Content-Length"] == "3000001")
        #expect(content.firstDifference(from: arrived.body) == nil)
        #expect(probe.events.contains(.sent(content.byteCount)))
        #expect(probe.events.suffix(3) == [.responded(200), .received(6, 6), .finished])
    }

    @Test func `SEC-6: an answer that others cut is not delivered`() async throws {
        bench.server.on("/upload", .content(.text("Thanks")))
        let path = bench.temporary.directory.path(of: "answer")
        // The disk takes until then.
        bench.synchronizer.queue.perform {
            var status = stat()
            while stat(path, &status) != 0 || status.st_size < 6 { sched_yield() }
            truncate(path, 2)
        }
        let configuration = Upload.Configuration(synchronizer: bench.synchronizer)
        let probe = try upload(nil, "source", configuration)
        await probe.end()
        #expect(probe.failure?.code == .cannotWriteToFile)
    }

    @Test(arguments: [0, 1, 65_536] as [Int64])
    func `a file of any length is sent`(byteCount: Int64) async throws {
        let content = FixtureContent.seeded(2, byteCount: byteCount)
        try bench.temporary.write(content.bytes, to: "other")
        bench.server.on("/upload", .status(204))
        let probe = try upload(nil, "other")
        await probe.end()
        #expect(probe.result?.response.status == 204)
        #expect(bench.server.requests.first?.body == content.bytes)
        #expect(try bench.temporary.contents(of: "answer") == [])
    }

    @Test(arguments: [404, 500, 503])
    func `BG-19: an error page is the answer`(status: Int) async throws {
        bench.server.on("/upload", .status(status, body: "Sorry"))
        let probe = try upload()
        await probe.end()
        #expect(probe.result?.response.status == status)
        #expect(try bench.temporary.text(of: "answer") == "Sorry")
    }

    @Test(arguments: [false, true])
    func `a server that can continue and is not available is waited for, if that is configured`(
        fails: Bool
    ) async throws {
        let offer: [(name: String, value: String)] = [
            ("Upload-Draft-Interop-Version", "8"), ("Location", "/resources/1"),
        ]
        let answer = FixtureAnswer.status(503, body: "Sorry")
        bench.server.on("/upload", answer.after(interim: 104, fields: offer))
        let configuration = Upload.Configuration(unavailableResponses: fails ? .fail : .deliver)
        let probe = try upload(nil, "source", configuration)
        await probe.end()
        #expect(probe.events.last == (fails ? .failed(.serverUnavailable) : .finished))
    }

    @Test func `DL-3: a redirect that keeps the method gets the whole file once more`() async throws
    {
        bench.server.on("/upload", .redirect(to: "/there", status: 307))
        bench.server.on("/there", .content(.text("here")))
        let probe = try upload()
        await probe.end()
        #expect(probe.result?.currentRequest.url == bench.server.url("/there"))
        let arrived = try #require(bench.server.requests(to: "/there").first)
        #expect(content.firstDifference(from: arrived.body) == nil)
    }

    @Test(arguments: [false, true])
    func `BG-42: a file that changes while it is sent never arrives whole`(
        keepsLength: Bool
    ) async throws {
        let gate = FixtureGate()
        let content = FixtureContent.seeded(3, byteCount: 40_000_000)
        try bench.temporary.write(content.bytes, to: "large")
        bench.server.hold("/upload", [FixtureHold(after: 100_000, at: gate)])
        bench.server.on("/upload", .content(.text("Thanks")))
        let probe = try upload(nil, "large")
        try await bench.server.waitUntil { $0.heldBodyCount == 1 }
        let place = keepsLength ? 39_000_000 : content.byteCount
        try bench.temporary.write([1, 2, 3], to: "large", at: place)
        gate.open()
        await probe.end()
        #expect(probe.failure?.code == .fileChanged)
        #expect(bench.server.requests.allSatisfy { $0.method == "OPTIONS" })
    }

    @Test func `BG-42: a file that becomes shorter while it is sent never arrives`() async throws {
        let gate = FixtureGate()
        try bench.temporary.write(
            FixtureContent.seeded(3, byteCount: 40_000_000).bytes,
            to: "large"
        )
        bench.server.hold("/upload", [FixtureHold(after: 100_000, at: gate)])
        let probe = try upload(nil, "large")
        try await bench.server.waitUntil { $0.heldBodyCount == 1 }
        try bench.temporary.directory.open("large", .readWrite).truncate(to: 200_000)
        gate.open()
        await probe.end()
        #expect(probe.failure?.code == .fileChanged)
        #expect(bench.server.requests.allSatisfy { $0.method == "OPTIONS" })
    }

    @Test func `BG-42: a file that was changed before is not sent at all`() async throws {
        let file = try bench.temporary.directory.open("source", .read)
        let identity = try file.identity()
        try bench.temporary.write([1], to: "source")
        let probe = UploadProbe(
            request(),
            UploadSource(UserFile(file), identity: identity),
            answer: bench.file("answer"),
            client: bench.client,
            Upload.Configuration()
        )
        await probe.end()
        #expect(probe.events == [.failed(.fileChanged)])
        #expect(bench.server.history.connectionCount == 0)
    }

    @Test func `BG-42: a file that is deleted while it is sent arrives`() async throws {
        let gate = FixtureGate()
        bench.server.hold("/upload", [FixtureHold(after: 1000, at: gate)])
        bench.server.on("/upload", .content(.text("Thanks")))
        let probe = try upload()
        try await bench.server.waitUntil { $0.heldBodyCount == 1 }
        try bench.temporary.directory.remove("source")
        gate.open()
        await probe.end()
        #expect(probe.events.last == .finished)
        #expect(
            content.firstDifference(from: try #require(bench.server.requests.first?.body)) == nil
        )
    }

    @Test(arguments: [false, true])
    func `an answer that is too long fails the upload`(isAnnounced: Bool) async throws {
        let answer = FixtureAnswer.content(.seeded(4, byteCount: 100_001))
        bench.server.on("/upload", isAnnounced ? answer : answer.chunked())
        let configuration = Upload.Configuration(greatestAnswerByteCount: 100_000)
        let probe = try upload(nil, "source", configuration)
        await probe.end()
        #expect(probe.failure?.code == .responseTooLong)
    }

    @Test func `an answer that breaks off is a lost connection`() async throws {
        bench.server.on(
            "/upload",
            .content(.seeded(4, byteCount: 1000)).dropping(after: 500),
            .content(.text("short"))
        )
        let probe = try upload()
        await probe.end()
        #expect(probe.failure?.code == .connectionLost)
        // What that attempt has left is not in the answer of the next.
        let next = try upload()
        await next.end()
        #expect(next.events.last == .finished)
        #expect(try bench.temporary.text(of: "answer") == "short")
    }

    @Test func `after a cancellation nothing comes, and the server has nothing`() async throws {
        // As much as fits into a socket: the end of the connection comes behind it.
        let content = FixtureContent.seeded(2, byteCount: 100_000)
        try bench.temporary.write(content.bytes, to: "other")
        bench.server.hold("/upload", [FixtureHold(after: 1000)])
        let probe = try upload(nil, "other")
        try await bench.server.waitUntil { $0.heldBodyCount == 1 }
        probe.cancel()
        let events = probe.events
        try await bench.server.waitUntil { $0.openConnectionCount == 0 }
        #expect(probe.events == events)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `the answer is on the disk when the upload has finished`() async throws {
        bench.server.on("/upload", .content(.text("Thanks")))
        let configuration = Upload.Configuration(synchronizer: bench.synchronizer)
        let probe = try upload(nil, "source", configuration)
        await probe.end()
        #expect(probe.events.last == .finished)
        #expect(try bench.temporary.text(of: "answer") == "Thanks")
    }
}
