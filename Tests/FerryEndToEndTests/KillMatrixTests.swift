import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// The promises under sixty kills.
@Suite(.serialized, .timeLimit(.minutes(Sanitizer.isOn ? 10 : 3))) struct KillMatrixTests {
    @Test(arguments: KillMatrixRun.Victim.allCases)
    func `twenty downloads survive twenty kills, and no written byte is fetched again`(
        victim: KillMatrixRun.Victim
    ) async throws {
        let run = try await KillMatrixRun()
        try await run.startApp(creatingDownloads: true)
        try await run.kill(victim, times: 20)
        try run.expectFiles()
        run.expectEvents()
    }

    @Test(arguments: ["events", "files"], KillMatrixRun.Victim.allCases)
    func `an app without a delegate loses no file, and gets none twice`(
        api: String,
        victim: KillMatrixRun.Victim
    ) async throws {
        let run = try await KillMatrixRun(options: ["--async", api], needsURLs: api == "files")
        try await run.startApp(creatingDownloads: true)
        try await run.kill(victim, times: 10)
        try run.expectFiles()
        run.expectEvents()
    }
}

/// Twenty downloads of one app, whose processes can be killed at moments that the server's bytes tell.
final class KillMatrixRun: Sendable {
    /// Who is killed.
    enum Victim: String, CaseIterable, Sendable {
        case app, daemon, both
    }

    /// How many bytes of a file ferryd had written when it was killed, and which requests there had
    /// been by then.
    private struct Remainder: Sendable {
        var path: String
        var byteCount: Int64
        var wholeByteCount: Int64
        var firstRequest: Int
    }

    private static let sizes: [Int64] = [
        1 << 10, 4 << 20, 100_000, 1 << 20, 3000, 32 << 20, 1 << 16, 2 << 20, 700_000, 8 << 20,
        10_000, 1 << 18, 3 << 20, 400_000, 16 << 20, 1 << 19, 1_500_000, 2 << 20, 5000, 1 << 20,
    ]
    private static let bytesPerSecond: Int64 = 24 << 20

    /// All the files' bytes.
    static let byteCount = sizes.reduce(0, +)

    let home: TestHome
    let events: EventPipe
    let server: FixtureServer
    private let stall = FixtureGate()
    /// Holds one download up until the last kill, however late that comes on a busy machine.
    private let lastKill = FixtureGate()

    private let options: [String]
    private let needsURLs: Bool

    /// Makes a run of an app with further options.
    ///
    /// An app that waits for files is told their URLs each time.
    init(options: [String] = [], needsURLs: Bool = false) async throws {
        (self.options, self.needsURLs) = (options, needsURLs)
        home = try TestHome(
            daemonArguments: [
                "--retry-delay", "0.05", "--relaunch-delay", "0.05", "--idle-time", "0.1",
            ]
        )
        events = try await EventPipe(in: home)
        server = try FixtureServer()
        for index in Self.sizes.indices {
            let answer = FixtureAnswer.file(FixtureFile(Self.content(index)))
                .paced(bytesPerSecond: Self.bytesPerSecond)
            let path = Self.path(index)
            switch index {
            case 1: server.on(path, answer.resetting(after: 1 << 20), answer)
            case 7: server.on(path, answer.stalling(after: 1 << 20, at: stall))
            case 9: server.on(path, answer.dropping(after: 5 << 20), answer)
            case 12: server.on(path, .retryLater(after: "0"), answer)
            case 13: server.on(path, answer.stalling(after: 100_000, at: lastKill))
            default: server.on(path, answer)
            }
        }
    }

    private static func path(_ index: Int) -> String { "/file-\(index + 1)" }

    private static func content(_ index: Int) -> FixtureContent {
        .seeded(UInt64(index + 1), byteCount: sizes[index])
    }

    // MARK: Processes

