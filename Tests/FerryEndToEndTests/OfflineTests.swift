import FerryTestSupport
import Testing

/// Programs in a network that leads nowhere.
@Suite(.timeLimit(.minutes(1))) struct OfflineTests {
    @Test(.enabled(if: TestNetwork.canBeMade, "needs ip(8) and network namespaces"))
    func `API-16: without a route off the machine a host by name fails with -1009`() async throws {
        let home = try TestHome()
        let events = try await EventPipe(in: home)
        let app = try await TestProcess(
            "/usr/bin/unshare",
            [
                "--net", "--map-root-user", TestHome.executable("ferry-test-app"), "--foreground",
                "yes", "--events", events.path, "--directory", home.files, "--url",
                "http://somewhere.example/file",
            ],
            environment: home.environment
        )
        #expect(await events.next("completed") == "completed 1 -1009")
        await app.killed()
    }
}
