import Ferry
import Testing

@testable import FerryCommand

/// Transfers that a command line names by their number, as a group, or all together.
@Suite(.timeLimit(.minutes(1))) struct TransferSelectionTests {
    /// Two lists, of which one has ended in part, and one transfer of another application.
    private func daemon(isSteady: Bool = false) throws -> PlayedDaemon {
        PlayedDaemon(
            transfers: [
                try .sample(3, application: "ferry", session: "get-1"),
                try .sample(4, application: "ferry", session: "get-2"),
                try .sample(5, application: "ferry", session: "get-1", state: .suspended),
                try .sample(6, application: "ferry", session: "get-1", state: .completed),
                try .sample(7, session: "get-1"),
            ],
            ended: [
                .sample(2, path: "/tmp/two"),
                .sample(1, failure: .init(code: "-1001", message: "timed out")),
                .sample(9, session: "get-9", path: "/tmp/nine"),
            ],
            isSteady: isSteady
        )
    }

    @Test(
        arguments: [
            ("3", [3]), ("@3", [3, 5]), ("@1", [3, 5]), ("@5 4", [3, 5, 4]), ("5 @3 @1 5", [5, 3]),
            ("@7", [7]), ("--all", [3, 4, 5, 7]), ("-a", [3, 4, 5, 7]),
        ]
    )
    func `what has not ended is acted on, once each`(line: String, ids: [Int]) async throws {
        let daemon = try daemon()
        for (command, call) in [
            ("pause", "pause"), ("resume", "resume"), ("resume --now", "resume now"),
            ("cancel", "cancel"),
        ] {
            let run = await CommandLineRun("\(command) \(line)", daemon: daemon)
            #expect(run.code == .success, "\(run.error)")
            #expect(daemon.calls.suffix(ids.count) == ids.map { "\(call) \($0)" })
        }
    }

    @Test func `priorities and limits take groups, too`() async throws {
        let daemon = try daemon()
        _ = await CommandLineRun("priority 1 @1", daemon: daemon)
        _ = await CommandLineRun("limit 500k @4", daemon: daemon)
        _ = await CommandLineRun("limit 500k", daemon: daemon)
        #expect(
            daemon.calls == [
                "priority 1.0 3", "priority 1.0 5", "limit 500000 -1 4", "limit 500000 -1",
            ]
        )
    }

    @Test(
        arguments: [
            ("pause @9", "all transfers of @9 have ended"),
            ("pause @77", "There is no transfer 77."),
            ("watch @77", "There is no transfer 77."),
        ]
    )
    func `a group of which nothing is left, or known, is not found`(
        line: String,
        message: String
    ) async throws {
        let daemon = try daemon()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(run.error == "ferry: \(message)\n")
        #expect(run.code == .notFound)
        #expect(daemon.calls == [])
    }

    @Test func `a group that has ended does not keep the others from being acted on`() async throws
    {
        let daemon = try daemon()
        let run = await CommandLineRun("pause @9 4", daemon: daemon)
        #expect(run.error == "ferry: all transfers of @9 have ended\n")
        #expect(run.code == .notFound)
        #expect(daemon.calls == ["pause 4"])
    }

    @Test func `--all of nothing is told`() async {
        let run = await CommandLineRun("cancel --all", daemon: PlayedDaemon())
        #expect(run.error == "ferry: nothing is under way\n")
        #expect(run.code == .notFound)
    }

    @Test func `one of a group that ends meanwhile is no failure, one that was named is`()
        async throws
    {
        let daemon = try daemon()
        daemon.forget(atAction: 5)
        let run = await CommandLineRun("pause @3", daemon: daemon)
        #expect(run.code == .success)
        #expect(run.error == "")
        #expect(daemon.calls == ["pause 3"])
        let named = await CommandLineRun("pause @3 5", daemon: daemon)
        #expect(named.code == .notFound)
    }

    @Test func `watch comes back to a whole list, also to what has ended of it`() async throws {
        let run = await CommandLineRun(
            "watch @5",
            daemon: try daemon(isSteady: true),
            interrupts: 1
        )
        #expect(run.output == "/tmp/two\n")
        #expect(run.error.contains("timed out"))
        #expect(run.code == .interrupted)
    }

    @Test func `of many that were saved, a person sees how many`() async {
        let daemon = PlayedDaemon(ended: (1...20).map { .sample($0, path: "/tmp/\($0)") })
        let terminal = TerminalSize(columns: 80, rows: 24)
        let run = await CommandLineRun("watch @3", daemon: daemon, outputSize: terminal)
        #expect(run.error == "ferry: 20 files were saved before\n")
        #expect(run.code == .success)
        let program = await CommandLineRun("watch @3", daemon: daemon)
        #expect(program.output.split(separator: "\n").count == 20)
    }
}
