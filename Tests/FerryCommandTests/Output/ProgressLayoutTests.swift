import Foundation
import Testing

@testable import FerryCommand

/// Lines that are shown together, at terminals of every width.
@Suite(.timeLimit(.minutes(1))) struct ProgressLayoutTests {
    /// A row in a state that it can be shown in.
    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        var received: Int64
        var expected: Int64?
        var state: TransferRow.State

        var testDescription: String { "\(name), \(state)" }

        var row: TransferRow {
            var row = TransferRow(
                id: TransferRow.ID(application: "ferry", session: name, taskIdentifier: 1),
                name: name,
                url: "https://example.org/\(name)"
            )
            row.become(.running)
            row.progress(received: max(0, received - (12 << 20)), expected: expected, at: .zero)
            row.progress(received: received, expected: expected, at: .seconds(1))
            row.become(state, at: 1)
            return row
        }
    }

    static let running = [
        Sample(name: "a", received: 0, expected: 1 << 20, state: .running),
        Sample(name: "debian-12.iso", received: 120 << 20, expected: 256 << 20, state: .running),
        Sample(name: "日本の映画.mkv", received: 1023 << 10, expected: 1023 << 20, state: .running),
        Sample(
            name: "a-name-that-is-much-longer-than-anything-else-in-the-line.tar.gz",
            received: 1 << 40,
            expected: nil,
            state: .running
        ),
    ]
    static let others = [
        Sample(name: "waits", received: 0, expected: nil, state: .waiting(nil)),
        Sample(
            name: "b.iso",
            received: 5,
            expected: 9,
            state: .waiting(
                TransferRow.Hold(
                    reason: "backoff",
                    text: "retry at 14:03:22: Failed to connect to example.org port 443"
                )
            )
        ),
        Sample(
            name: "saved.iso",
            received: 9,
            expected: 9,
            state: .over(.saved(path: "/home/ana/saved.iso.1", byteCount: 9))
        ),
        Sample(name: "done", received: 9, expected: 9, state: .over(.completed)),
    ]
    static let blocks: [[Sample]] =
        (running + others).map { [$0] } + [running, others, running + others]

    private func lines(_ rows: [TransferRow], _ width: Int) -> [String] {
        let layout = ProgressLayout(rows, width: width)
        return rows.map { row in
            ProgressLine(row, alphabet: .unicode, at: .seconds(1)).text(in: layout)
        }
    }

    @Test(arguments: blocks)
    func `USE-14: no line is wider than the terminal, from 0 columns to 200`(block: [Sample]) {
        let rows = block.map(\.row)
        for width in 0...200 {
            for line in lines(rows, width) {
                #expect(line.columnCount <= width, "\(width): \(line)")
            }
        }
    }

    @Test(arguments: blocks)
    func `USE-14: what is shown at one width is shown at every greater one`(block: [Sample]) {
        let rows = block.map(\.row)
        var earlier = ProgressLayout(rows, width: 20)
        for width in 21...200 {
            let layout = ProgressLayout(rows, width: width)
            #expect(!earlier.hasSpeed || layout.hasSpeed, "\(width)")
            #expect(!earlier.hasAmount || layout.hasAmount, "\(width)")
            #expect(!earlier.hasTimeLeft || layout.hasTimeLeft, "\(width)")
            #expect(earlier.bar == 0 || layout.bar > 0, "\(width)")
            earlier = layout
        }
    }

    @Test func `USE-14: in 80 columns there are name, bar, share, sizes, speed and time left`() {
        let size = TerminalSize(columns: 80, rows: 24)
        let board = ProgressBoard(Self.running.map(\.row), alphabet: .ascii)
        let lines = board.lines(for: size, at: .seconds(1))
        #expect(
            lines.map { $0.trimmingCharacters(in: .whitespaces) } == [
                "a              ----------    0%        0 B of 1.0 MiB       0 B/s",
                "debian-12.iso  ####------   46%    120 MiB of 256 MiB  12.0 MiB/s      12s left",
                "日本....mkv    ----------    0%  1023 KiB of 1023 MiB  1023 KiB/s  17m 03s left",
                "a-nam...ar.gz  ----------                     1.0 TiB  12.0 MiB/s",
                "0 of 4 done, 1.0 TiB, 25.0 MiB/s",
            ]
        )
    }

    @Test(arguments: [40, 60, 79, 80, 100, 150, 200])
    func `USE-14: the same figures of several files stand below each other`(width: Int) {
        let samples = [("a", 10), ("debian-12.iso", 200), ("some-longer-name.iso", 99)]
        let rows = samples.map { name, received in
            Sample(
                name: name,
                received: Int64(received) << 20,
                expected: 256 << 20,
                state: .running
            ).row
        }
        let lines = lines(rows, width)
        for sign in ["%", " of ", "MiB/s"] {
            let places = lines.compactMap { line in
                line.range(of: sign).map { String(line[..<$0.upperBound]).columnCount }
            }
            #expect(Set(places).count <= 1, "\(sign)\n\(lines.joined(separator: "\n"))")
            #expect(places.isEmpty || places.count == lines.count)
        }
        #expect(lines.allSatisfy { $0.contains(" of ") } == (width >= 52))
    }

    @Test(arguments: [40, 80, 120])
    func `USE-14: what waiting files wait for stands below each other, too`(width: Int) {
        let lines = lines((Self.others + Self.running.prefix(2)).map(\.row), width)
        let names = ProgressLayout((Self.others + Self.running.prefix(2)).map(\.row), width: width)
            .name
        for (line, sample) in zip(lines, Self.others) {
            let words = ProgressLine(sample.row, alphabet: .ascii, at: .zero).stateText ?? ""
            let start = line.dropFirst(names + 2)
            #expect(words.hasPrefix(start.prefix(10)), "\(line)")
        }
    }
}

