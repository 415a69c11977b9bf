import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import FerryTransfer

/// A real ferryd that is killed while several connections fetch one file.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SegmentedKillTests {
    private static let content = FixtureContent.seeded(77, byteCount: 48 << 20)
    /// By one connection.
    private static let bytesPerSecond: Int64 = 4 << 20

    private let home: TestHome
    private let events: EventPipe
    private let server: FixtureServer

    /// What was in the file after a kill, and which requests there had been by then.
    private struct Remainder {
        var written: ByteRanges
        var firstRequest: Int
    }

    init() async throws {
        home = try TestHome(
            daemonArguments: [
                "--retry-delay", "0.05", "--relaunch-delay", "0.05", "--connections", "4",
                "--connection-trial", "0",
            ]
        )
        events = try await EventPipe(in: home)
        server = try FixtureServer()
        server.on(
            "/file",
            .file(FixtureFile(Self.content)).paced(bytesPerSecond: Self.bytesPerSecond)
        )
    }

    @Test func `no byte that a connection has written is fetched again after a kill`()
        async throws
    {
        let app = try await start()
        var remainders: [Remainder] = []
        for moment in 1...12 as ClosedRange<Int64> {
            let threshold = Self.content.byteCount * moment / 14
            try await server.waitUntil { history in
                history.requests.reduce(0) { $0 + $1.sentBodyByteCount } >= threshold
            }
            remainders.append(try await killDaemon())
        }
        _ = await events.next("completed")
        // An app that is killed before ferryd knows what it was told is told again.
        app.signal(SIGUSR1)
        _ = await events.next("flushed")
        await app.killed()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: home.files + "/file")))
        #expect(Self.content.firstDifference(from: bytes) == nil)
        #expect(events.lines.count { $0.hasPrefix("completed") } == 1)
        expectNothingTwice(remainders)
        #expect(remainders.contains { $0.written.ranges.count > 2 })
    }

    @Test func `after a kill of both, all parts are there for the next program that asks`()
        async throws
    {
        _ = try await start()
        try await server.waitUntil { history in
            history.requests.reduce(0) { $0 + $1.sentBodyByteCount } >= 16 << 20
        }
        let remainder = try await killDaemon(andApp: true)
        _ = try await home.ferry("list")
        _ = await events.next("handled")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: home.files + "/file")))
        #expect(Self.content.firstDifference(from: bytes) == nil)
        expectNothingTwice([remainder])
    }

    private func start() async throws -> TestProcess {
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files, "--url", server.url("/file"),
                "--flush-on-signal", "yes",
            ],
            environment: home.environment
        )
        _ = await events.next("ready")
        return app
    }

    private func killDaemon(andApp: Bool = false) async throws -> Remainder {
        let apps = home.processes(of: "ferry-test-app")
        // They would start ferryd again before anybody has looked at the file.
        for app in apps { Glibc.kill(app, SIGSTOP) }
        await home.killAll(except: apps)
        if andApp { await home.killAll(except: []) }
        defer { for app in apps where !andApp { Glibc.kill(app, SIGCONT) } }
        let requestCount = server.requests.count
        return Remainder(written: try await written(), firstRequest: requestCount)
    }

    /// What the file says of itself, as the next ferryd is going to read it.
    @LoopActor
    private func written() throws -> ByteRanges {
        let file = PartialFile(
            directory: try Directory(opening: home.state + "/downloads"),
            name: "CFNetworkDownload_000001.tmp"
        )
        return try file.recover(checkpoint: nil)?.writtenBytes ?? ByteRanges()
    }

    private func expectNothingTwice(_ remainders: [Remainder]) {
        for remainder in remainders {
            for request in server.requests where request.index >= remainder.firstRequest {
                guard let asked = request.range.flatMap(range) else {
                    #expect(remainder.written.isEmpty)
                    continue
                }
                for range in remainder.written.ranges {
                    // Of a file that was whole, the last byte is asked for.
                    let both = range.clamped(to: asked)
                    #expect(both.count <= (asked.count == 1 ? 1 : 0), "\(range), \(asked)")
                }
            }
        }
    }

    private func range(_ field: String) -> Range<Int64>? {
        let bounds = field.dropFirst(6).split(separator: "-")
        guard let first = bounds.first.flatMap({ Int64($0) }) else { return nil }
        let last = bounds.count > 1 ? Int64(bounds[1]) : nil
        return first..<(last.map { $0 + 1 } ?? Self.content.byteCount)
    }
}
