import Ferry
import Testing

@testable import FerryCommand

/// The colors of a terminal.
@Suite(.timeLimit(.minutes(1))) struct ColorTests {
    @Test(
        arguments: [
            ([:], true, true), ([:], false, false), (["NO_COLOR": "1"], true, false),
            (["NO_COLOR": ""], true, true), (["CLICOLOR": "0"], true, false),
            (["CLICOLOR": "1"], true, true), (["CLICOLOR": "1"], false, false),
            (["CLICOLOR_FORCE": "1"], false, true), (["CLICOLOR_FORCE": "0"], false, false),
            (["CLICOLOR_FORCE": "1", "CLICOLOR": "0"], false, true),
            (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], true, false),
            (["TERM": "dumb"], true, false), (["TERM": "dumb", "CLICOLOR_FORCE": "1"], true, true),
        ] as [([String: String], Bool, Bool)]
    )
    func `the environment says whether there are colors`(
        environment: [String: String],
        isTerminal: Bool,
        isWanted: Bool
    ) {
        #expect(Color.isWanted(in: environment, isTerminal: isTerminal) == isWanted)
    }

    @Test(
        arguments: [
            (0..<2, "ab cd", "\u{1B}[31mab\u{1B}[0m cd"),
            (3..<9, "ab cd", "ab \u{1B}[31mcd\u{1B}[0m"),
            (5..<6, "ab cd", "ab cd"), (9..<10, "ab cd", "ab cd"),
            (2..<3, "äöü", "äö\u{1B}[31mü\u{1B}[0m"),
        ]
    )
    func `a part of a line has a color`(part: Range<Int>, line: String, expected: String) {
        #expect(Color.red.apply(to: part, of: line) == expected)
    }

    private func list(
        _ options: String,
        columns: Int?,
        _ environment: [String: String] = [:]
    ) async throws -> String {
        let failure = TransferDaemon.Transfer.Failure(code: "timedOut", message: "it took too long")
        let daemon = PlayedDaemon(
            transfers: [try .sample(1), try .sample(2, state: .waiting)],
            ended: [.sample(3, failure: failure), .sample(4, path: "/a")]
        )
        let size = columns.map { TerminalSize(columns: $0, rows: 24) }
        return await CommandLineRun(
            options,
            daemon: daemon,
            outputSize: size,
            environment: environment,
            isColored: true
        ).output
    }

    @Test(arguments: [40, 60, 80, 120]) func `states have colors, and lines their width`(
        columns: Int
    ) async throws {
        let plain = try await list("list --all", columns: columns, ["NO_COLOR": "1"])
        #expect(!plain.contains("\u{1B}"))
        let colored = try await list("list --all", columns: columns)
        for (color, state) in [(32, "running"), (33, "waiting"), (31, "failed")] {
            #expect(colored.contains("\u{1B}[\(color)m\(state)"), "\(colored)")
        }
        #expect(colored.matches(of: /\u{1B}\[3/).count == 3)
        #expect(colored.replacing(/\u{1B}\[[0-9]+m/, with: "") == plain)
    }

    @Test func `a program gets colors only if they are wanted`() async throws {
        #expect(!(try await list("list --all", columns: nil)).contains("\u{1B}"))
        let forced = ["CLICOLOR_FORCE": "1"]
        #expect(try await list("list --all", columns: nil, forced).contains("\u{1B}[31mfailed"))
        #expect(try await list("history", columns: nil, forced).contains("\u{1B}[31mfailed"))
        #expect(!(try await list("list --all --json", columns: nil, forced)).contains("\u{1B}"))
    }
}
