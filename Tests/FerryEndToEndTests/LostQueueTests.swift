import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

/// A ferryd whose database somebody has deleted or emptied.
@Suite(.serialized, .timeLimit(.minutes(1))) struct LostQueueTests {
    private let home: TestHome
    private let events: EventPipe
    private let server: FixtureServer
    private let gate = FixtureGate()

    init() async throws {
        home = try TestHome()
        events = try await EventPipe(in: home)
        server = try FixtureServer()
        let content = FixtureContent.seeded(1, byteCount: 300_000)
        server.on("/song", .file(FixtureFile(content)).stalling(after: 100_000, at: gate))
    }

    @Test(arguments: [["ferry.sqlite"], ["ferry.sqlite", "ferry.sqlite-wal"]])
    func `REL-10: a queue that has vanished is said, and what it had loaded is kept`(
        names: [String]
    ) async throws {
        try await load()
        let before = try contents(of: "downloads")
        #expect(before.count == 1)
        for name in names {
            try FileManager.default.removeItem(atPath: "\(home.state)/\(name)")
        }
        try await expectLoss(keeping: before)
    }

    @Test func `REL-10: so is one that was emptied`() async throws {
        try await load()
        let before = try contents(of: "downloads")
        try Data().write(to: URL(filePath: "\(home.state)/ferry.sqlite"))
        try await expectLoss(keeping: before)
    }

    @Test func `REL-10: the first start of all misses nothing`() async throws {
        _ = try Directory(opening: home.state, creatingPrivate: true)
        try Data().write(to: URL(filePath: "\(home.state)/ferry.sqlite"))
        let log = try await logOfStart()
        #expect(log.filter { $0.contains("vanished") } == [])
        #expect(try lost() == nil)
    }

    /// Starts ferryd, which finds that its queue is gone.
    private func expectLoss(keeping downloads: [String: Data]) async throws {
        let line = try #require(try await logOfStart().first { $0.contains("has vanished") })
        let lost = try #require(try lost())
        #expect(line.contains("error"))
        #expect(line.contains("\(home.state)/ferry.sqlite"))
        #expect(line.contains("\(home.state)/\(lost)"))
        #expect(try contents(of: "\(lost)/downloads") == downloads)
        #expect(try contents(of: "downloads") == [:])
        // Once: the next one has a queue.
        let next = try await logOfStart()
        #expect(next.filter { $0.contains("vanished") } == [])
    }

    /// Has a ferryd load a part of a file, and ends it.
    private func load() async throws {
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files, "--url", server.url("/song")],
            environment: home.environment
        )
        _ = await events.next("progress 1 100000")
        // First the app, which would start another ferryd.
        await app.killed()
        await TestHome.kill(home.daemons)
    }

    /// What ferryd says until it serves.
    private func logOfStart() async throws -> [String] {
        let errors = try LinePipe()
        let process = try await TestProcess(
            TestHome.executable("ferryd"),
            ["--foreground"],
            environment: home.environment,
            error: errors.writer
        )
        errors.closeWriter()
        var lines: [String] = []
        while lines.last?.contains("serves on") != true, let line = try errors.next(containing: "")
        {
            lines.append(line)
        }
        await process.killed()
        return lines
    }

    /// The name of the directory that holds what was lost.
    private func lost() throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: home.state).first {
            $0.hasPrefix("lost-")
        }
    }

    /// The files of a directory of ferryd's.
    private func contents(of directory: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        let path = "\(home.state)/\(directory)"
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            contents[name] = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
        }
        return contents
    }
}
