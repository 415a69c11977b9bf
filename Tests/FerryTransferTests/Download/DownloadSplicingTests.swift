import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Downloads whose bodies come in pipes, which changes nothing that anybody sees.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct DownloadSplicingTests {
    private static let threshold: Int64 = 64 * 1024
    private let bench: DownloadBench
    private let content = FixtureContent.seeded(5, byteCount: 9_000_001)

    init() throws { bench = try DownloadBench(splicesFrom: Self.threshold) }

    @Test func `OR-9: a long file arrives whole, with its story in order`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(probe.story == [.responded(200), .finished])
        #expect(probe.events.last { $0.isProgress } == .progressed(9_000_001, 9_000_001))
        #expect(try bench.difference(content) == nil)
    }

    @Test
    func `after a connection that ended early only the rest is fetched`()
        async throws
    {
        let file = FixtureFile(content)
        bench.server.on(
            "/file",
            .file(file).dropping(after: 4_000_000),
            .file(file).dropping(after: 1_000_000),
            .file(file)
        )
        #expect(await bench.download().failure()?.code == .connectionLost)
        #expect(await bench.download().failure()?.code == .connectionLost)
        #expect(await bench.download().result()?.byteCount == content.byteCount)
        #expect(bench.ranges() == [nil, "bytes=4000000-", "bytes=5000000-"])
        #expect(try bench.difference(content) == nil)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a mount"))
    func `a full disk fails the download and keeps what fitted`() async throws {
        let small = try SmallDisk(byteCount: 4 << 20)
        let bench = try DownloadBench(
            temporary: TemporaryDirectory(in: small.path),
            splicesFrom: Self.threshold
        )
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download()
        #expect(await probe.failure()?.code == .diskFull)
        let kept = try #require(probe.checkpoint).writtenByteCount
        #expect(kept > 1 << 20)
        let bytes = try bench.temporary.contents(of: "file")
        #expect(Int64(bytes.count) == kept)
        #expect(content.firstDifference(from: bytes, in: 0..<kept) == nil)
    }

    @Test func `cancelling ends the connection and keeps what is there`() async throws {
        let gate = FixtureGate()
        bench.server.on("/file", .file(FixtureFile(content)).stalling(after: 5_000_000, at: gate))
        let probe = bench.download()
        await probe.wait { $0.events.last == .progressed(5_000_000, 9_000_001) }
        probe.cancel()
        try await bench.server.waitUntil { $0.requests.first?.state == .abandoned }
        #expect(probe.checkpoint?.writtenByteCount == 5_000_000)
        #expect(probe.story == [.responded(200)])
    }
}