    /// Starts the app; the first one makes the downloads.
    func startApp(creatingDownloads: Bool = false) async throws {
        let urls =
            creatingDownloads || needsURLs
            ? Self.sizes.indices.map { server.url(Self.path($0)) } : []
        _ = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            // A second connection for a file would write behind bytes that are not there yet.
            ["--events", events.path, "--directory", home.files, "--connections", "1"]
                + options + urls.flatMap { ["--url", $0] },
            environment: home.environment
        )
        if creatingDownloads { _ = await events.next("ready") }
    }

    /// Kills processes at `count` moments, spread evenly over all bytes, and starts them again.
    func kill(_ victim: Victim, times count: Int) async throws {
        var remainders: [Remainder] = []
        for moment in 1...count {
            let threshold = Self.byteCount * Int64(moment) / Int64(count + 1)
            try await server.waitUntil { history in
                history.requests.reduce(0) { $0 + $1.sentBodyByteCount } >= threshold
            }
            if moment == count / 2 { stall.open() }
            remainders += try await kill(victim)
            if moment == count { lastKill.open() }
            // The last time it is for ferryd to start the app.
            if victim != .daemon, moment < count { try await startApp() }
        }
        try await seeThrough(after: victim)
        let resumptionCount = expectResumptions(remainders)
        // Each kill of ferryd has met some download halfway.
        #expect(victim == .app || resumptionCount >= count)
    }

    private func kill(_ victim: Victim) async throws -> [Remainder] {
        let apps = home.processes(of: "ferry-test-app")
        guard victim != .app else {
            await TestHome.kill(apps)
            return []
        }
        // They would start ferryd again before anybody has looked at the files.
        for app in apps { Glibc.kill(app, SIGSTOP) }
        await home.killAll(except: apps)
        if victim == .both { await home.killAll(except: []) }
        defer { for app in apps where victim == .daemon { Glibc.kill(app, SIGCONT) } }
        return try remainders()
    }

    /// Returns when every task has ended, the app knows it, and ferryd has nothing left to do.
    private func seeThrough(after victim: Victim) async throws {
        switch victim {
        case .app:
            _ = await events.next("handled")
        case .both:
            _ = try await home.ferry("list")
            _ = await events.next("handled")
        case .daemon:
            // Some may have ended before the app was ready.
            while events.lines.count(where: { $0.hasPrefix("completed") }) < Self.sizes.count {
                _ = await events.next()
            }
            await TestHome.kill(home.processes(of: "ferry-test-app"))
        }
        await home.untilNoDaemon()
        #expect(try await home.presentTransfers() == [])
    }

    // MARK: What has to hold

    /// The bytes that lie in ferryd's files, which are named by the numbers of their tasks.
    private func remainders() throws -> [Remainder] {
        let requestCount = server.requests.count
        let directory = try Directory(opening: home.state + "/downloads")
        return try Self.sizes.indices.compactMap { index in
            let number = String(index + 1, radix: 36, uppercase: true)
            let zeros = String(repeating: "0", count: 6 - number.count)
            let name = "CFNetworkDownload_\(zeros)\(number).tmp"
            guard let status = try directory.status(of: name) else { return nil }
            return Remainder(
                path: Self.path(index),
                byteCount: status.size,
                wholeByteCount: Self.sizes[index],
                firstRequest: requestCount
            )
        }
    }

    /// What was written is not asked for again, but for a few bytes: the first request after a kill begins behind it.
    ///
    /// - Returns: How many downloads were resumed behind bytes that they had.
    private func expectResumptions(_ remainders: [Remainder]) -> Int {
        let requests = server.requests
        var resumptionCount = 0
        for remainder in remainders {
            let next = requests.first {
                $0.path == remainder.path && $0.index >= remainder.firstRequest
            }
            guard let next else { continue }
            if next.range == nil, isFromOneWrite(remainder) { continue }
            // Of a file that was whole, the last byte is asked for: it tells whether the version is.
            let first = min(remainder.byteCount, remainder.wholeByteCount - 1)
            #expect(next.range == (first == 0 ? nil : "bytes=\(first)-"), "\(remainder.path)")
            if first > 0 { resumptionCount += 1 }
        }
        return resumptionCount
    }

    /// Whether the bytes may come from the one write of a small file, which has no record of them, and is asked for
    /// again.
    ///
    /// A kill ends a write between two pages.
    private func isFromOneWrite(_ remainder: Remainder) -> Bool {
        guard remainder.wholeByteCount <= 16 << 10 else { return false }
        return remainder.byteCount == remainder.wholeByteCount
            || remainder.byteCount.isMultiple(of: Int64(getpagesize()))
    }

    /// Every file is there, byte for byte.
    func expectFiles() throws {
        for index in Self.sizes.indices {
            let url = URL(filePath: home.files + Self.path(index))
            let bytes = [UInt8](try Data(contentsOf: url))
            #expect(Self.content(index).firstDifference(from: bytes) == nil, "\(url.path)")
        }
    }

    /// Every task has ended well, and no process of the app was told so twice.
    func expectEvents() {
        let lives = events.lines.split(omittingEmptySubsequences: false) { $0.hasPrefix("start ") }
        for task in 1...Self.sizes.count {
            let counts = lives.map { lines in lines.count { $0 == "completed \(task) ok" } }
            #expect(counts.contains(1), "task \(task)")
            #expect(counts.allSatisfy { $0 <= 1 }, "task \(task)")
        }
        let wrong = events.lines.filter { line in
            line.hasPrefix("not-moved") || (line.hasPrefix("completed") && !line.hasSuffix(" ok"))
        }
        #expect(wrong == [])
    }
}
