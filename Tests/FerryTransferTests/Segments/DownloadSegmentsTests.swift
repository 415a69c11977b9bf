import FerryHTTP
import FerrySystem
import FerryTestSupport
import Synchronization
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct DownloadSegmentsTests {
    private let bench: DownloadBench
    private let content = FixtureContent.seeded(3, byteCount: 4_000_001)
    private let file: FixtureFile
    private let gate = FixtureGate()
    private let four = Download.Configuration(
        segments: .eager(4, minimumSegmentBytes: 100_000)
    )

    init() throws {
        bench = try DownloadBench()
        file = FixtureFile(content)
    }

    /// Serves the file; its first answer stops after 500 000 bytes, so that the rest comes otherwise.
    private func serve(_ others: @escaping @Sendable (FixtureRequest, Int) -> FixtureAnswer?) {
        let (file, gate) = (file, gate)
        let count = Mutex(0)
        bench.server.on("/file") { request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            if number == 0 { return .file(file).stalling(after: 500_000, at: gate) }
            return others(request, number) ?? .file(file)
        }
    }

    /// What was asked for with both ends.
    private var parts: [Range<Int64>] {
        bench.ranges().compactMap { text in
            guard let bounds = text?.dropFirst(6).split(separator: "-"), bounds.count == 2,
                let first = Int64(bounds[0]), let last = Int64(bounds[1])
            else { return nil }
            return first..<last + 1
        }
    }

    @Test func `several connections fetch one body, which grows all the time`() async throws {
        serve { _, _ in nil }
        let probe = bench.download(four)
        try await bench.server.waitUntil { $0.requests.count > 4 }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(probe.story == [.responded(200), .finished])
        #expect(try bench.difference(content) == nil)
        #expect(bench.server.history.maximumOpenConnectionCount >= 4)
        #expect(bench.server.requests.dropFirst().allSatisfy { $0["If-Range"] == "\"v1\"" })
        let received = probe.events.compactMap { event in
            if case .progressed(let received, _) = event { received } else { nil }
        }
        #expect(received == received.sorted())
        #expect(received.last == content.byteCount)
    }

    @Test func `parts come in pipes as well`() async throws {
        let bench = try DownloadBench(splicesFrom: 64 * 1024)
        bench.server.on("/file", .file(file).paced(bytesPerSecond: 4_000_000), .file(file))
        let probe = bench.download(four)
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(bench.server.requests.count > 1)
        #expect(try bench.difference(content) == nil)
    }

    @Test(arguments: [
        FixtureAnswer.status(503, fields: [("Retry-After", "100")]), .status(429), .status(404),
        .file(FixtureFile(.seeded(3, byteCount: 4_000_001), ranges: .ignored)),
        .file(FixtureFile(.seeded(4, byteCount: 4_000_001), entityTag: "\"v2\"")),
        .file(
            FixtureFile(.seeded(4, byteCount: 4_000_001), ranges: .misreported(contentRange: nil))
        ),
        .file(
            FixtureFile(
                .seeded(4, byteCount: 4_000_001),
                ranges: .misreported(contentRange: "bytes 1-2/4000001")
            )
        ),
        .redirect(to: "/elsewhere"), .status(401, fields: [("WWW-Authenticate", "Basic")]),
        .script([.reset]), .script([.close]),
    ])
    func `a server that wants one connection only is left alone with it`(
        answer: FixtureAnswer
    ) async throws {
        serve { _, number in number == 1 ? answer : nil }
        let probe = bench.download(four)
        try await bench.server.waitUntil { $0.requests.count >= 2 }
        // Further bytes would be an occasion to ask for more.
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(probe.story == [.responded(200), .finished])
        #expect(try bench.difference(content) == nil)
    }

    @Test func `a part whose connection breaks is taken up where it stopped`() async throws {
        let file = file
        serve { _, number in number == 1 ? .file(file).dropping(after: 150_000) : nil }
        let probe = bench.download(four)
        try await bench.server.waitUntil { history in
            guard history.requests.count > 1, let range = history.requests[1].range else {
                return false
            }
            let start = Int64(range.dropFirst(6).prefix { $0 != "-" }) ?? 0
            return history.requests.contains {
                $0.range?.hasPrefix("bytes=\(start + 150_000)-") == true
            }
        }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
    }

    @Test func `a connection that brings nothing more is replaced, and no byte comes twice`()
        async throws
    {
        let file = file
        let never = FixtureGate()
        serve { _, number in number < 4 ? .file(file).stalling(after: 80_000, at: never) : nil }
        let probe = bench.download(
            Download.Configuration(
                segments: .eager(
                    4,
                    minimumSegmentBytes: 100_000,
                    stallTime: .milliseconds(50)
                )
            )
        )
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
        #expect(probe.story == [.responded(200), .finished])
    }

    @Test func `what all connections have brought is there for the next attempt`() async throws {
        let held = try await breakOff()
        let askedBefore = parts.count
        bench.server.on("/file", .file(file))
        let second = bench.download(
            Download.Configuration(segments: .off)
        )
        #expect(await second.result()?.byteCount == content.byteCount)
        #expect(second.story.contains(.resumed(held.writtenByteCount, content.byteCount)))
        #expect(try bench.difference(content) == nil)
        let missing = content.byteCount - held.writtenByteCount
        #expect(parts.dropFirst(askedBefore).reduce(0) { $0 + $1.byteCount } == missing)
    }

    /// Has all connections of a first attempt break.
    private func breakOff() async throws -> Checkpoint {
        bench.server.on(
            "/file",
            .file(file).dropping(after: 600_000),
            .file(file).dropping(after: 90_000)
        )
        let first = bench.download(
            Download.Configuration(segments: .eager(2, minimumSegmentBytes: 100_000))
        )
        #expect(await first.failure()?.code == .connectionLost)
        let held = try #require(first.checkpoint)
        #expect(try #require(held.segments).written.ranges.count >= 2)
        return held
    }

    @Test func `resume data of several parts is continued`() async throws {
        serve { [gate] _, number in
            number == 1 ? .file(self.file).stalling(after: 90_000, at: gate) : nil
        }
        let first = bench.download(
            Download.Configuration(segments: .eager(2, minimumSegmentBytes: 100_000))
        )
        await first.wait { $0.checkpoint?.writtenByteCount == 590_000 }
        first.cancel()
        let data = try ResumeData(decoding: try first.resumeData().encoded())
        #expect(data.byteCount == 590_000)
        let adopted = try await PartialFile.adopt(
            data,
            into: bench.temporary.directory,
            as: "adopted",
            on: bench.synchronizer.queue
        )
        _ = adopted
        let second = bench.download(to: "adopted", checkpoint: data.checkpoint, four)
        #expect(await second.result()?.byteCount == content.byteCount)
        #expect(second.story.contains(.resumed(590_000, content.byteCount)))
        #expect(try bench.difference(content, in: "adopted") == nil)
    }

    @Test func `a version that has changed before the next attempt is never mixed`() async throws {
        let other = FixtureContent.seeded(9, byteCount: content.byteCount)
        _ = try await breakOff()
        bench.server.on("/file", .file(FixtureFile(other, entityTag: "\"v2\"")))
        let second = bench.download(four)
        #expect(await second.result()?.byteCount == content.byteCount)
        #expect(second.story.first == .restarted)
        #expect(try bench.difference(other) == nil)
    }

    @Test func `a download that is cancelled ends its connections, and gives back what was lent`()
        async throws
    {
        let file = file
        serve { [gate] _, _ in .file(file).stalling(after: 50_000, at: gate) }
        let lender = Lender(room: 3)
        let probe = bench.download(four, connections: lender)
        try await bench.server.waitUntil { $0.requests.count(where: { $0.state == .stalled }) == 4 }
        #expect(lender.greatestCount == 3)
        probe.cancel()
        #expect(lender.isAllGivenBack)
        try await bench.server.waitUntil { $0.openConnectionCount == 0 }
        #expect(probe.checkpoint?.segments != nil)
        #expect(probe.story == [.responded(200)])
    }

    @Test func `what is forced onto the disk are the parts`() async throws {
        serve { [gate, file] _, _ in .file(file).stalling(after: 50_000, at: gate) }
        let probe = bench.download(
            Download.Configuration(
                synchronization: .periodic(every: .milliseconds(10), by: bench.synchronizer),
                segments: .eager(4, minimumSegmentBytes: 100_000)
            )
        )
        await probe.wait { $0.checkpoint?.segments?.synchronized.ranges.count == 4 }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(probe.checkpoint?.synchronizedByteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
    }

    // MARK: - Connections of others

    private final class Lender: ConnectionLender {
        var room: Int
        private(set) var greatestCount = 0
        private var count = 0

        init(room: Int) { self.room = room }

        var isAllGivenBack: Bool { count == 0 }

        func lend(connectionTo origin: String) -> Bool {
            guard count < room else { return false }
            count += 1
            greatestCount = max(greatestCount, count)
            return true
        }

        func takeBack(connectionTo origin: String) { count -= 1 }
    }

    @Test(arguments: [0, 1, 3]) func `no connection is used that was not lent`(
        room: Int
    )
        async throws
    {
        serve { _, _ in nil }
        let lender = Lender(room: room)
        let probe = bench.download(four, connections: lender)
        if room > 0 {
            try await bench.server.waitUntil { $0.requests.count > room }
        } else {
            await probe.wait { $0.checkpoint?.writtenByteCount == 500_000 }
        }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(lender.greatestCount == room)
        #expect(lender.isAllGivenBack)
        #expect(try bench.difference(content) == nil)
    }

    // MARK: - Who asks

    @Test func `a password that the first request needed goes with the others`() async throws {
        let (file, gate) = (file, gate)
        let isFirst = Mutex(true)
        bench.server.on("/file") { request in
            guard request["Authorization"] == "Basic dXNlcjpwYXNz" else {
                return .status(401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")])
            }
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return first ? .file(file).stalling(after: 500_000, at: gate) : .file(file)
        }
        let probe = bench.download(four, decider: BackgroundDecider(challenges: Passwords()))
        try await bench.server.waitUntil { $0.requests.count > 4 }
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        let refusals = bench.server.requests.count { $0["Authorization"] == nil }
        #expect(refusals == 1)
        #expect(try bench.difference(content) == nil)
    }

    private final class Passwords: ChallengeDecider {
        func hasApproved(_ trust: HTTPServerTrust) -> Bool { false }
        func identity(for request: TransferRequest) -> HTTPIdentity? { nil }
        func decide(
            on challenge: LoadChallenge,
            then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
        ) { answer(.use(PasswordCredential(user: "user", password: "pass"))) }
    }
}
