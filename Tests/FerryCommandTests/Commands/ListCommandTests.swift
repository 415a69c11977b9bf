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
                ID  STATE                          RECEIVED       RATE  LEFT  NAME     APPLICATION      URL
                1   running                        45% of 1000 B              big.iso  org.example.App  https://example.org/files/big.iso
                2   waiting: enough from its host  0 B                        big.iso  org.example.App  https://example.org/files/big.iso
                4   paused                         450 B                      big.iso  ferry            https://example.org/files/big.iso

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

    @Test(arguments: 1...7)
    func `list --limit shows as many as it says, and the next page begins right behind them`(
        limit: Int
    ) async throws {
        // ferryd gives two at a time.
        let daemon = try daemon(waiting: 6)
        let run = await CommandLineRun("list --limit \(limit)", daemon: daemon)
        let lines = run.output.split(separator: "\n").dropFirst()
        let ids = lines.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(ids == Array(1...min(limit, 6)))
        let more = "More: ferry list --limit \(limit) --after \(limit)\n"
        if limit < 6 { #expect(run.error.hasSuffix(more)) } else { #expect(run.error == "") }
    }

    /// The numbers of the transfers in a table.
    private func ids(_ run: CommandLineRun) -> [Int] {
        run.output.split(separator: "\n").compactMap { Int($0.prefix { $0 != " " }) }
    }

    @Test func `list shows each transfer once, also if some end or are added between its pages`()
        async throws
    {
        let daemon = try daemon(waiting: 6)
        let new = try Transfer.sample(7, state: .waiting)
        daemon.change(atPageAfter: 2) { $0.removeAll { [1, 2, 4].contains($0.id) } }
        daemon.change(atPageAfter: 5) { $0.append(new) }
        #expect(ids(await CommandLineRun("list", daemon: daemon)) == [1, 2, 3, 5, 6, 7])
    }

    @Test func `list shows what comes before a page that cannot be read, and fails`() async throws {
        let daemon = try daemon(waiting: 6)
        daemon.breakPage(after: 2)
        let run = await CommandLineRun("list", daemon: daemon)
        #expect(ids(run) == [1, 2])
        #expect(run.error == "ferry: [0].id: it is missing\n")
        #expect(run.code != .success)
    }

    @Test func `list fits its table into the terminal`() async throws {
        let run = await CommandLineRun(
            "list",
            daemon: try PlayedDaemon.sample(),
            outputSize: TerminalSize(columns: 80, rows: 24)
        )
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(run.output.contains("big.iso  org.example.App\n"))
    }

    @Test func `list of nothing is empty`() async {
        let run = await CommandLineRun("list")
        #expect(run.output == "")
        #expect(run.error == "")
        #expect(run.code == .success)
    }

    @Test(arguments: [
        (
            "list",
            "ferry: nothing is under way; 'ferry list --all' shows what has ended\n"
        ), ("list --all", "ferry: there are no transfers\n"), ("list --json", ""),
    ])
    func `USE-15: that there are no transfers is said at a terminal`(
        line: String,
        error: String
    ) async {
        let size = TerminalSize(columns: 80, rows: 24)
        let run = await CommandLineRun(line, outputSize: size, errorSize: size)
        #expect(run.output == "")
        #expect(run.error == error)
        #expect(run.code == .success)
    }

    /// Transfers that run, wait and have ended, with long and short names.
    private func manyDaemon() throws -> PlayedDaemon {
        var fast = try Transfer.sample(
            1,
            url: "http://127.0.0.1:8000/debian-12.5.0-amd64-netinst.iso"
        )
        fast.bytesPerSecond = 100
        var upload = try Transfer.sample(2, application: "a.very.long.name.of.an.Application")
        upload.upload = Transfer.Upload(byteCount: 1 << 30, sentByteCount: 450)
        upload.bytesPerSecond = 0
        return PlayedDaemon(
            transfers: [
                fast, upload, try .sample(3, state: .waiting, wait: .init(reason: .hostLimit)),
                try .sample(400, state: .suspended),
            ],
            ended: [.sample(7, path: "/home/ana/日本の映画.mkv"), .sample(6)]
        )
    }

    @Test func `USE-14: list shows the name, the rate and the time left`() async throws {
        let size = TerminalSize(columns: 80, rows: 24)
        let run = await CommandLineRun("list", daemon: try manyDaemon(), outputSize: size)
        let lines = run.output.split(separator: "\n")
        #expect(
            lines.first?.split(separator: " ").prefix(6) == [
                "ID", "STATE", "RECEIVED", "RATE", "LEFT", "NAME",
            ]
        )
        let words = try #require(lines.dropFirst().first).split(separator: " ")
        #expect(words.starts(with: ["1", "running", "45%", "of", "1000", "B", "100", "B/s", "6s"]))
        #expect(words.last?.hasPrefix("debian-1") == true)
        #expect(words.last?.hasSuffix(".iso") == true)
    }

    @Test(arguments: 20...200)
    func `USE-14: the table fits into every terminal, with a name in each line`(
        columns: Int
    ) async throws {
        let size = TerminalSize(columns: columns, rows: 24)
        let run = await CommandLineRun("list --all", daemon: try manyDaemon(), outputSize: size)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 7)
        for line in lines { #expect(line.columnCount <= columns, "\(line)") }
        if columns >= 60 {
            for line in lines.dropFirst() {
                #expect(line.contains("iso") || line.contains("mkv"), "\(line)")
            }
        }
        if columns >= 80 { #expect(lines[0].contains("RATE  ") && lines[0].contains("LEFT")) }
        if columns >= 170 { #expect(run.output.contains("https://example.org/files/")) }
    }

    @Test func `USE-10: list --all shows what has ended, too, the last one last`() async throws {
        let daemon = PlayedDaemon(
            transfers: [try .sample(3, state: .completed)],
            ended: [
                .sample(5, failure: .init(code: "timedOut", message: "late")),
                .sample(2, path: "/home/ana/debian.iso"), .sample(3), .sample(1, status: 404),
            ]
        )
        let run = await CommandLineRun("list --all", daemon: daemon)
        let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").prefix(2) }
        #expect(
            lines == [
                ["ID", "STATE"], ["3", "done"], ["1", "failed"], ["2", "saved"], ["5", "failed"],
            ]
        )
        let alone = await CommandLineRun("list", daemon: daemon)
        #expect(alone.output == "")
        let few = await CommandLineRun("list --all --limit 2", daemon: daemon)
        #expect(few.output.split(separator: "\n").last?.hasPrefix("5") == true)
        #expect(few.error == "2 that have ended are not shown. More: ferry list --all --limit 4\n")
        let json = await CommandLineRun("list --all --json", daemon: daemon)
        #expect(
            json.output.split(separator: "\n")[2] == """
                {"application":"ferry","created":"2026-09-21T14:12:20Z",\
                "ended":"2026-09-21T14:13:20Z","expected":1000,"id":2,"name":"debian.iso",\
                "path":"/home/ana/debian.iso","received":1000,"session":"get-1","state":"saved",\
                "task":102,"url":"https://example.org/files/big.iso"}
                """
        )
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
