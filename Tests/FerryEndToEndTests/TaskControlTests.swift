import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What an app and a person do to a transfer that runs in a real ferryd.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TaskControlTests {
    private let home: TestHome
    private let events: EventPipe
    private let server: FixtureServer
    private let gate = FixtureGate()
    private let content = FixtureContent.seeded(1, byteCount: 300_000)

    init() async throws {
        home = try TestHome()
        events = try await EventPipe(in: home)
        server = try FixtureServer()
        let answer = FixtureAnswer.file(FixtureFile(content))
        server.on("/song", answer.stalling(after: 100_000, at: gate), answer)
    }

    @Test func `DL-16, DL-26: an app suspends a task and has it go on as an urgent one`()
        async throws
    {
        _ = try await startApp("--suspend-at", "100000")
        #expect(await events.next("finished") == "finished 1 song 200")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(server.requests.map(\.range) == [nil, "bytes=100000-"])
        #expect(server.requests.first?.state == .abandoned)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(home.files)/song")))
        #expect(content.firstDifference(from: bytes) == nil)
    }

    @Test func `RD-13: a server that cannot resume leaves no resume data in the background`()
        async throws
    {
        let plain = FixtureFile(content, ranges: .ignored, fields: [("Accept-Ranges", "none")])
        server.on("/song", .file(plain).stalling(after: 100_000, at: gate))
        _ = try await startApp("--interrupt", "song")
        #expect(await events.next("no-resume-data") == "no-resume-data")
        #expect(await events.next("completed") == "completed 1 -999")
    }

    @Test func `a person pauses a transfer, has it go on and cancels it`() async throws {
        server.on("/song", .file(FixtureFile(content)).stalling(after: 100_000, at: gate))
        _ = try await startApp()
        _ = await events.next("progress 1 100000")
        try await expectSuccess("pause", "1")
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
        try await expectSuccess("resume", "1")
        try await server.waitUntil { $0.requests.count == 2 && $0.requests[1].state == .stalled }
        #expect(server.requests.last?.range == "bytes=100000-")
        try await expectSuccess("cancel", "1")
        #expect(await events.next("completed") == "completed 1 -999")
    }

    @Test func `a person sees which apps ferryd would start, and takes one off`() async throws {
        let app = try await startApp()
        _ = await events.next("progress 1 100000")
        #expect(try await expectSuccess("hooks").contains("/ferry-test-app "))
        await app.killed()
        try await expectSuccess("hooks", "remove", "test-app")
        #expect(try await !expectSuccess("hooks").contains("/ferry-test-app "))
        gate.open()
        try await expectSuccess("watch", "1")
        #expect(events.lines.filter { $0.hasPrefix("start") } == ["start user"])
    }

    private func startApp(_ arguments: String...) async throws -> TestProcess {
        try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files, "--url", server.url("/song"),
            ] + arguments,
            environment: home.environment
        )
    }

    @discardableResult
    private func expectSuccess(_ arguments: String...) async throws -> String {
        try await home.ferryOutput(arguments)
    }
}