/// Failures on a terminal.
@Suite(.timeLimit(.minutes(1))) struct TransferDisplayTests {
    private let recording = Recording()
    private let size = TerminalSize(columns: 40, rows: 10)
    private static let reason =
        "the file's digest is not the expected one: sha-256 "
        + String(repeating: "9f86d081", count: 8) + " instead of "
        + String(repeating: "0", count: 64)

    private func row(_ number: Int, _ state: TransferRow.State) -> TransferRow {
        var row = TransferRow(
            id: TransferRow.ID(application: "ferry", session: "s", taskIdentifier: number),
            name: "file-\(number)",
            url: "https://example.org/file-\(number)"
        )
        row.become(state)
        return row
    }

    @Test func `USE-14: a failure stays above the rows, whole`() throws {
        var display = TransferDisplay(style: .full, console: recording.console(errorSize: size))
        let others = [row(2, .waiting(nil))]
        try display.show([row(1, .waiting(nil))] + others, at: .zero)
        let failed = row(1, .over(.failed(Outcome.Reason(code: "digest", message: Self.reason))))
        try display.notify(failed)
        try display.show([failed] + others, at: .zero)
        let written = recording.error
        #expect(written.contains("file-1  failed: \(Self.reason)\n"))
        // It is written once, and no longer redrawn.
        #expect(written.components(separatedBy: "failed:").count == 2)
        #expect(
            written.hasSuffix(
                "\u{1B}[2A\rfile-2  waiting\u{1B}[K\n\r0 of 2 done, 1 failed\u{1B}[K\n"
            )
        )
    }

    @Test func `USE-14: each of many failures is told, also of those for which there is no line`()
        throws
    {
        var display = TransferDisplay(style: .full, console: recording.console(errorSize: size))
        var rows = (1...40).map { row($0, .running) }
        try display.show(rows, at: .zero)
        for index in rows.indices {
            rows[index].become(
                .over(.failed(Outcome.Reason(code: "c", message: "no \(index + 1).")))
            )
            try display.notify(rows[index])
            try display.show(rows, at: .zero)
        }
        for number in 1...40 {
            #expect(recording.error.contains("file-\(number)  failed: no \(number).\n"))
        }
    }

    @Test func `USE-14: a command that does not wait draws no empty bars`() throws {
        var display = TransferDisplay(style: .results, console: recording.console(errorSize: size))
        try display.show([row(1, .running), row(2, .waiting(nil))], at: .zero)
        #expect(recording.error == "")
        let saved = row(3, .over(.saved(path: "/tmp/file-3", byteCount: 5)))
        try display.show([row(1, .running), saved], at: .zero)
        #expect(recording.error == "\rfile-3  saved, 5 B\u{1B}[K\n")
    }
}
