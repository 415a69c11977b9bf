import FerrySystem
import FerryTestSupport
import Foundation
import Testing

/// A real ferryd, and files whose file system does not answer any more.
@Suite(.serialized, .enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(2)))
struct HangingFileTests {
    private let home: TestHome
    private let server: FixtureServer
    private let events: EventPipe

    init() async throws {
        home = try TestHome(
            daemonArguments: ["--retry-delay", "0.05"],
            variables: Sanitizer.withoutSearchForLeaks
        )
        server = try FixtureServer()
        events = try await EventPipe(in: home)
        server.on("/in", .content(.text("thanks")))
        server.on("/file", .content(.text("hello")))
    }

    /// Begins to send a file, and waits until nobody can read it.
    private func startUpload(of disk: HangingDisk) async throws -> TestProcess {
        try await disk.hang(.read)
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files,
                "--upload", "\(server.url("/in")) \(disk.file)",
            ],
            environment: home.environment
        )
        try await disk.waitUntilHanging(.read)
        return app
    }

    // The smaller one is copied, the larger one is read while it is sent.
    @Test(arguments: [1_000_000, 24_000_000] as [Int64])
    func `REL-1: a file that does not answer stops its own task alone, which can be cancelled`(
        byteCount: Int64
    ) async throws {
        let disk = try await HangingDisk(byteCount: byteCount)
        _ = try await startUpload(of: disk)
        let get = try await home.ferry("get", "-d", home.files, server.url("/file"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(try String(contentsOfFile: home.files + "/file", encoding: .utf8) == "hello")
        #expect(try await home.ferry("list").exit == .exited(status: 0))
        let cancel = try await home.ferry("cancel", "1")
        #expect(cancel.exit == .exited(status: 0), "\(cancel.error)")
        #expect(await events.next("completed").hasSuffix(" -999"))
        // The app may start another one at once.
        let end = try ProcessEnd(of: #require(home.daemons.first))
        let stop = try await home.ferry("daemon", "stop")
        #expect(stop.exit == .exited(status: 0), "\(stop.error)")
        try await end.wait()
        try await disk.proceed()
    }

    @Test func `REL-1: after a restart, a disk that does not answer stops its own download alone`()
        async throws
    {
        let target = try SmallDisk(byteCount: 8 << 20)
        let file = FixtureFile(FixtureContent.seeded(7, byteCount: 1_000_000))
        server.on("/large", .file(file).stalling(after: 100_000, at: FixtureGate()))
        let large = server.url("/large")
        let begin = try await home.ferry("get", "--detach", "-d", target.path, large)
        #expect(begin.exit == .exited(status: 0), "\(begin.error)")
        let downloads = try Directory(opening: home.state + "/downloads")
        @Sendable func place() throws -> String? {
            try downloads.names().first { $0.hasSuffix(".place") }
        }
        try await waitForFiles(in: downloads.path) { try place() != nil }
        await home.killAll(except: [])
        // As if that disk was mounted where the file has grown.
        let disk = try await HangingDisk(byteCount: 0)
        let name = try #require(try place())
        try downloads.remove(name)
        try downloads.makeLink(name, to: disk.path + "/directory/.ferry-1")
        try await disk.hang(.lookup)
        _ = try await home.ferry("list")
        try await disk.waitUntilHanging(.lookup)
        let get = try await home.ferry("get", "-d", home.files, server.url("/file"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        // Not by `ferry why`: the next attempt begins at once, and says nothing of this one.
        while try await !home.ferry("log", "1").output.contains("does not respond") {
            try Task.checkCancellation()
        }
        let cancel = try await home.ferry("cancel", "1")
        #expect(cancel.exit == .exited(status: 0), "\(cancel.error)")
        let stop = try await home.ferry("daemon", "stop")
        #expect(stop.exit == .exited(status: 0), "\(stop.error)")
        await home.untilNoDaemon()
        try await disk.proceed()
    }

    @Test func `REL-1: a file that answers again is sent`() async throws {
        let disk = try await HangingDisk(byteCount: 24_000_000)
        _ = try await startUpload(of: disk)
        try await disk.proceed()
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(server.requests(to: "/in").last?.body == disk.bytes())
    }
}
