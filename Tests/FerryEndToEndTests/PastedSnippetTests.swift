import FerrySystem
import FerryTestSupport
import Testing

/// A program that is no more than the README's first lines of code.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PastedSnippetTests {
    @Test func `USE-1: a program that handles no events downloads once and is not started again`()
        async throws
    {
        let home = try TestHome()
        let server = try FixtureServer()
        // What ends while the program is still there is told to it.
        let gate = FixtureGate()
        server.on("/debian.iso", .content(.text("disc")).waiting(at: gate))
        let program = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--snippet", server.url("/debian.iso")],
            environment: home.environment
        )
        #expect(await program.ended() == .exited(status: 0))
        gate.open()
        _ = try await home.ferry("watch", "1")
        // Nothing is left to be done: it would stay if it were to start a program.
        await home.untilNoDaemon()
        #expect(server.requests.count == 1)
        let list = try await home.ferry("list", "--all")
        #expect(list.output.contains("debian.iso"))
        // A person can be rid of it.
        let cancel = try await home.ferry("cancel", "1")
        #expect(cancel.output == "1 was over; it is forgotten, with its file.\n")
        #expect(cancel.exit == .exited(status: 0))
    }
}
