import FerrySystem
import FerryTestSupport
import Testing

/// A program that is no more than the README's first lines of code.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PastedSnippetTests {
    @Test func `USE-1: a program that handles no events downloads once and is not started again`()
        async throws
    {
        let home = try TestHome()
        let nginx = try await Nginx(in: home)
        try nginx.addFile("debian.iso", byteCount: 1000)
        let program = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--snippet", nginx.url("debian.iso")],
            environment: home.environment
        )
        #expect(await program.ended() == .exited(status: 0))
        _ = try await home.ferry("watch", "1")
        // Nothing is left to be done: it would stay if it were to start a program.
        await home.untilNoDaemon()
        #expect(nginx.requests().count == 1)
        let list = try await home.ferry("list", "--all")
        #expect(list.output.contains("debian.iso"))
        // A person can be rid of it.
        let cancel = try await home.ferry("cancel", "1")
        #expect(cancel.output == "1 was over; it is forgotten, with its file.\n")
        #expect(cancel.exit == .exited(status: 0))
        await nginx.stop()
    }
}
