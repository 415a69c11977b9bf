import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct DownloadMirrorTests {
    private let bench: DownloadBench
    private let mirror: FixtureServer
    private let content = FixtureContent.seeded(3, byteCount: 4_000_001)
    private let gate = FixtureGate()

    init() throws {
        bench = try DownloadBench()
        mirror = try FixtureServer()
        mirror.on("/copy", .file(FixtureFile(content, entityTag: "\"m\"", lastModified: nil)))
    }

    private func configuration(
        connections: Int = 2,
        mirrors: [String]? = nil
    ) -> Download.Configuration {
        Download.Configuration(
            segments: .eager(connections, minimumSegmentBytes: 100_000),
            mirrors: mirrors ?? [mirror.url("/copy")]
        )
    }

    /// Serves the file; its first answer stops after 500 000 bytes.
    private func serve(_ next: FixtureAnswer? = nil) {
        let file = FixtureFile(content)
        bench.server.on(
            "/file",
            .file(file).stalling(after: 500_000, at: gate),
            next ?? .file(file)
        )
    }

    private func download(_ configuration: Download.Configuration) -> DownloadProbe {
        DownloadProbe(
            bench.request("/file", [("Authorization", "secret"), ("X-Key", "secret")]),
            bench.file(),
            client: bench.client,
            configuration
        )
    }

    private var mirrorRanges: [String?] { mirror.requests.map(\.range) }

    // MARK: Proof

    @Test func `a mirror that has the same bytes fetches a part of them`() async throws {
        serve()
        let probe = download(configuration())
        try await mirror.waitUntil { $0.requests.count > 1 }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(probe.story == [.responded(200), .finished])
        #expect(try bench.difference(content) == nil)
        // The proof, and then parts that are bound to it.
        #expect(mirror.requests[0]["If-Range"] == nil)
        let bounds = mirror.requests[0].range?.dropFirst(6).split(separator: "-")
        let numbers = (bounds ?? []).compactMap { Int64($0) }
        #expect(numbers.count == 2 && numbers[1] + 1 - numbers[0] == 64 * 1024)
        #expect(mirror.requests.dropFirst().allSatisfy { $0["If-Range"] == "\"m\"" })
    }

    @Test func `no secret goes to a mirror of another origin`() async throws {
        serve()
        let probe = download(configuration())
        try await mirror.waitUntil { $0.requests.count > 1 }
        gate.open()
        _ = await probe.result()
        #expect(bench.server.requests.allSatisfy { $0["Authorization"] == "secret" })
        #expect(mirror.requests.allSatisfy { $0["Authorization"] == nil && $0["X-Key"] == nil })
    }

    @Test(arguments: [
        // One byte of those at hand is another one.
        FixtureAnswer { request in
            var response = FixtureFile(.seeded(3, byteCount: 4_000_001)).response(to: request)
            var bytes = response.content.bytes(in: 0..<1_000_000)
            for index in bytes.indices where index % 50_000 == 0 { bytes[index] ^= 1 }
            response.content = .bytes(bytes + [UInt8](repeating: 0, count: 3_000_001))
            return response
        },
        .file(FixtureFile(.seeded(3, byteCount: 4_000_000))),
        .file(FixtureFile(.seeded(3, byteCount: 4_000_001), entityTag: nil, lastModified: nil)),
        .file(FixtureFile(.seeded(3, byteCount: 4_000_001), entityTag: "W/\"m\"")),
        .file(FixtureFile(.seeded(3, byteCount: 4_000_001), ranges: .ignored)),
        .file(
            FixtureFile(
                .seeded(3, byteCount: 4_000_001),
                ranges: .misreported(contentRange: "bytes 7-65542/4000001")
            )
        ),
        .file(
            FixtureFile(
                .seeded(3, byteCount: 4_000_001),
                fields: [Digest(.sha256, Array(repeating: 1, count: 32)).field("Repr-Digest")]
            )
        ),
        .status(404), .status(503), .script([.reset]),
    ])
    func `a mirror that proves nothing brings nothing`(answer: FixtureAnswer) async throws {
        let digest = try content.digest()
        let file = FixtureFile(content, fields: [digest.field("Repr-Digest")])
        bench.server.on("/file", .file(file).stalling(after: 500_000, at: gate), .file(file))
        mirror.on("/copy", answer)
        let probe = download(configuration())
        try await bench.server.waitUntil { $0.requests.count > 1 }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
        #expect(mirror.requests.count == 1)
    }

    @Test func `a mirror whose version changes brings nothing more`() async throws {
        serve()
        let other = FixtureFile(.seeded(4, byteCount: content.byteCount), entityTag: "\"n\"")
        mirror.on(
            "/copy",
            .file(FixtureFile(content, entityTag: "\"m\"")),
            .file(other)
        )
        let probe = download(configuration())
        try await mirror.waitUntil { $0.requests.count == 2 }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
    }

    // MARK: Failures

    @Test func `where nothing is at hand a mirror takes the place of a server that is not there`()
        async throws
    {
        let probe = DownloadProbe(
            TransferRequest(url: "http://127.0.0.1:1/file"),
            bench.file(),
            client: bench.client,
            configuration(mirrors: ["http://127.0.0.1:1/other", mirror.url("/copy")])
        )
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
    }

    @Test(arguments: [404, 410, 500, 503])
    func `nor is an error the answer while there is a mirror`(status: Int) async throws {
        bench.server.on("/file", .status(status))
        let probe = download(configuration())
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(probe.story == [.responded(200), .finished])
        #expect(try bench.difference(content) == nil)
    }

    @Test func `when no mirror has it either the app's own address gives the answer`()
        async throws
    {
        bench.server.on("/file", .status(404))
        mirror.on("/copy", .status(410))
        let probe = download(configuration())
        _ = await probe.result()
        #expect(probe.story == [.responded(404), .finished])
        #expect(bench.server.requests.count == 2)
        #expect(mirror.requests.count == 1)
    }

    @Test func `nor has a mirror that lacks it a say where the server is not there`() async throws {
        mirror.on("/copy", .status(404))
        let probe = DownloadProbe(
            TransferRequest(url: "http://127.0.0.1:1/file"),
            bench.file(),
            client: bench.client,
            configuration()
        )
        #expect(await probe.failure()?.code == .cannotConnectToHost)
        #expect(probe.story == [.failed(.cannotConnectToHost)])
        #expect(mirror.requests.count == 1)
    }

    @Test(arguments: [404, 503])
    func `what a mirror has begun the app's own address continues`(status: Int) async throws {
        let file = FixtureFile(content)
        bench.server.on("/file", .status(503), .file(file))
        mirror.on(
            "/copy",
            .file(FixtureFile(content, entityTag: "\"m\"")).dropping(after: 300_000),
            .status(status)
        )
        let first = download(configuration(connections: 1))
        #expect(await first.failure()?.code == .connectionLost)
        let second = download(configuration(connections: 1))
        #expect(await second.result()?.byteCount == content.byteCount)
        #expect(second.story == [.responded(200), .resumed(300_000, content.byteCount), .finished])
        #expect(try bench.difference(content) == nil)
        #expect(mirror.requests.count == 2)
    }

    @Test(arguments: [1, 2])
    func `a server that breaks off is left for a mirror, and no byte is fetched again`(
        connections: Int
    ) async throws {
        let file = FixtureFile(content)
        bench.server.on("/file", .file(file).dropping(after: 300_000), .script([.reset]))
        let probe = download(configuration(connections: connections))
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
        #expect(probe.story == [.responded(200), .finished])
        let parts = mirrorRanges.dropFirst().compactMap { $0 }
        #expect(parts.allSatisfy { (Int64($0.dropFirst(6).prefix { $0 != "-" }) ?? 0) >= 300_000 })
    }

    @Test func `an earlier attempt's bytes are continued by a mirror`() async throws {
        let file = FixtureFile(content)
        bench.server.on("/file", .file(file).dropping(after: 300_000), .status(503))
        let first = download(configuration(connections: 1, mirrors: []))
        #expect(await first.failure()?.code == .connectionLost)
        let second = download(configuration())
        #expect(await second.result()?.byteCount == content.byteCount)
        #expect(second.story == [.responded(200), .resumed(300_000, content.byteCount), .finished])
        #expect(try bench.difference(content) == nil)
    }

    @Test func `when no mirror is of use the attempt fails and keeps its bytes`() async throws {
        let file = FixtureFile(content)
        bench.server.on("/file", .file(file).dropping(after: 300_000), .script([.reset]))
        mirror.on("/copy", .file(FixtureFile(.seeded(8, byteCount: content.byteCount))))
        let probe = download(configuration())
        #expect(await probe.failure()?.code == .connectionLost)
        #expect(try #require(probe.checkpoint).writtenByteCount >= 300_000)
    }

    // MARK: Connections of others

    private final class Lender: ConnectionLender {
        private(set) var counts: [String: Int] = [:]

        func lend(connectionTo origin: String) -> Bool {
            counts[origin, default: 0] += 1
            return true
        }

        func takeBack(connectionTo origin: String) { counts[origin, default: 0] -= 1 }
    }

    @Test func `a connection is given back to the server that it was lent for`() async throws {
        let file = FixtureFile(content)
        bench.server.on("/file", .redirect(to: mirror.url("/copy")))
        // The further connection is the last one; then the first server is asked where to go, once more.
        mirror.on(
            "/copy",
            .file(file).dropping(after: 500_000),
            .status(404).waiting(at: gate),
            .status(404),
            .file(file)
        )
        let lender = Lender()
        let probe = bench.download(configuration(mirrors: []), connections: lender)
        // The lent one is refused after the other: then the request leads to the first server again.
        try await mirror.waitUntil { history in
            history.requests.count == 3 && history.requests.contains { $0.state == .sent }
        }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(lender.counts == [try #require(Origin(url: mirror.url("/"))).description: 0])
    }

    @Test func `a connection is given back there, wherever its source leads by then`() {
        let lender = Lender()
        let download = Download(
            name: "test",
            request: bench.request(),
            file: bench.file(),
            client: bench.client,
            connections: lender,
            events: Download.Events()
        )
        download.lentConnections = [0: ["http://first.example", "http://second.example"]]
        download.giveConnectionBack(of: 0)
        #expect(lender.counts == ["http://second.example": -1])
        download.giveConnectionBack(of: 0)
        #expect(lender.counts == ["http://first.example": -1, "http://second.example": -1])
        // All are back.
        download.giveConnectionBack(of: 0)
        #expect(lender.counts.count == 2)
    }
}
