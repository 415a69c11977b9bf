import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Uploads of real apps by a real ferryd, with real signals.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BackgroundUploadTests {
    private static let small = FixtureContent.seeded(1, byteCount: 8_000_000)
    /// Too large for a copy.
    private static let large = FixtureContent.seeded(2, byteCount: 24_000_000)

    /// Who is killed.
    enum Victim: String, CaseIterable, Sendable {
        case app, daemon, both
    }

    private let home: TestHome
    private let server: FixtureServer
    private let events: EventPipe

    init() async throws {
        home = try TestHome(
            daemonArguments: ["--retry-delay", "0.05", "--relaunch-delay", "0.05"]
        )
        server = try FixtureServer()
        events = try await EventPipe(in: home)
        server.on("/in", .content(.text("thanks")))
    }

    // MARK: Kills

    @Test func `BG-14: an app that is killed is started again and gets the answer`() async throws {
        let gate = FixtureGate()
        server.hold("/in", [FixtureHold(after: 1_000_000, at: gate)])
        let app = try await start(uploading: Self.small)
        _ = await events.next("ready")
        try await server.waitUntil { $0.heldBodyCount == 1 }
        await app.killed()
        gate.open()
        _ = await events.next { $0 == "start background" }
        #expect(await events.next() == "handle-events test")
        #expect(await events.next("data") == "data 1 200 thanks")
        #expect(await events.next() == "completed 1 ok")
        #expect(await events.next() == "did-finish-events")
        #expect(await events.next() == "handled")
        #expect(!events.lines.contains { $0.hasPrefix("response") })
        try expectArrival(of: Self.small)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: Victim.allCases)
    func `BG-38, BG-42: kills at ten moments end in one upload of the whole file`(
        victim: Victim
    ) async throws {
        let moments = (0..<10).map { Int(Self.small.byteCount) * $0 / 10 }
        // What has to begin anew is held where the next kill is due.
        let last = FixtureGate()
        let holds =
            victim == .app
            ? [FixtureHold(after: 100_000, at: last)]
            : moments.map { FixtureHold(after: $0) }
        server.hold("/in", holds)
        _ = try await start(uploading: Self.small)
        _ = await events.next("ready")
        for count in 1...moments.count {
            if victim != .app { try await server.waitUntil { $0.heldBodyCount == count } }
            try await kill(victim)
            // The last time it is for ferryd to start the app.
            if victim != .daemon, count < moments.count {
                _ = try await start()
                #expect(await events.next("found") == "found 1 in")
            }
        }
        last.open()
        if victim == .both { _ = try await home.ferry("list") }
        #expect(await events.next("data") == "data 1 200 thanks")
        #expect(await events.next("completed") == "completed 1 ok")
        if victim != .daemon { #expect(await events.next("handled") == "handled") }
        #expect(events.lines.count { $0.hasPrefix("completed") } == 1)
        try expectArrival(of: Self.small)
        #expect(server.requests.count == 1)
    }

    // MARK: The file

    @Test func `BG-42: a small file may be deleted as soon as its task is resumed`() async throws {
        server.hold("/in", [FixtureHold(after: 1_000_000)])
        _ = try await start(uploading: Self.small)
        _ = await events.next("ready")
        try await server.waitUntil { $0.heldBodyCount == 1 }
        unlink(file)
        // Even for another ferryd.
        try await kill(.daemon)
        #expect(await events.next("completed") == "completed 1 ok")
        try expectArrival(of: Self.small)
    }

    @Test(.enabled(if: !canClone))
    func `BG-42: a large file that is deleted while it is sent arrives`() async throws {
        let gate = FixtureGate()
        server.hold("/in", [FixtureHold(after: 1_000_000, at: gate)])
        _ = try await start(uploading: Self.large)
        _ = await events.next("ready")
        try await server.waitUntil { $0.heldBodyCount == 1 }
        unlink(file)
        gate.open()
        #expect(await events.next("completed") == "completed 1 ok")
        try expectArrival(of: Self.large)
    }

    @Test(.enabled(if: !canClone))
    func `BG-42: a large file that is gone when ferryd needs it anew fails with -1100`()
        async throws
    {
        server.hold("/in", [FixtureHold(after: 1_000_000)])
        _ = try await start(uploading: Self.large)
        _ = await events.next("ready")
        try await server.waitUntil { $0.heldBodyCount == 1 }
        unlink(file)
        try await kill(.daemon)
        #expect(await events.next("completed") == "completed 1 -1100")
        #expect(server.requests.isEmpty)
    }

    @Test(.enabled(if: !canClone))
    func `BG-42: a large file that is changed while it is sent does not arrive`() async throws {
        let gate = FixtureGate()
        server.hold("/in", [FixtureHold(after: 1_000_000, at: gate)])
        _ = try await start(uploading: Self.large)
        _ = await events.next("ready")
        try await server.waitUntil { $0.heldBodyCount == 1 }
        try change(at: 23_000_000)
        gate.open()
        #expect(await events.next("completed") == "completed 1 -3001")
        #expect(server.requests.isEmpty)
    }

    @Test(.enabled(if: !canClone))
    func `BG-42: a large file that was changed between two lives of ferryd is not sent`()
        async throws
    {
        server.hold("/in", [FixtureHold(after: 1_000_000)])
        _ = try await start(uploading: Self.large)
        _ = await events.next("ready")
        try await server.waitUntil { $0.heldBodyCount == 1 }
        try change(at: 5)
        try await kill(.daemon)
        #expect(await events.next("completed") == "completed 1 -3001")
        #expect(server.requests.isEmpty)
    }

    @Test func `BG-42: a small file that is changed after resume arrives as it was`() async throws {
        let gate = FixtureGate()
        server.hold("/in", [FixtureHold(after: 1000, at: gate)])
        _ = try await start(uploading: Self.small)
        _ = await events.next("ready")
        try await server.waitUntil { $0.heldBodyCount == 1 }
        try change(at: 7_000_000)
        gate.open()
        #expect(await events.next("completed") == "completed 1 ok")
        try expectArrival(of: Self.small)
    }

    @Test func `REL-2: a thousand uploads in a loop need few descriptors`() async throws {
        try Data("hello".utf8).write(to: URL(filePath: file))
        let count = 1000
        let app = try await TestProcess(
            "/bin/sh",
            [
                "-c", "ulimit -S -n 256; exec \"$0\" \"$@\"",
                TestHome.executable("ferry-test-app"),
                "--events", events.path, "--directory", home.files,
                "--upload", "\(server.url("/in")) \(file)", "--upload-count", "\(count)",
            ],
            environment: home.environment
        )
        var ends: Set<String> = []
        while ends.count < count { ends.insert(await events.next("completed")) }
        #expect(ends.filter { !$0.hasSuffix(" ok") }.sorted() == [])
        #expect(server.requests.count == count)
        await app.killed()
    }

    @Test func `BG-4: a file that is not there fails with -1100`() async throws {
        _ = try await start(arguments: ["--upload", "\(server.url("/in")) \(home.files)/missing"])
        #expect(await events.next("completed").hasSuffix(" -1100"))
        #expect(server.requests.isEmpty)
    }

    // MARK: Answers

    @Test func `BG-19: an answer of 500 is final, and its body comes`() async throws {
        server.on("/in", .status(500, body: "sorry"))
        _ = try await start(uploading: Self.small)
        #expect(await events.next("data") == "data 1 500 sorry")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(server.requests.count == 1)
        let sent = events.lines.filter { $0.hasPrefix("sent") }
        #expect(sent.last == "sent 1 8000000 of 8000000")
    }

    @Test func `BG-18: a lost answer is asked for again, with the whole file`() async throws {
        server.on(
            "/in",
            .content(.text("thanks")).dropping(after: 2),
            .content(.text("thanks"))
        )
        _ = try await start(uploading: Self.small)
        #expect(await events.next("data") == "data 1 200 thanks")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(server.requests.count == 2)
        for request in server.requests {
            #expect(Self.small.firstDifference(from: request.body) == nil)
        }
    }

    @Test func `an answer without a body is no data`() async throws {
        server.on("/in", .status(204))
        _ = try await start(uploading: Self.small)
        #expect(await events.next { !$0.hasPrefix("sent") } == "start user")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(!events.lines.contains { $0.hasPrefix("data") })
    }

    @Test func `the command shows how much of an upload was sent`() async throws {
        let gate = FixtureGate()
        server.hold("/in", [FixtureHold(after: 4_000_000, at: gate)])
        _ = try await start(uploading: Self.small)
        try await server.waitUntil { $0.heldBodyCount == 1 }
        let list = try await home.ferry("list")
        #expect(list.output.contains("% of 7.6 MiB up"), "\(list.output)")
        gate.open()
        #expect(await events.next("completed") == "completed 1 ok")
    }

    // MARK: Parts

    private var file: String { home.files + "/source" }

    private func start(
        uploading content: FixtureContent? = nil,
        arguments: [String] = []
    ) async throws -> TestProcess {
        var arguments = arguments
        if let content {
            try Data(content.bytes).write(to: URL(filePath: file))
            arguments += ["--upload", "\(server.url("/in")) \(file)"]
        }
        return try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files] + arguments,
            environment: home.environment
        )
    }

    private func change(at offset: Int64) throws {
        let file = try Directory(opening: home.files).open("source", .readWrite)
        try [UInt8](repeating: 7, count: 100).withUnsafeBytes {
            try file.writeAll($0, at: offset)
        }
    }

    private func kill(_ victim: Victim) async throws {
        let apps = home.processes(of: "ferry-test-app")
        guard victim != .app else { return await TestHome.kill(apps) }
        for app in apps { Glibc.kill(app, SIGSTOP) }
        await home.killAll(except: apps)
        if victim == .both { await home.killAll(except: []) }
        for app in apps where victim == .daemon { Glibc.kill(app, SIGCONT) }
    }

    private func expectArrival(of content: FixtureContent) throws {
        let request = try #require(server.requests.last)
        #expect(request.method == "PUT")
        #expect(content.firstDifference(from: request.body) == nil)
    }

    /// Whether files can share their blocks here: then the daemon has a file of its own in any case.
    private static let canClone: Bool = {
        guard let directory = try? TemporaryDirectory().directory,
            let source = try? directory.open("source", .createNew),
            let copy = try? directory.open("copy", .createNew)
        else { return false }
        return (try? copy.clone(source)) != nil
    }()
}
