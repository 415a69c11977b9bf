import Testing

@testable import FerryCommand

/// Lines that are drawn again in place, and lines that are not.
@Suite(.timeLimit(.minutes(5))) struct DrawingTests {
    private func row(_ number: Int, _ state: TransferRow.State) -> TransferRow {
        var row = TransferRow(
            id: TransferRow.ID(application: "ferry", session: "s", taskIdentifier: number),
            name: "file-\(number)",
            url: "https://example.org/file-\(number)"
        )
        row.become(state)
        return row
    }

    @Test func `a region is drawn over itself and cleared behind its text`() {
        var region = TerminalRegion()
        #expect(region.show(["a", "b"]) == "\ra\u{1B}[K\n\rb\u{1B}[K\n")
        #expect(region.show(["c", "d"]) == "\u{1B}[2A\rc\u{1B}[K\n\rd\u{1B}[K\n")
        #expect(region.show(["e"]) == "\u{1B}[2A\re\u{1B}[K\n\u{1B}[J")
        #expect(region.show([]) == "\u{1B}[1A\u{1B}[J")
    }

    @Test func `a board shows as many transfers as fit, moving ones first, and their sum`() {
        let rows =
            (1...3).map { row($0, .over(.completed)) } + [row(4, .waiting(nil))]
            + (5...6).map { row($0, .running) }
        let board = ProgressBoard(rows, alphabet: .ascii)
        let lines = board.lines(for: TerminalSize(columns: 60, rows: 5), at: .zero)
        #expect(lines.map { String($0.prefix(6)) } == ["file-4", "file-5", "file-6", "3 of 6"])
        #expect(lines.last == "3 of 6 done, 3 not shown")
        #expect(board.lines(for: TerminalSize(columns: 60, rows: 8), at: .zero).count == 7)
        #expect(board.lines(for: TerminalSize(columns: 60, rows: 1), at: .zero).count == 1)
    }

    @Test func `where nothing is drawn again, a line is written when something is new`() {
        var report = OccasionalReport()
        var row = row(1, .waiting(nil))
        #expect(report.due([row], at: .zero) == [])
        row.become(.waiting(TransferRow.Hold(reason: "r", text: "starting", isItsTurn: true)))
        #expect(report.due([row], at: .zero) == [])
        row.become(.running)
        #expect(report.due([row], at: .seconds(1)) == [row])
        #expect(report.due([row], at: .seconds(10.9)) == [])
        #expect(report.due([row], at: .seconds(11)) == [row])
        row.become(.waiting(TransferRow.Hold(reason: "backoff", text: "retry later")))
        #expect(report.due([row], at: .seconds(12)) == [row])
        row.become(.over(.completed))
        #expect(report.due([row], at: .seconds(13)) == [row])
        #expect(report.due([row], at: .seconds(1000)) == [])
    }

    @Test func `a table's columns are as wide as what stands in them`() {
        var table = Table(["ID", "STATE", "URL"])
        #expect(
            table.lines([["1", "running", "https://example.org/a"], ["200", "", ""]], limit: nil)
                == "ID   STATE    URL\n1    running  https://example.org/a\n200"
        )
        #expect(table.lines([["3", "日本", "x"]], limit: nil) == "3    日本     x")
    }

    @Test func `only the last column is shortened to fit, and nothing steers the terminal`() {
        var table = Table(["A", "B"])
        let lines = table.lines([["\u{1B}[2J", "https://example.org/long"]], limit: 18)
        #expect(lines == "A     B\n\u{FFFD}[2J  https...long")
    }
}
