import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Uploads of real apps by a real ferryd to a server that continues them, with real signals.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ResumableUploadEndToEndTests {
    private static let small = FixtureContent.seeded(1, byteCount: 8_000_000)
    /// Too large for a copy.
    private static let large = FixtureContent.seeded(2, byteCount: 24_000_000)
    static let versions = [3, 5, 6, 8]

    /// Who is killed.
    enum Victim: String, CaseIterable, Sendable {
        case app, daemon, both
    }

    private let home: TestHome
    private let events: EventPipe

    init() async throws {
        home = try TestHome(
            daemonArguments: ["--retry-delay", "0.02", "--relaunch-delay", "0.05"]
        )
        events = try await EventPipe(in: home)
    }

    /// A server that cuts the first so many bodies off.
    private func server(
        version: Int = 8,
        cuttingAfter byteCount: Int,
        upTo total: Int
    ) throws -> UploadServer {
        let left = Countdown(total)
        return try UploadServer(version: version) { request in
            guard ["PUT", "PATCH"].contains(request.method), left.take() else {
                return UploadBehaviour()
            }
            // A reset may overtake the interim response to the first request.
            let isReset = request.method == "PATCH" && request.number % 3 == 0
            return .cutting(after: byteCount, isReset: isReset)
        }
    }

    // MARK: - Cuts and kills

    @Test(arguments: versions)
    func `UP-5, UP-6: through thirty cuts and kills of ferryd and of the app, all bytes arrive`(
        version: Int
    ) async throws {
        let server = try server(version: version, cuttingAfter: 200_000, upTo: 36)
        _ = try await start(uploading: Self.small, to: server)
        _ = await events.next("ready")
        for (count, victim) in [Victim.daemon, .both, .app, .daemon, .both].enumerated() {
            await server.waitUntil { $0.receivedByteCount >= (count + 1) * 900_000 }
            try await kill(victim)
            guard victim != .daemon else { continue }
            _ = try await start(uploading: nil, to: server)
            #expect(await events.next("found") == "found 1 in")
        }
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(Self.small.firstDifference(from: server.contents(of: "/in")) == nil)
        #expect(server.violations == [])
        let creations = server.requests.count { $0.method == "PUT" }
        // One per version that the server was offered; ferryd forgets that only when it dies.
        #expect(creations <= 8)
        #expect(server.requests.count { ["PUT", "PATCH"].contains($0.method) } > 30)
    }

    @Test func `tus: through thirty cuts and kills of ferryd and of the app, all bytes arrive`()
        async throws
    {
        let server = try await TusServer()
        let relay = try CuttingRelay(to: server.port, cuttingAfter: 150_000, times: 33)
        let url = "http://127.0.0.1:\(relay.port)/files/"
        _ = try await start(uploading: Self.small, toURL: url, ["--upload-method", "POST"])
        _ = await events.next("ready")
        for (count, victim) in [Victim.daemon, .both, .app, .daemon].enumerated() {
            try await waitForCuts((count + 1) * 6, of: relay)
            try await kill(victim)
            guard victim != .daemon else { continue }
            _ = try await start(uploading: nil, toURL: url)
            #expect(await events.next("found").hasPrefix("found 1"))
        }
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(relay.cuts.taken == 33)
        let arrived = try server.resources.contains { name in
            Self.small.firstDifference(from: try server.contents(of: name)) == nil
        }
        #expect(arrived)
    }

    @Test(arguments: Victim.allCases)
    func `UP-6: who is killed in the middle of an upload goes on with it`(
        victim: Victim
    ) async throws {
        let gate = FixtureGate()
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .with { $0.hold = (4_000_000, gate) } : UploadBehaviour()
        }
        _ = try await start(uploading: Self.large, to: server)
        _ = await events.next("ready")
        await server.waitUntil { $0.receivedByteCount >= 4_000_000 }
        // Answered behind what the store was told before.
        _ = try await home.ferry("list")
        try await kill(victim)
        if victim != .daemon { _ = try await start(uploading: nil, to: server) }
        if victim == .app { gate.open() }
        #expect(await events.next("data") == "data 1 200 thanks")
        #expect(await events.next("completed") == "completed 1 ok")
        gate.open()
        #expect(Self.large.firstDifference(from: server.contents(of: "/in")) == nil)
        #expect(
            server.requests.map(\.method) == (victim == .app ? ["PUT"] : ["PUT", "HEAD", "PATCH"])
        )
        #expect(server.violations == [])
    }

    // MARK: - What becomes of it

    @Test func `UP-7: what the server has forgotten is sent anew`() async throws {
        let server = try UploadServer(version: 8) { request in
            switch request.number {
            case 0: .cutting(after: 1_000_000)
            case 1: .answering(404)
            default: UploadBehaviour()
            }
        }
        _ = try await start(uploading: Self.small, to: server)
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PUT"])
        #expect(Self.small.firstDifference(from: server.contents(of: "/in")) == nil)
    }

    @Test func `an answer that is lost ends the task, and nothing is sent twice`() async throws {
        let server = try UploadServer(version: 8) { request in
            request.number == 0 ? .with { $0.losesAnswer = true } : UploadBehaviour()
        }
        _ = try await start(uploading: Self.small, to: server)
        #expect(await events.next("completed") == "completed 1 -1005")
        #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
    }

    @Test func `UP-5: resume data of a background upload is good for another task`() async throws {
        let gate = FixtureGate()
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .with { $0.hold = (4_000_000, gate) } : UploadBehaviour()
        }
        _ = try await start(
            uploading: Self.small,
            to: server,
            ["--continue-upload-at", "2000000"]
        )
        #expect(await events.next("resume-data") == "resume-data some")
        #expect(await events.next("completed 2") == "completed 2 ok")
        gate.open()
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
        #expect(Self.small.firstDifference(from: server.contents(of: "/in")) == nil)
    }

    @Test func `a background upload that is cancelled is taken back from the server`()
        async throws
    {
        let gate = FixtureGate()
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .with { $0.hold = (4_000_000, gate) } : UploadBehaviour()
        }
        _ = try await start(uploading: Self.small, to: server, ["--cancel-at", "2000000"])
        #expect(await events.next("completed") == "completed 1 -999")
        await server.waitUntil { $0.removedCount == 1 }
        gate.open()
        #expect(server.openUploadCount == 0)
    }

    // MARK: - Parts

    /// Returns when so many connections were cut, and throws when the task has come to its end before.
    private func waitForCuts(_ count: Int, of relay: CuttingRelay) async throws {
        let line = "cut \(count)"
        Task { [events] in
            await relay.cuts.wait(for: count)
            events.write(line)
        }
        let found = await events.next { $0 == line || $0.hasPrefix("completed") }
        let log = found == line ? "" : try await home.ferry("log").output
        try #require(found == line, "after \(relay.cuts.taken) cuts: \(events.lines) \(log)")
    }

    private var file: String { home.files + "/source" }

    private func start(
        uploading content: FixtureContent?,
        to server: UploadServer,
        _ more: [String] = []
    ) async throws -> TestProcess {
        try await start(uploading: content, toURL: server.url("/in"), more)
    }

    private func start(
        uploading content: FixtureContent?,
        toURL url: String,
        _ more: [String] = []
    ) async throws -> TestProcess {
        var arguments = ["--events", events.path, "--directory", home.files] + more
        if let content {
            try Data(content.bytes).write(to: URL(filePath: file))
            arguments += ["--upload", "\(url) \(file)"]
        }
        return try await TestProcess(
            TestHome.executable("ferry-test-app"),
            arguments,
            environment: home.environment
        )
    }

    private func kill(_ victim: Victim) async throws {
        let apps = home.processes(of: "ferry-test-app")
        guard victim != .app else { return await TestHome.kill(apps) }
        for app in apps { Glibc.kill(app, SIGSTOP) }
        await home.killAll(except: apps)
        if victim == .both { await home.killAll(except: []) }
        for app in apps where victim == .daemon { Glibc.kill(app, SIGCONT) }
    }
}
