import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What real apps do with the time between SIGTERM and their ends, and what ferryd does afterwards.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BackgroundTaskTests {
    private static let song = FixtureContent.seeded(3, byteCount: 4_000_000)
    private static let recording = FixtureContent.seeded(4, byteCount: 8_000_000)
    private static let terminated = ProcessExit.signalled(SIGTERM)
    /// Longer than any test takes.
    private static let never = "3600"

    private let home: TestHome
    private let server: FixtureServer
    private let events: EventPipe

    init() async throws {
        home = try TestHome()
        server = try FixtureServer()
        events = try await EventPipe(in: home)
    }

    // MARK: SIGTERM

    @Test func `SIGTERM ends a process only when its background task has ended`() async throws {
        let gate = FixtureGate()
        let app = try await startDownload("go-on", gate, grace: Self.never)
        app.signal(SIGTERM)
        await untilAsked(app)
        gate.open()
        #expect(await events.next("foreground-completed") == "foreground-completed ok")
        #expect(await events.next() == "will-terminate")
        #expect(await app.ended() == Self.terminated)
        #expect(!events.lines.contains("expired"))
    }

    @Test func `the expiration handler is called when the grace period is over`() async throws {
        let app = try await startDownload("end", FixtureGate(), grace: "0.05")
        app.signal(SIGTERM)
        #expect(await events.next("expired") == "expired")
        #expect(await events.next() == "will-terminate")
        #expect(await app.ended() == Self.terminated)
    }

    @Test func `a second SIGTERM calls the expiration handler at once`() async throws {
        let app = try await startDownload("end", FixtureGate(), grace: Self.never)
        app.signal(SIGTERM)
        await untilAsked(app)
        app.signal(SIGTERM)
        #expect(await events.next("expired") == "expired")
        #expect(await app.ended() == Self.terminated)
    }

    @Test func `the end of a login session, which sends SIGHUP as well, is waited for, too`()
        async throws
    {
        let gate = FixtureGate()
        let app = try await startDownload("go-on", gate, grace: Self.never)
        app.signal(SIGTERM)
        await untilAsked(app)
        app.signal(SIGHUP)
        await untilAsked(app)
        gate.open()
        #expect(await events.next("will-terminate") == "will-terminate", "\(events.lines)")
        #expect(await app.ended() == Self.terminated)
        #expect(!events.lines.contains("expired"))
    }

    @Test func `a task that does not end does not keep its process for ever`() async throws {
        let app = try await startDownload("go-on", FixtureGate(), grace: "0", limit: "0.05")
        app.signal(SIGTERM)
        #expect(await app.ended() == Self.terminated)
        #expect(!events.lines.contains("will-terminate"))
    }

    @Test(arguments: ["no", "yes"])
    func `without an open task SIGTERM ends a process as ever`(hasBriefTask: String) async throws {
        let app = try await start("--brief-task", hasBriefTask, "--grace", Self.never)
        _ = await events.next("ready")
        if hasBriefTask == "no" {
            // What only such tasks need costs nobody else anything.
            #expect(try !app.hasLoaded("libsystemd"))
        }
        app.signal(SIGTERM)
        #expect(await app.ended() == Self.terminated)
        #expect(!events.lines.contains("will-terminate"))
    }

    @Test(arguments: ["no", "yes"])
    func `a program's own handler is called where SIGTERM would have ended the process`(
        isGuarded: String
    ) async throws {
        let app =
            isGuarded == "yes"
            ? try await startDownload("end", FixtureGate(), grace: "0", "--own-handler", "yes")
            : try await start("--brief-task", "yes", "--own-handler", "yes")
        if isGuarded == "no" { _ = await events.next("ready") }
        app.signal(SIGTERM)
        #expect(await events.next("own-handler") == "own-handler")
        #expect(await app.ended() == .exited(status: 3))
        let expected = isGuarded == "yes" ? ["expired", "will-terminate"] : []
        let told = events.lines.filter { ["expired", "will-terminate"].contains($0) }
        #expect(told == expected)
    }

    // MARK: Hand-over

    @Test func `a download that runs out of time goes on in the background where it was`()
        async throws
    {
        // What ends while the app is still there is told to it.
        let rest = FixtureGate()
        let app = try await startDownload("hand-over", FixtureGate(), rest, grace: "0.05")
        app.signal(SIGTERM)
        #expect(await events.next("expired") == "expired")
        #expect(await events.next("handed-over") == "handed-over 1")
        #expect(await app.ended() == Self.terminated)
        rest.open()
        #expect(await events.next("start") == "start background")
        #expect(await events.next("finished") == "finished 1 song 206")
        #expect(await events.next("handled") == "handled")
        let file = try Data(contentsOf: URL(filePath: "\(home.files)/song"))
        #expect(Self.song.firstDifference(from: Array(file)) == nil)
        try await server.waitUntil { $0.requests(to: "/song").last?.state == .sent }
        let requests = server.requests(to: "/song")
        #expect(requests.map(\.range) == [nil, "bytes=1000000-"])
        #expect(requests.map(\.sentBodyByteCount).reduce(0, +) == Self.song.byteCount)
    }

    @Test func `an upload that runs out of time is sent in the background from its start`()
        async throws
    {
        let file = home.files + "/recording"
        try Data(Self.recording.bytes).write(to: URL(filePath: file))
        // What ends while the app is still there is told to it.
        let gate = FixtureGate()
        server.on("/in", .content(.text("thanks")).waiting(at: gate))
        server.hold("/in", [FixtureHold(after: 1_000_000)])
        let app = try await start(
            "--upload",
            "\(server.url("/in")) \(file)",
            "--guarded",
            "hand-over",
            "--grace",
            "0.05",
            "--expiration-limit",
            Self.never
        )
        _ = await events.next("ready")
        try await server.waitUntil { $0.heldBodyCount == 1 }
        app.signal(SIGTERM)
        #expect(await events.next("handed-over") == "handed-over 1")
        #expect(await app.ended() == Self.terminated)
        gate.open()
        #expect(await events.next("start") == "start background")
        #expect(await events.next("data") == "data 1 200 thanks")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(await events.next("handled") == "handled")
        // The one that was given up has never been a whole request.
        #expect(server.requests.map(\.method) == ["PUT"])
        let body = try #require(server.requests.first?.body)
        #expect(Self.recording.firstDifference(from: body) == nil)
    }

    // MARK: logind

    @Test func `logind delays a shutdown until background tasks have ended`() async throws {
        let logind = try await FakeLogind(in: home)
        let gate = FixtureGate()
        let app = try await startDownload("go-on", gate, grace: Self.never, busOf: logind)
        let reason = "Ends or hands over transfers"
        #expect(
            await logind.events.next("inhibit")
                == "inhibit shutdown:sleep test-app delay \(reason)"
        )
        gate.open()
        #expect(await logind.events.next("released") == "released")
        await app.killed()
    }

    @Test(arguments: ["PrepareForShutdown", "PrepareForSleep"])
    func `what logind announces calls expiration handlers in time`(signal: String) async throws {
        // Less than what is left to the handlers: at once.
        let logind = try await FakeLogind(in: home, longestDelay: 1)
        let app = try await startDownload(
            "hand-over",
            FixtureGate(),
            grace: Self.never,
            busOf: logind
        )
        _ = await logind.events.next("inhibit")
        logind.emit(signal, true)
        #expect(await events.next("expired") == "expired")
        #expect(await events.next("handed-over") == "handed-over 1")
        #expect(await logind.events.next("released") == "released")
        // It goes on living, and takes the file itself.
        #expect(await events.next("finished") == "finished 1 song 206")
        app.signal(SIGTERM)
        #expect(await app.ended() == Self.terminated)
        #expect(!events.lines.contains("will-terminate"))
    }

    @Test func `a process whose task has outlasted sleep goes on as before`() async throws {
        let logind = try await FakeLogind(in: home, longestDelay: 7200)
        let app = try await startDownload("go-on", FixtureGate(), grace: "0", busOf: logind)
        _ = await logind.events.next("inhibit")
        logind.emit("PrepareForSleep", true)
        await untilAsked(app)
        logind.emit("PrepareForSleep", false)
        await untilAsked(app, "remaining all")
        app.signal(SIGTERM)
        #expect(await events.next("expired") == "expired")
        await app.killed()
    }

    @Test func `without its bus a process goes on, and SIGTERM is as ever`() async throws {
        let logind = try await FakeLogind(in: home)
        let app = try await startDownload("end", FixtureGate(), grace: "0", busOf: logind)
        _ = await logind.events.next("inhibit")
        await logind.stop()
        app.signal(SIGTERM)
        #expect(await events.next("will-terminate") == "will-terminate")
        #expect(await app.ended() == Self.terminated)
    }

    // MARK: Parts

    private func start(
        _ arguments: String...,
        busOf logind: FakeLogind? = nil
    ) async throws -> TestProcess {
        try await start(arguments, busOf: logind)
    }

    private func start(_ arguments: [String], busOf logind: FakeLogind?) async throws -> TestProcess
    {
        // No process of the tests talks to the machine's own logind.
        let bus = logind?.address ?? "unix:path=\(home.path)/no-bus"
        return try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files] + arguments,
            environment: home.environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": bus]) { $1 }
        )
    }

    /// Starts a download in a background task that stops at 1 MB, until the gate is open.
    private func startDownload(
        _ expiration: String,
        _ gate: FixtureGate,
        _ rest: FixtureGate? = nil,
        grace: String,
        limit: String = never,
        busOf logind: FakeLogind? = nil,
        _ arguments: String...
    ) async throws -> TestProcess {
        let file = FixtureFile(Self.song)
        let second = FixtureAnswer.file(file)
        server.on(
            "/song",
            .file(file).stalling(after: 1_000_000, at: gate),
            rest.map { second.waiting(at: $0) } ?? second
        )
        let app = try await start(
            [
                "--url", server.url("/song"), "--guarded", expiration, "--grace", grace,
                "--expiration-limit", limit, "--remaining-on-signal", "yes",
            ] + arguments,
            busOf: logind
        )
        // In either order.
        var missing: Set = ["ready", "foreground-progress 1000000"]
        _ = await events.next { line in
            missing.remove(line)
            return missing.isEmpty
        }
        return app
    }

    /// Waits until the app says that its tasks are to end, or something else.
    private func untilAsked(
        _ app: TestProcess,
        _ expected: String = "remaining limited"
    ) async {
        while !Task.isCancelled {
            app.signal(SIGUSR1)
            if await events.next("remaining") == expected { return }
        }
    }
}
