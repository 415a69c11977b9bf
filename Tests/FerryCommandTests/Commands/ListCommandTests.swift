import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// What `ferry list` shows, to people and to programs.
@Suite(.timeLimit(.minutes(1))) struct ListCommandTests {
    private typealias Transfer = TransferDaemon.Transfer

    @Test func `list shows what is under way, page by page, in one table`() async throws {
        let run = await CommandLineRun("list", daemon: try PlayedDaemon.sample())
        #expect(
            run.output == """
                ID  STATE                          RECEIVED       APPLICATION      URL
                1   running                        45% of 1000 B  org.example.App  https://example.org/files/big.iso
                2   waiting: enough from its host  0 B            org.example.App  https://example.org/files/big.iso
                4   paused                         450 B          ferry            https://example.org/files/big.iso

                """
        )
        #expect(run.error == "")
        #expect(run.code == .success)
    }

    @Test func `list --all shows completed ones, too`() async throws {
        let run = await CommandLineRun("list --all", daemon: try PlayedDaemon.sample())
        #expect(run.output.contains("\n3   failed "))
    }

    @Test func `an upload shows how much of it was sent`() throws {
        var transfer = try Transfer.sample(state: .running)
        transfer.upload = Transfer.Upload(byteCount: 1000, sentByteCount: 450)
        #expect(transfer.progressText == "45% of 1000 B up")
        let report = try JSONLine.text(TransferReport(transfer))
        #expect(report.contains(#""sent":450"#) && report.contains(#""size":1000"#))
    }

    @Test func `a transfer that somebody has cancelled is told to be cancelled, not failed`() throws
    {
        let failure = Transfer.Failure(code: "cancelled", message: "it was cancelled")
        let transfer = try Transfer.sample(state: .completed, failure: failure)
        #expect(transfer.stateText(now: Date()) == "cancelled")
        let outcome = Outcome.failed(Outcome.Reason(URLError(.cancelled)))
        #expect(TransferRow(transfer).text(of: outcome) == "cancelled")
    }

    @Test func `list --limit shows a page and how to get the next`() async throws {
        let run = await CommandLineRun(
            "list --limit 1 --after 1",
            daemon: try PlayedDaemon.sample()
        )
        #expect(run.output.split(separator: "\n").count == 2)
        #expect(run.output.contains("\n2   waiting"))
        #expect(run.error == "More: ferry list --limit 1 --after 2\n")
        let all = await CommandLineRun("list --all --limit 2", daemon: try PlayedDaemon.sample())
        #expect(all.error == "More: ferry list --all --limit 2 --after 2\n")
    }

    /// A daemon with as many transfers that wait.
    private func daemon(waiting count: Int) throws -> PlayedDaemon {
        var status = TransferDaemon.Status.sample(log: .standardError)
        status.runningCount = 1
        status.waitingCount = count - 3
        status.suspendedCount = 2
        return PlayedDaemon(
            transfers: try (1...count).map { try .sample($0, state: .waiting) },
            status: status
        )
    }

    @Test func `list shows on a terminal as much as suits it, and says how much more there is`()
        async throws
    {
        let size = TerminalSize(columns: 80, rows: 24)
        let daemon = try daemon(waiting: 250)
        let first = await CommandLineRun("list", daemon: daemon, outputSize: size)
        #expect(first.output.split(separator: "\n").count == 101)
        #expect(first.error == "150 are not shown. More: ferry list --after 100\n")
        let last = await CommandLineRun("list --after 200", daemon: daemon, outputSize: size)
        #expect(last.output.split(separator: "\n").count == 51)
        #expect(last.error == "")
        let wanted = await CommandLineRun("list --limit 240", daemon: daemon, outputSize: size)
        #expect(wanted.error == "10 are not shown. More: ferry list --limit 240 --after 240\n")
    }

    @Test(arguments: ["list", "list --json"])
    func `list tells a program of all`(_ line: String) async throws {
        let run = await CommandLineRun(line, daemon: try daemon(waiting: 250))
        #expect(run.output.split(separator: "\n").count >= 250)
        #expect(run.error == "")
    }

    @Test func `list --limit goes over as many pages as it takes`() async throws {
        let run = await CommandLineRun("list --limit 3", daemon: try PlayedDaemon.sample())
        #expect(run.output.split(separator: "\n").count == 4)
        #expect(run.error == "")
    }

    @Test func `list fits its table into the terminal`() async throws {
        let run = await CommandLineRun(
            "list",
            daemon: try PlayedDaemon.sample(),
            outputSize: TerminalSize(columns: 80, rows: 24)
        )
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(run.output.contains("https...g.iso\n"))
    }

    @Test func `list of nothing is empty`() async {
        let run = await CommandLineRun("list")
        #expect(run.output == "")
        #expect(run.code == .success)
    }

    @Test func `list --json writes an object a line`() async throws {
        let run = await CommandLineRun("list --json --limit 2", daemon: try PlayedDaemon.sample())
        #expect(
            run.output == """
                {"application":"org.example.App","attempts":0,"created":"2026-09-21T14:13:20Z",\
                "expected":1000,"id":1,"name":"big.iso","priority":0.5,"received":450,\
                "session":"main","state":"running","task":101,\
                "url":"https://example.org/files/big.iso"}
                {"application":"org.example.App","attempts":0,"created":"2026-09-21T14:13:20Z",\
                "id":2,"name":"big.iso","priority":0.5,"received":0,"session":"main",\
                "state":"waiting","task":102,"url":"https://example.org/files/big.iso",\
                "wait":{"reason":"hostLimit"}}

                """
        )
    }
}
