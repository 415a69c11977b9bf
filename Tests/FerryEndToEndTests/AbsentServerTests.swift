import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

/// A real ferryd whose server is not there yet.
@Suite(.serialized, .timeLimit(.minutes(1))) struct AbsentServerTests {
    @Test(arguments: ["no", "yes"])
    func `BG-15: a server that is not there is waited for, and the app is not told`(
        waitsForConnectivity: String
    ) async throws {
        let home = try TestHome()
        let events = try await EventPipe(in: home)
        let port = try FixtureClosedPort()
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files, "--url", port.url("/song"),
                "--waits-for-connectivity", waitsForConnectivity,
            ],
            environment: home.environment
        )
        _ = await events.next("ready")
        try await waitForRefusal(in: home)
        let server = try FixtureServer(at: port)
        server.on("/song", .file(FixtureFile(.seeded(1, byteCount: 1000))))
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(!events.lines.contains { $0.hasPrefix("waits-for-connectivity") })
        await app.killed()
    }

    /// Returns when the task waits because its server has refused a connection.
    private func waitForRefusal(in home: TestHome) async throws {
        let lines = try await EventPipe(in: home, named: "watch")
        let writer = try lines.writer()
        let watch = try await TestProcess(
            TestHome.executable("ferry"),
            ["watch", "--json", "1"],
            environment: home.environment,
            output: writer.rawValue
        )
        _ = await lines.next { $0.contains("backoff") }
        await watch.killed()
    }
}
