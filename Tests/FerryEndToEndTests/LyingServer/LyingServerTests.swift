import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Servers that lie, all at once, to a session of an app's own and to ferryd: never a mixed file,
/// never a stuck task, never memory without bound, and no transfer that suffers from another's server.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LyingServerTests {
    typealias Place = LyingServerRun.Place

    private static let cut = LyingServer.cutByteCount

    @Test(arguments: Place.allCases)
    func `BG-16, BG-19, DL-4: an answer is what HTTP makes of it, or an error`(
        place: Place
    ) async throws {
        let run = try await LyingServerRun(
            LyingServer.beginnings,
            in: place
        )
        await run.end(of: try await run.start())
        try run.expectOutcomes()
    }

    @Test(arguments: Place.allCases)
    func `SEC-12, KEEP-5: a body in a coding that was asked for is whole, or an error`(
        place: Place
    ) async throws {
        let codings = LyingServer.askedCodings
        let run = try await LyingServerRun(LyingServer.packedAsAsked, in: place, asking: codings)
        await run.end(of: try await run.start(["--field", "Accept-Encoding: \(codings)"]))
        try run.expectOutcomes()
    }

    @Test(arguments: Place.allCases)
    func `RD-1, RD-5, RD-6: what continues a file has to be proved`(place: Place) async throws {
        let run = try await continued(LyingServer.continuations, in: place)
        try run.expectOutcomes()
    }

    @Test(arguments: Place.allCases)
    func `what continues a file from another address has to be proved, too`(
        place: Place
    ) async throws {
        let run = try await continued(
            LyingServer.relinks,
            in: place,
            ["--link", "/elsewhere"]
        )
        try run.expectOutcomes()
        for (lie, server) in zip(LyingServer.relinks, run.servers) {
            let count = server.requests(to: "/elsewhere").count
            #expect((1...22).contains(count), Comment(rawValue: lie.behaviour))
        }
    }

    /// Downloads whose first answers are cut, to their end.
    private func continued(
        _ lies: [LyingServer],
        in place: Place,
        _ arguments: [String] = []
    ) async throws -> LyingServerRun {
        let gate = FixtureGate()
        let run = try await LyingServerRun(lies, in: place) { answer in
            switch place {
            case .app: answer.stalling(after: Self.cut, at: gate)
            case .daemon: answer.dropping(after: Self.cut)
            }
        }
        let handOver = place == .app ? ["--hand-over-at", "\(Self.cut)"] : []
        await run.end(of: try await run.start(handOver + arguments))
        return run
    }

    @Test func `RD-5, RD-6: what continues a file after a kill of ferryd has to be proved, too`()
        async throws
    {
        let lies = LyingServer.continuations.filter { !$0.isSilent }
        let gate = FixtureGate()
        let run = try await LyingServerRun(lies, in: .daemon) {
            $0.stalling(after: Self.cut, at: gate)
        }
        let app = try await run.start()
        var waiting = Set(lies.indices.map { "progress \($0 + 1) \(Self.cut)" })
        while !waiting.isEmpty { waiting.remove(await run.events.next("progress")) }
        await TestHome.kill(run.home.daemons)
        await run.end(of: app)
        try run.expectOutcomes()
    }

    @Test(arguments: Place.allCases)
    func `what a further connection brings has to be proved, too`(place: Place) async throws {
        let run = try await LyingServerRun(LyingServer.segments, in: place, connections: 4)
        await run.end(of: try await run.start())
        try run.expectOutcomes()
        for (lie, server) in zip(LyingServer.segments, run.servers) {
            let hasAsked = server.requests.contains { LyingServer.isForSegment($0) }
            #expect(hasAsked, Comment(rawValue: lie.behaviour))
        }
    }

    @Test(arguments: Place.allCases)
    func `what a mirror brings has to be proved, and no mirror spoils a download`(
        place: Place
    ) async throws {
        let run = try await LyingServerRun(LyingServer.mirrors, in: place, connections: 4)
        await run.end(of: try await run.start())
        try run.expectOutcomes()
        for (lie, server) in zip(LyingServer.mirrors, run.servers) {
            let hasAsked = !server.requests(to: LyingServer.mirrorPath).isEmpty
            #expect(hasAsked, Comment(rawValue: lie.behaviour))
        }
    }

    @Test func `there are at least 120 lies, and none is there twice`() {
        let behaviours =
            LyingServer.all.map(\.behaviour) + LyingUploadServer.all.map(\.behaviour)
            + LyingTusServer.all.map(\.behaviour) + CuriousServer.all.map(\.behaviour)
        #expect(behaviours.count >= 120)
        #expect(Set(behaviours).count == behaviours.count)
        guard ProcessInfo.processInfo.environment["FERRY_PRINT_LIES"] != nil else { return }
        let table =
            LyingServer.all.map { "\($0.behaviour) → \($0.outcome)" }
            + LyingUploadServer.all.map { "\($0.behaviour) → \($0.outcome)" }
            + LyingTusServer.all.map { "\($0.behaviour) → \($0.outcome)" }
            + CuriousServer.all.map(\.behaviour)
        print((table + ["\(table.count) behaviours"]).joined(separator: "\n"))
    }

    @Test(arguments: Place.allCases)
    func `what never ends does not fill the memory`(place: Place) async throws {
        let growth = try await memoryGrowth(LyingServer.endless, in: place)
        #expect(growth < (16 << 20) * Self.memoryFactor)
    }

    @Test(arguments: Place.allCases)
    func `what is packed and never ends does not fill the memory`(place: Place) async throws {
        let growth = try await memoryGrowth(
            [LyingServer.endlessCompression],
            in: place,
            asking: LyingServer.askedCodings
        )
        #expect(growth < (16 << 20) * Self.memoryFactor)
    }

    // MARK: Secrets

    /// Where a redirect leads, and whether the app's own fields may go there.
    enum Target: String, CaseIterable, CustomTestStringConvertible {
        case sameOrigin = "the same origin"
        case otherHost = "another host"
        case otherPort = "another port"
        case plainHTTP = "plain HTTP"

        var testDescription: String { rawValue }
    }

    @Test(arguments: Target.allCases, Place.allCases)
    func `BG-7: a redirect takes secrets to the same origin only`(
        target: Target,
        place: Place
    ) async throws {
        let run = try await LyingServerRun([], in: place)
        let first = try FixtureServer()
        let second = try FixtureServer(host: target == .otherHost ? "127.0.0.2" : "127.0.0.1")
        let last = target == .sameOrigin ? first : second
        last.on("/song", .oldFile)
        first.on("/file", .redirect(to: last.url("/song")))
        let secure =
            target == .plainHTTP
            ? try await TLSServer.start(.good, redirectingTo: last.url("/song")) : nil
        let secrets = ["Authorization": "Bearer secret", "Cookie": "id=secret", "X-Key": "secret"]
        let fields = ["Accept: text/plain"] + secrets.map { "\($0): \($1)" }
        let app = try await run.start(
            ["--url", secure?.url ?? first.url("/file")] + fields.flatMap { ["--field", $0] },
            variables: secure.map { ["SSL_CERT_FILE": $0.authorityFile] } ?? [:]
        )
        await run.end(of: app)
        #expect(run.events.lines.contains("completed 1 ok"))
        let request = try #require(last.requests(to: "/song").first)
        #expect(last.requests(to: "/song").count == 1)
        #expect(request["Accept"] == "text/plain")
        for (name, value) in secrets {
            #expect(request[name] == (target == .sameOrigin ? value : nil))
        }
    }

    /// A sanitizer takes several bytes of its own for each.
    private static let memoryFactor = Sanitizer.isOn ? 5 : 1

    /// By how many bytes the memory of whoever downloads grows at most while all of it arrives.
    private func memoryGrowth(
        _ lies: [LyingServer],
        in place: Place,
        asking codings: String = "identity"
    ) async throws -> Int {
        let gate = FixtureGate()
        let end = FixtureGate()
        let run = try await LyingServerRun(lies + [.slow], in: place, asking: codings) { answer in
            answer.changing { response in
                if let script = response.script {
                    response.script = [.wait(gate)] + script
                } else {
                    response.incidents.append((Self.cut, .stall(end)))
                }
            }
        }
        let app = try await run.start(
            ["--cancel-at", "\(32 << 20)", "--field", "Accept-Encoding: \(codings)"]
        )
        for server in run.servers {
            try await server.waitUntil { $0.requests.first?.state == .stalled }
        }
        let process = place == .app ? app.identifier : try #require(run.home.daemons.first)
        let before = try ProcessMemory(of: process).present
        gate.open()
        for _ in lies { _ = await run.events.next("completed") }
        let growth = try ProcessMemory(of: process).peak - before
        end.open()
        await run.end(of: app)
        try run.expectOutcomes()
        return growth
    }
}
