import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite("Downloads that get another address", .timeLimit(.minutes(1)))
@LoopActor
struct DownloadRelinkTests {
    let bench: DownloadBench
    let content = FixtureContent.seeded(1, byteCount: 3_000_001)
    let other = FixtureContent.seeded(2, byteCount: 3_000_001)
    private static let cut: Int64 = 1_000_000
    private static let rest = "bytes=\(cut - Resumption.proofByteCount)-"

    init() throws { bench = try DownloadBench() }

    /// Loads the first million bytes from the first address.
    private func loadBeginning() async {
        bench.server.on("/file", .file(FixtureFile(content)).dropping(after: Self.cut))
        #expect(await bench.download().failure()?.code == .connectionLost)
    }

    private func proceed(_ link: Int? = 1, digests: [Digest] = []) -> DownloadProbe {
        bench.download(
            bench.request("/elsewhere"),
            Download.Configuration(link: link, digests: digests)
        )
    }

    @Test(arguments: ["\"another\"", nil])
    func `the bytes are kept if their last ones are the same, whatever the validator`(
        tag: String?
    ) async throws {
        await loadBeginning()
        let file = FixtureFile(content, entityTag: tag, lastModified: nil)
        bench.server.on("/elsewhere", .file(file))
        let probe = proceed()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
        let request = try #require(bench.server.requests(to: "/elsewhere").first)
        #expect(request.range == Self.rest)
        #expect(request["If-Range"] == nil)
        #expect(probe.story.first == .responded(200))
        #expect(probe.story.contains(.resumed(Self.cut, 3_000_001)))
    }

    @Test func `bytes that end in another way are not continued`() async throws {
        await loadBeginning()
        bench.server.on("/elsewhere", .file(FixtureFile(other)))
        let probe = proceed()
        #expect(await probe.result()?.byteCount == other.byteCount)
        #expect(try bench.difference(other) == nil)
        #expect(bench.ranges("/elsewhere") == [Self.rest, nil])
        #expect(probe.story.contains(.restarted))
    }

    @Test func `a resource of another length is not continued`() async throws {
        await loadBeginning()
        let longer = FixtureContent.bytes(content.bytes + [0])
        bench.server.on("/elsewhere", .file(FixtureFile(longer)))
        let probe = proceed()
        #expect(await probe.result()?.byteCount == longer.byteCount)
        #expect(try bench.difference(longer) == nil)
        #expect(probe.restartReasons.first?.contains("the whole length is") == true)
    }

    @Test func `a server without ranges sends all of it`() async throws {
        await loadBeginning()
        bench.server.on("/elsewhere", .file(FixtureFile(other, ranges: .ignored)))
        #expect(await proceed().result()?.byteCount == other.byteCount)
        #expect(try bench.difference(other) == nil)
    }

    @Test func `with few bytes at hand it is begun anew`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)).dropping(after: 65_536))
        #expect(await bench.download().failure()?.code == .connectionLost)
        bench.server.on("/elsewhere", .file(FixtureFile(other)))
        #expect(await proceed().result() != nil)
        #expect(bench.ranges("/elsewhere") == [nil, nil])
        #expect(try bench.difference(other) == nil)
    }

    @Test func `once it has proved the same, its own validator counts`() async throws {
        await loadBeginning()
        let file = FixtureFile(content, entityTag: "\"another\"")
        bench.server.on(
            "/elsewhere",
            [.file(file).dropping(after: 500_000), .file(file)]
        )
        #expect(await proceed().failure()?.code == .connectionLost)
        let reached = Self.cut - Resumption.proofByteCount + 500_000
        #expect(await proceed().result() != nil)
        let request = try #require(bench.server.requests(to: "/elsewhere").last)
        #expect(request.range == "bytes=\(reached)-")
        #expect(request["If-Range"] == "\"another\"")
        #expect(try bench.difference(content) == nil)
    }

    @Test func `what was cut off before the proof proves nothing`() async throws {
        await loadBeginning()
        let file = FixtureFile(other, entityTag: "\"another\"")
        bench.server.on(
            "/elsewhere",
            [.file(file).dropping(after: 0), .file(file)]
        )
        #expect(await proceed().failure()?.code == .connectionLost)
        #expect(await proceed().result() != nil)
        #expect(bench.ranges("/elsewhere") == [Self.rest, Self.rest, nil])
        #expect(try bench.difference(other) == nil)
    }

    @Test(arguments: [401, 403, 410])
    func `an answer that says that the address is none fails the download and keeps its bytes`(
        status: Int
    ) async throws {
        await loadBeginning()
        bench.server.on("/file", .status(status, body: "expired"))
        let configuration = Download.Configuration(
            linkStatuses: Download.expiredLinkStatuses
        )
        let probe = bench.download(nil, configuration)
        #expect(await probe.failure()?.code == .linkExpired)
        #expect(probe.story.first == .responded(status))
        #expect(probe.checkpoint?.writtenByteCount == Self.cut)
        bench.server.on("/elsewhere", .file(FixtureFile(content)))
        #expect(await proceed().result() != nil)
        #expect(bench.ranges("/elsewhere") == [Self.rest])
    }
}
