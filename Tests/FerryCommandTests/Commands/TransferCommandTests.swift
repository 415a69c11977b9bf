import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// What the commands about one transfer do, and what they tell the shell.
@Suite(.timeLimit(.minutes(1))) struct TransferCommandTests {
    @Test(arguments: ["pause", "resume", "cancel"])
    func `a command for several transfers goes on after one that is not there`(
        name: String
    ) async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun("\(name) 1 99 2", daemon: daemon)
        #expect(daemon.calls == ["\(name) 1", "\(name) 2"])
        #expect(run.error == "ferry: 99: There is no transfer 99.\n")
        #expect(run.code == .notFound)
    }

    @Test func `why explains`() async throws {
        let run = await CommandLineRun("why 2", daemon: try PlayedDaemon.sample())
        #expect(
            run.output == """
                2  https://example.org/files/big.iso
                It waits for its turn: as many transfers from example.org are running as are allowed.

                """
        )
        #expect(run.code == .success)
    }

    @Test func `why --json writes the same object as list`() async throws {
        let why = await CommandLineRun("why 1 --json", daemon: try PlayedDaemon.sample())
        let list = await CommandLineRun("list --json --limit 1", daemon: try PlayedDaemon.sample())
        #expect(why.output == list.output)
    }

    @Test func `a transfer that is not there is exit code 3`() async throws {
        for line in ["why 99", "watch 99"] {
            let run = await CommandLineRun(line, daemon: try PlayedDaemon.sample())
            #expect(run.error == "ferry: There is no transfer 99.\n")
            #expect(run.code == .notFound)
        }
    }
}
