import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// An app with many background sessions.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ManySessionsTests {
    private let home: TestHome
    private let server: FixtureServer
    private let events: EventPipe

    init() async throws {
        home = try TestHome()
        server = try FixtureServer()
        events = try await EventPipe(in: home)
    }

    private func start(_ count: Int) async throws -> TestProcess {
        for number in 0...count { server.on("/\(number)", .content(.text("song \(number)"))) }
        return try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files,
                "--url", server.url("/"), "--session-count", "\(count)",
            ],
            environment: home.environment
        )
    }

    /// Waits until as many downloads have ended, besides the one of the app's first session.
    private func expectEnds(_ count: Int) async {
        var ends = 0
        while ends <= count {
            let line = await events.next("completed")
            if line.hasSuffix(" ok") { ends += 1 }
        }
        #expect(!events.lines.contains { $0.hasPrefix("blocked") })
    }

    @Test func `API-23: a thousand sessions of one process work over two connections`()
        async throws
    {
        server.on("/", .content(.text("first")))
        let app = try await start(1000)
        await expectEnds(1000)
        let status = try await home.ferry("daemon", "status")
        // One of the connections is that of the command.
        #expect(status.output.contains("1001 sessions, 3 connections"), "\(status.output)")
        let threads = try FileManager.default.contentsOfDirectory(
            atPath: "/proc/\(app.identifier)/task"
        )
        let connecting = threads.count { thread in
            let path = "/proc/\(app.identifier)/task/\(thread)/comm"
            return (try? String(contentsOfFile: path, encoding: .utf8)) == "ferry.backgroun\n"
        }
        #expect(connecting == 1)
        await app.killed()
        let end = try await home.ferry("daemon", "status")
        #expect(end.output.contains("connections"), "\(end.output)")
    }

    @Test
    func `API-23: the sessions of one process outlive ferryd, which is killed again and again`()
        async throws
    {
        server.on("/", .content(.text("first")))
        let app = try await start(100)
        for _ in 1...5 {
            _ = await events.next("completed")
            for daemon in home.daemons { kill(daemon, SIGKILL) }
        }
        await expectEnds(95)
        await app.killed()
    }

    @Test func `API-23: a session is free for another process when the one that had it dies`()
        async throws
    {
        server.on("/", .content(.text("first")))
        let app = try await start(3)
        await expectEnds(3)
        await app.killed()
        let next = try await start(3)
        await expectEnds(3)
        await next.killed()
    }
}
