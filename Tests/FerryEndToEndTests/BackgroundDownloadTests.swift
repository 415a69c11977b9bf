import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Real apps, a real ferryd, a real nginx, real signals.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BackgroundDownloadTests {
    private static let size = 4 << 20
    private static let rate = 4 << 20

    private let home: TestHome
    private let nginx: Nginx
    private let events: EventPipe

    init() async throws {
        home = try TestHome()
        nginx = try await Nginx(in: home, bytesPerSecond: Self.rate)
        events = try await EventPipe(in: home)
    }

    // MARK: Kills

    @Test(arguments: [0.0, 0.1, 0.5, 0.9])
    func `BG-31, BG-32: an app killed on the way is started again and gets its file`(
        share: Double
    ) async throws {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(urls: ["song.bin"])
        _ = await events.next("ready")
        await progress(to: share)
        await app.killed()
        #expect(await events.next("start") == "start background")
        #expect(await events.next() == "handle-events test")
        _ = await events.next { !$0.hasPrefix("progress") }
        #expect(events.lines.last(where: { $0.hasPrefix("finished") }) == "finished 1 song.bin 200")
        #expect(await events.next() == "completed 1 ok")
        #expect(await events.next() == "did-finish-events")
        #expect(await events.next() == "handled")
        #expect(try file("song.bin") == data)
        #expect(bytesSent("song.bin") == Self.size)
    }

    @Test
    func `API-3: a killed ferryd is started again and goes on where it was, and nobody sees it`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(urls: ["song.bin"])
        await progress(to: 0.4)
        await TestHome.kill(home.daemons)
        #expect(await events.next("finished") == "finished 1 song.bin 200")
        #expect(await events.next("completed") == "completed 1 ok")
        await app.killed()
        #expect(try file("song.bin") == data)
        let ranges = nginx.requests().filter { $0.path == "/song.bin" }.map(\.range)
        #expect(ranges.count == 2)
        #expect(ranges.last??.hasPrefix("bytes=") == true)
    }

    @Test func `after a kill of both, the next program that asks brings the download back`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(urls: ["song.bin"])
        await progress(to: 0.4)
        await TestHome.kill(home.daemons)
        await app.killed()
        await TestHome.kill(home.daemons)
        let list = try await home.ferry("list", "--all")
        #expect(list.exit == .exited(status: 0))
        #expect(await events.next("start") == "start background")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(await events.next("handled") == "handled")
        #expect(try file("song.bin") == data)
    }

    @Test func `an app that crashes when it is started is started again until it takes its events`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let crashes = "\(home.path)/crashes"
        try Data("3".utf8).write(to: URL(filePath: crashes))
        let app = try await start(urls: ["song.bin"], "--crash-file", crashes)
        _ = await events.next("ready")
        await app.killed()
        for _ in 0..<4 { #expect(await events.next("start") == "start background") }
        #expect(await events.next("handled") == "handled")
        #expect(events.lines.count { $0.hasPrefix("completed") } == 1)
        #expect(try file("song.bin") == data)
    }

    @Test func `BG-27: an app that its user starts again finds its task and sees it through`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let first = try await start(urls: ["song.bin"])
        await progress(to: 0.3)
        await first.killed()
        let second = try await start(urls: ["song.bin"])
        #expect(await events.next("found") == "found 1 song.bin")
        #expect(await events.next("completed") == "completed 1 ok")
        await second.killed()
        #expect(try file("song.bin") == data)
        #expect(!events.lines.contains("did-finish-events"))
    }

    @Test func `BG-35: without launch events the app is not started, and its events wait`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(urls: ["song.bin"], "--launch-events", "no")
        _ = await events.next("ready")
        await app.killed()
        await untilCompleted(1)
        let second = try await start(urls: [], "--launch-events", "no")
        #expect(await events.next("start") == "start user")
        #expect(await events.next("completed") == "completed 1 ok")
        await second.killed()
        #expect(try file("song.bin") == data)
        #expect(!events.lines.contains("start background"))
    }

    @Test
    func `BG-38, BG-39: a quit app is not started; its next session hears of the cancellation`()
        async throws
    {
        try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(urls: ["song.bin"])
        await progress(to: 0.3)
        await app.killed()
        let quit = try await home.ferry("quit", "test-app")
        #expect(quit.exit == .exited(status: 0))
        let second = try await start(urls: [])
        #expect(await events.next("start") == "start user")
        #expect(await events.next("completed") == "completed 1 -999")
        await second.killed()
        #expect(!events.lines.contains("start background"))
    }

    @Test func `BG-40: a file that the delegate leaves where it is goes with its event`()
        async throws
    {
        let home = try TestHome(daemonArguments: ["--idle-time", "0.05"])
        let events = try await EventPipe(in: home)
        try nginx.addFile("song.bin", byteCount: 1000)
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", "\(home.files)/missing", "--finish", "yes",
                "--url", nginx.url("song.bin"),
            ],
            environment: home.environment
        )
        #expect(await events.next("not-moved").hasPrefix("not-moved 1 "))
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(await app.ended() == .exited(status: 0))
        // The daemon ends because it has nothing left.
        await home.untilNoDaemon()
        let downloads = "\(home.state)/downloads"
        #expect(try FileManager.default.contentsOfDirectory(atPath: downloads) == [])
    }

    // MARK: Identities

    @Test func `BG-8: equal session identifiers of two apps do not meet`() async throws {
        let data = try nginx.addFile("one.bin", byteCount: 300_000, seed: 1)
        let other = try nginx.addFile("two.bin", byteCount: 300_000, seed: 2)
        let otherEvents = try await EventPipe(in: home, named: "other")
        let first = try await start(urls: ["one.bin"])
        let second = try await start(
            urls: ["two.bin"],
            "--application",
            "other-app",
            events: otherEvents
        )
        #expect(await events.next("finished") == "finished 1 one.bin 200")
        #expect(await otherEvents.next("finished") == "finished 1 two.bin 200")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(await otherEvents.next("completed") == "completed 1 ok")
        await first.killed()
        await second.killed()
        #expect(try file("one.bin") == data)
        #expect(try file("two.bin") == other)
    }

    @Test func `BG-10: a session that another process has open fails with -996`() async throws {
        try nginx.addFile("song.bin", byteCount: Self.size)
        let otherEvents = try await EventPipe(in: home, named: "other")
        let first = try await start(urls: ["song.bin"])
        await progress(to: 0.1)
        let second = try await start(urls: ["song.bin"], events: otherEvents)
        #expect(await otherEvents.next("completed").hasSuffix(" -996"))
        #expect(await events.next("completed") == "completed 1 ok")
        await first.killed()
        await second.killed()
    }

    @Test func `RD-12: what a default session has loaded is continued in the background`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(urls: ["song.bin"], "--hand-over-at", "1000000")
        #expect(await events.next("resume-data") == "resume-data")
        let resumed = await events.next("resumed").split(separator: " ").compactMap { Int($0) }
        #expect(resumed.count == 3)
        #expect(resumed.last == Self.size)
        #expect(resumed.dropFirst().first ?? 0 >= 1_000_000)
        await app.killed()
        #expect(await events.next("handled") == "handled")
        #expect(try file("song.bin") == data)
        let first = nginx.requests().first?.byteCount ?? 0
        // What was on its way when the first session was cancelled is the only thing sent twice.
        #expect(
            bytesSent("song.bin") <= Self.size + max(0, first - (resumed.dropFirst().first ?? 0))
        )
    }

    @Test func `API-17: equal downloads of a session are fetched once, also over a kill of ferryd`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(urls: ["song.bin", "song.bin"])
        await progress(to: 0.4)
        await TestHome.kill(home.daemons)
        var completed: Set<String> = []
        while completed.count < 2 { completed.insert(await events.next("completed")) }
        #expect(completed == ["completed 1 ok", "completed 2 ok"])
        #expect(try file("song.bin") == data)
        let requests = nginx.requests().filter { $0.path == "/song.bin" }
        // One before the kill, and one for the rest.
        #expect(requests.count == 2)
        await app.killed()
    }

    // MARK: Parts

    private func start(
        urls: [String],
        _ arguments: String...,
        events: EventPipe? = nil
    ) async throws -> TestProcess {
        try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", (events ?? self.events).path, "--directory", home.files]
                + urls.flatMap { ["--url", nginx.url($0)] } + arguments,
            environment: home.environment
        )
    }

    private func progress(to share: Double) async {
        guard share > 0 else { return }
        _ = await events.next { line in
            let words = line.split(separator: " ")
            guard words.first == "progress", let count = words.last.flatMap({ Int($0) }) else {
                return false
            }
            return Double(count) >= share * Double(Self.size)
        }
    }

    /// Waits until the daemon itself says that a task is done.
    private func untilCompleted(_ task: Int) async {
        _ = try? await home.ferry("watch", "\(task)")
    }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(home.files)/\(name)"))
    }

    private func bytesSent(_ name: String) -> Int {
        nginx.requests().filter { $0.path == "/\(name)" }.reduce(0) { $0 + $1.byteCount }
    }
}
