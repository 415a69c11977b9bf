import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// `ferry history`.
@Suite(.timeLimit(.minutes(1))) struct HistoryCommandTests {
    private let daemon: PlayedDaemon

    init() {
        let sha = TransferOptions.Digest.sha256(
            hexadecimal: String(repeating: "0a", count: 32)
        )
        var saved = TransferDaemon.EndedTransfer.sample(3, path: "/home/ana/debian.iso")
        saved.digests = [sha].compactMap { $0 }
        var old = TransferDaemon.EndedTransfer.sample(
            1,
            url: "https://example.org/Film.mkv",
            path: "/home/ana/Film.mkv"
        )
        old.ended = Date(timeIntervalSince1970: 1_789_000_000)
        old.created = old.ended - 7200
        // The one that ended last comes first.
        daemon = PlayedDaemon(ended: [
            saved,
            .sample(2, failure: .init(code: "timedOut", message: "it took too long")),
            .sample(4, failure: .init(code: "cancelled", message: "it was cancelled")), old,
        ])
    }

    private func history(_ options: String = "", columns: Int? = nil) async -> CommandLineRun {
        let size = columns.map { TerminalSize(columns: $0, rows: 24) }
        return await CommandLineRun(
            "history \(options)",
            daemon: daemon,
            outputSize: size,
            errorSize: size
        )
    }

    private func ids(_ options: String) async -> [String] {
        await history(options).output.split(separator: "\n").dropFirst().map {
            String($0.prefix { $0 != " " })
        }
    }

    @Test(
        arguments: [
            ("", ["1", "4", "2", "3"]), ("--limit 2", ["2", "3"]), ("--state saved", ["1", "3"]),
            ("--state failed", ["2"]), ("--state cancelled", ["4"]), ("--state sent", []),
            ("film", ["1"]), ("FILM mkv", ["1"]), ("film iso", []), ("/home/ana", ["1", "3"]),
            ("example.org", ["1", "4", "2", "3"]), ("--since 1d", ["4", "2", "3"]),
            ("--until 1d", ["1"]), ("--since 2026-09-20", ["4", "2", "3"]),
            ("--until 2026-09-15", ["1"]), ("--since 2026-09-20T00:00 --until 2026-09-20", []),
        ] as [(String, [String])]
    )
    func `transfers are found by name, date and state`(
        options: String,
        expected: [String]
    ) async {
        #expect(await ids(options) == expected)
    }

    @Test(
        arguments: [
            ("--since soon", "--since needs a date"),
            ("--until 2026-13-01", "--until needs a date"),
            ("--since 2026-11-24T25:00", "--since needs a date"), ("--since -1", "--since needs"),
            ("--state gone", "--state is one of saved"), ("--limit 0", "--limit takes a number"),
        ]
    )
    func `what is no date or state is refused`(options: String, message: String) async {
        let run = await history(options)
        #expect(run.code == .usage)
        #expect(run.error.contains(message), "\(run.error)")
    }

    @Test(arguments: [60, 80, 120, 160]) func `a terminal has lines of its width`(
        columns: Int
    ) async {
        let run = await history(columns: columns)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.count <= columns })
        #expect(lines.allSatisfy { $0.hasPrefix("ID") || $0.first?.isNumber == true })
        let text = lines.joined(separator: "\n")
        // The name and the state are there at every width, what has failed says why where there is room.
        for word in ["saved", "failed", "cancelled"] { #expect(text.contains(word)) }
        #expect(text.contains("it took too long") == (columns >= 80), "\(text)")
        #expect(text.contains("https://example.org") == (columns >= 120), "\(text)")
    }

    @Test func `a program gets all columns`() async {
        let time = Date(timeIntervalSince1970: 1_790_000_000)
            .text(now: Date(timeIntervalSince1970: 1_790_000_060))
        let run = await history("--limit 2")
        #expect(
            run.output == """
                ID  ENDED     STATE   SIZE    TOOK    NAME        SAVED AS, OR WHY NOT  FROM OR TO
                2   \(time)  failed  1000 B  1m 00s  big.iso     it took too long      https://example.org/files/big.iso
                3   \(time)  saved   1000 B  1m 00s  debian.iso  /home/ana/debian.iso  https://example.org/files/big.iso

                """
        )
    }

    @Test func `JSON has the digests`() async {
        let run = await history("--json debian")
        let digest = String(repeating: "0a", count: 32)
        #expect(run.output.contains(#""digests":{"sha-256":"\#(digest)"}"#), "\(run.output)")
        #expect(run.output.contains(#""path":"/home/ana/debian.iso""#))
    }

    @Test func `nothing is said where there is nothing, except on a terminal`() async {
        #expect(await history("absent").error == "")
        #expect(
            await history("absent", columns: 80).error == "ferry: there are no such transfers\n"
        )
        #expect(await history("absent").code == .success)
    }
}
