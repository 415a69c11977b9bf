import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

/// Apps and homes that are somewhere else at their next launch.
@Suite(.serialized, .timeLimit(.minutes(1))) struct MovedPlacesTests {
    private let home: TestHome
    private let events: EventPipe
    private let server: FixtureServer
    private let gate = FixtureGate()
    private let content = FixtureContent.seeded(1, byteCount: 300_000)

    init() async throws {
        home = try TestHome()
        events = try await EventPipe(in: home)
        server = try FixtureServer()
        server.on("/song", .file(FixtureFile(content)).stalling(after: 100_000, at: gate))
    }

    @Test func `BG-43: an app that has moved finds its task, and is started where it is now`()
        async throws
    {
        let first = "\(home.path)/first-app"
        let second = "\(home.path)/second-app"
        let executable = TestHome.executable("ferry-test-app")
        try FileManager.default.copyItem(atPath: executable, toPath: first)
        let before = try await start(first)
        _ = await events.next("progress 1 100000")
        await before.killed()
        try FileManager.default.moveItem(atPath: first, toPath: second)
        let after = try await start(second)
        #expect(await events.next("start") == "start user")
        #expect(await events.next("found") == "found 1 song")
        _ = await events.next("ready")
        await after.killed()
        gate.open()
        #expect(await events.next("start") == "start background")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(await events.next("handled") == "handled")
        try expectWholeFile()
        #expect(server.requests.map(\.range) == [nil])
    }

    @Test func `BG-43: ferryd goes on where it was when its directory has moved`() async throws {
        let executable = TestHome.executable("ferry-test-app")
        let before = try await start(executable)
        _ = await events.next("progress 1 100000")
        // First the app, which would start another ferryd.
        await before.killed()
        let moved = try await moveState()
        let after = try await start(executable, ["XDG_STATE_HOME": moved])
        #expect(await events.next("start") == "start user")
        #expect(await events.next("found") == "found 1 song")
        gate.open()
        #expect(await events.next("completed") == "completed 1 ok")
        await after.killed()
        try expectWholeFile()
        #expect(server.requests.map(\.range) == [nil, "bytes=100000-"])
    }

    @Test func `BG-43: a file that waits for its app is found where the directory is now`()
        async throws
    {
        let executable = TestHome.executable("ferry-test-app")
        let before = try await start(executable, [:], "--launch-events", "no")
        _ = await events.next("ready")
        await before.killed()
        gate.open()
        _ = try await home.ferry("watch", "1")
        let moved = try await moveState()
        let after = try await start(executable, ["XDG_STATE_HOME": moved], "--launch-events", "no")
        #expect(await events.next("finished") == "finished 1 song 200")
        #expect(await events.next("completed") == "completed 1 ok")
        await after.killed()
        try expectWholeFile()
    }

    /// Kills ferryd and moves its directory.
    ///
    /// - Returns: The new `XDG_STATE_HOME`.
    private func moveState() async throws -> String {
        await TestHome.kill(home.daemons)
        let moved = "\(home.path)/moved"
        try FileManager.default.createDirectory(
            atPath: moved,
            withIntermediateDirectories: false
        )
        try FileManager.default.moveItem(atPath: home.state, toPath: "\(moved)/ferry")
        return moved
    }

    private func start(
        _ executable: String,
        _ variables: [String: String] = [:],
        _ arguments: String...
    ) async throws -> TestProcess {
        try await TestProcess(
            executable,
            [
                "--events", events.path, "--directory", home.files, "--url", server.url("/song"),
            ] + arguments,
            environment: home.environment.merging(variables) { $1 }
        )
    }

    private func expectWholeFile() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(home.files)/song")))
        #expect(content.firstDifference(from: bytes) == nil)
    }
}
