import FerrySystem
import FerryTestSupport
import Glibc
import Testing

/// Clients that ferryd cannot see, as it has a PID namespace of its own.
@Suite(.timeLimit(.minutes(1))) struct ForeignProcessTests {
    /// Whether this machine lets the tests make such a namespace.
    private static let canBeMade =
        system("unshare --pid --fork --map-root-user true 2> /dev/null") == 0

    @Test(.enabled(if: canBeMade, "needs PID namespaces"))
    func `SEC-9: two processes outside of ferryd's PID namespace do not have one session`()
        async throws
    {
        let home = try TestHome()
        let server = try FixtureServer()
        let gate = FixtureGate()
        server.on("/song.bin", FixtureAnswer.content(.text("la")).waiting(at: gate))
        let daemon = try await TestProcess(
            "/usr/bin/unshare",
            [
                "--pid", "--fork", "--map-root-user", "--kill-child",
                TestHome.executable("ferryd"), "--foreground",
            ],
            environment: home.environment
        )
        while try await home.ferry("daemon", "status").exit != .exited(status: 0) {}
        let events = try await EventPipe(in: home)
        let others = try await EventPipe(in: home, named: "other")
        let first = try await app(home, events, server.url("/song.bin"))
        _ = await events.next("ready")
        let second = try await app(home, others, server.url("/song.bin"))
        #expect(await others.next("completed").hasSuffix(" -996"))
        gate.open()
        #expect(await events.next("completed") == "completed 1 ok")
        await first.killed()
        await second.killed()
        await daemon.killed()
    }

    private func app(
        _ home: TestHome,
        _ events: EventPipe,
        _ url: String
    ) async throws
        -> TestProcess
    {
        try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files, "--url", url],
            environment: home.environment
        )
    }
}
