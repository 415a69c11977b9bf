import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// What the commands about applications show and do.
@Suite(.timeLimit(.minutes(1))) struct HooksCommandTests {
    private func hooked() -> PlayedDaemon {
        PlayedDaemon(
            hooks: [
                TransferDaemon.Hook(
                    application: "ferry",
                    launch: TransferDaemon.Launch(
                        executable: "/usr/bin/ferry",
                        arguments: ["background-events", "it's"],
                        workingDirectory: "/",
                        environment: ["HOME": "/home/a"]
                    ),
                    attempts: 2,
                    nextLaunch: Date(timeIntervalSince1970: 1_790_000_000),
                    pendingSessions: ["get-1"]
                ),
                TransferDaemon.Hook(application: "org.example.App", launch: nil, isQuit: true),
            ]
        )
    }

    @Test func `hooks shows what ferryd may start, and when`() async {
        let run = await CommandLineRun("hooks", daemon: hooked())
        let next = Date(timeIntervalSince1970: 1_790_000_000)
        let time = next.text(now: next)
        #expect(
            run.output == """
                APPLICATION      NEXT START                       COMMAND
                ferry            \(time), after 2 failed starts  /usr/bin/ferry background-events 'it'\\''s'
                org.example.App  quit by the user                 removed

                """
        )
    }

    @Test func `hooks --json leaves the environment out`() async {
        let run = await CommandLineRun("hooks --json", daemon: hooked())
        #expect(!run.output.contains("/home/a"))
        #expect(
            run.output.hasPrefix(
                """
                {"application":"ferry","arguments":["background-events","it's"],"attempts":2,\
                "directory":"/","executable":"/usr/bin/ferry","isQuit":false,\
                "nextStart":"2026-09-21T14:13:20Z","sessions":["get-1"]}

                """
            )
        )
    }

    @Test(arguments: ["hooks", "hooks --json", "list", "list --json", "why 1", "cancel 7"])
    func `SEC-10: nothing that comes from outside steers the terminal`(line: String) async throws {
        let evil = "a\u{9B}2Jb\u{202E}c\u{1B}[mi\u{E0001}\u{2028}"
        let launch = TransferDaemon.Launch(
            executable: "/bin/\(evil)",
            arguments: [evil],
            workingDirectory: "/",
            environment: [:]
        )
        let daemon = PlayedDaemon(
            transfers: [
                try .sample(
                    1,
                    application: evil,
                    state: .waiting,
                    wait: .init(reason: .init(name: evil), detail: evil),
                    failure: .init(code: evil, message: evil)
                )
            ],
            hooks: [TransferDaemon.Hook(application: evil, launch: launch)]
        )
        let run = await CommandLineRun(line, daemon: daemon)
        let text = run.output + run.error
        #expect(!text.isEmpty)
        #expect(!text.unicodeScalars.contains { $0.isInvisible && $0 != "\n" }, "\(text)")
        guard line.hasSuffix("--json") else { return }
        #expect(text.contains(#"a\u009b2Jb\u202ec\u001b[mi\udb40\udc01\u2028"#))
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(object?["application"] as? String == evil)
    }

    @Test func `hooks of nothing says so`() async {
        let run = await CommandLineRun("hooks")
        #expect(run.output == "")
        #expect(run.error == "ferryd may start no program.\n")
        #expect(run.code == .success)
    }

    @Test func `hooks remove and quit act on an application, which has to be there`() async {
        let daemon = hooked()
        let removal = await CommandLineRun("hooks remove ferry", daemon: daemon)
        #expect(removal.code == .success)
        let quit = await CommandLineRun("quit ferry", daemon: daemon)
        #expect(quit.error == "ferry: ferry: 3 transfers cancelled\n")
        #expect(daemon.calls == ["remove ferry", "quit ferry"])
        for line in ["hooks remove other", "quit other"] {
            let run = await CommandLineRun(line, daemon: daemon)
            #expect(run.error == "ferry: There is no application other.\n")
            #expect(run.code == .notFound)
        }
    }
}
