import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What people say about how a transfer is carried out, to a real ferryd.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TransferOptionsEndToEndTests {
    private let home: TestHome
    private let server: FixtureServer
    private let content = FixtureContent.seeded(1, byteCount: 1_000_000)

    init() throws {
        home = try TestHome(daemonArguments: ["--retry-delay", "0.001", "--idle-time", "0.05"])
        server = try FixtureServer()
    }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: home.files)) ?? []
    }

    private func difference(_ name: String) throws -> Int? {
        let data = try Data(contentsOf: URL(filePath: "\(home.files)/\(name)"))
        return content.firstDifference(from: [UInt8](data))
    }

    @Test func `a file of another digest is not saved, one of the right digest is`() async throws {
        server.on("/song", .content(.text("la")))
        let right = "b737ca7ee563ae80e457bb3d1dfe64edd2b4c015a8f88b6f87d5c113b68897fd"
        let wrong = String(right.reversed())
        let url = server.url("/song")
        let refused = try await home.ferry(
            "get",
            "-d",
            home.files,
            "--checksum",
            "sha-256=\(wrong)",
            url
        )
        #expect(refused.exit == .exited(status: 9))
        #expect(refused.error.contains(right), "\(refused.error)")
        #expect(names == [])
        let saved = try await home.ferry(
            "get",
            "-d",
            home.files,
            "--checksum",
            "sha256=\(right)",
            url
        )
        #expect(saved.exit == .exited(status: 0), "\(saved.error)")
        #expect(names == ["song"])
    }

    @Test func `KEEP-4: an archive described as coded is saved as it came, also in two parts`()
        async throws
    {
        // Its digest is that of these bytes in gzip.
        let digest = "83bf8fe80b005b462ed609a7fab751ebd4ceef5dbf86f993e6f172cfa81c8849"
        let packed = FixtureContent.bytes(FixtureGzip.encode(Array("la la la la".utf8)))
        let file = FixtureFile(packed, fields: [("Content-Encoding", "gzip")])
        server.on("/song.tar.gz", .file(file).dropping(after: 20), .file(file))
        let get = try await home.ferry(
            "get",
            "-d",
            home.files,
            "--checksum",
            "sha-256=\(digest)",
            server.url("/song.tar.gz")
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let saved = try Data(contentsOf: URL(filePath: "\(home.files)/song.tar.gz"))
        #expect(Array(saved) == packed.bytes)
        #expect(server.requests.map { $0["Accept-Encoding"] } == ["identity", "identity"])
    }

    @Test(arguments: FixtureCoding.allCases)
    func `SEC-12: a file in a coding that was asked for is saved whole, however often it is cut`(
        coding: FixtureCoding
    ) async throws {
        let packed = coding.encode(content.bytes)
        let cut = FixtureContent.bytes(Array(packed.prefix(packed.count / 2)))
        let fields = [("Content-Encoding", coding.rawValue)]
        server.on(
            "/song",
            .content(cut).with(fields: fields),
            FixtureAnswer.content(cut).with(fields: fields).chunked(),
            .content(.bytes(packed)).with(fields: fields)
        )
        let get = try await home.ferry(
            "get",
            "-d",
            home.files,
            "--header",
            "Accept-Encoding: \(coding.rawValue)",
            server.url("/song")
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(try difference("song") == nil)
        #expect(server.requests.count == 3)
    }

    @Test func `a mirror stands in for a server that is not there`() async throws {
        server.on("/copy", .file(FixtureFile(content)))
        let gone = try FixtureClosedPort()
        let get = try await home.ferry(
            "get",
            "-o",
            "\(home.files)/song",
            "--mirror",
            server.url("/copy"),
            gone.url("/song")
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(try difference("song") == nil)
    }

    @Test func `after as many failures as allowed a transfer is over`() async throws {
        server.on("/song", .content(content).dropping(after: 0))
        let url = server.url("/song")
        let get = try await home.ferry("get", "-d", home.files, "--retries", "3", url)
        #expect(get.exit == .exited(status: 6))
        #expect(server.requests(to: "/song").count == 3)
    }

    @Test func `a transfer goes on from another address, with the bytes that are there`()
        async throws
    {
        let gate = FixtureGate()
        let file = FixtureFile(content)
        server.on("/old", .file(file).stalling(after: 300_000, at: gate))
        server.on("/new", .file(FixtureFile(content, entityTag: "\"another\"")))
        let get = try await home.ferry(
            "get",
            "--detach",
            "-o",
            "\(home.files)/song",
            server.url("/old")
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        try await server.waitUntil { $0.requests(to: "/old").first?.state == .stalled }
        try await waitForBytes(300_000)
        let relink = try await home.ferry("relink", server.url("/new"), "1")
        #expect(relink.exit == .exited(status: 0), "\(relink.error)")
        try await home.watchToEnd(of: 1)
        await home.untilNoDaemon()
        #expect(try difference("song") == nil)
        #expect(server.requests(to: "/new").map(\.range) == ["bytes=234464-"])
        gate.open()
    }

    @Test func `a limit for all transfers is kept, and outlives ferryd`() async throws {
        let limit = try await home.ferry("limit", "300k", "--upload", "2M")
        #expect(limit.exit == .exited(status: 0), "\(limit.error)")
        await home.untilNoDaemon()
        server.on("/song", .file(FixtureFile(.seeded(2, byteCount: 300_000))))
        let start = ContinuousClock.now
        let get = try await home.ferry("get", "-d", home.files, server.url("/song"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        // The last piece is not waited for, nor what may pass in one go.
        #expect(ContinuousClock.now - start > .milliseconds(700))
        let none = try await home.ferry("limit", "none")
        #expect(none.exit == .exited(status: 0), "\(none.error)")
    }

    /// Returns when ferryd says that so many bytes of the first transfer are there.
    private func waitForBytes(_ count: Int) async throws {
        let events = try await EventPipe(in: home)
        let pipe = try systemCall("open", events.path) {
            open(events.path, O_WRONLY | O_CLOEXEC)
        }
        defer { close(pipe) }
        let watch = try await TestProcess(
            TestHome.executable("ferry"),
            ["watch", "--json", "1"],
            environment: home.environment,
            output: pipe
        )
        _ = await events.next { $0.contains("\"received\":\(count)") }
        await watch.killed()
    }
}
