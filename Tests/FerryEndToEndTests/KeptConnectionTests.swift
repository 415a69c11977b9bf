import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

/// One ferryd asks one server for several apps, by connections that it keeps.
@Suite(.serialized, .timeLimit(.minutes(1))) struct KeptConnectionTests {
    private static func response(_ status: String, _ body: String) -> FixtureStep {
        .text("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    @Test(arguments: ["200 OK", "408 Request Timeout"])
    func `SEC-1: an answer to one app that nobody asked for is not another app's file`(
        status: String
    ) async throws {
        let home = try TestHome()
        let events = try await EventPipe(in: home)
        let server = try FixtureServer()
        let gate = FixtureGate()
        let first = Self.response("200 OK", "first")
        server.on("/first", .script([first, .wait(gate), Self.response(status, "wrong"), .close]))
        server.on("/second", .content(.text("second")))

        func start(_ application: String, _ path: String) async throws -> TestProcess {
            try await TestProcess(
                TestHome.executable("ferry-test-app"),
                [
                    "--application", application, "--events", events.path,
                    "--directory", home.files, "--url", server.url(path),
                ],
                environment: home.environment
            )
        }

        let one = try await start("one", "/first")
        #expect(await events.next("finished") == "finished 1 first 200")
        gate.open()
        try await server.waitUntil { $0.requests.first?.state == .dropped }
        let other = try await start("other", "/second")
        #expect(await events.next("finished") == "finished 1 second 200")
        let file = FileManager.default.contents(atPath: "\(home.files)/second")
        #expect(file == Data("second".utf8))
        #expect(server.requests(to: "/second").count == 1)
        await one.killed()
        await other.killed()
    }
}
