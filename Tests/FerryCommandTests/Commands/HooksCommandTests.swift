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
        let time = Date(timeIntervalSince1970: 1_790_000_000).timeOfDay
        #expect(
            run.output == """
                APPLICATION      NEXT START                 COMMAND
                ferry            \(time), after 2 in vain  /usr/bin/ferry background-events 'it'\\''s'
                org.example.App  quit by the user           removed

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
