import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct ProgressLineTests {
    private func row(
        _ name: String = "debian-12.iso",
        received: Int64 = 120 << 20,
        expected: Int64? = 256 << 20
    ) -> TransferRow {
        var row = TransferRow(
            id: TransferRow.ID(application: "ferry", session: "s", taskIdentifier: 1),
            name: name,
            url: "https://example.org/\(name)"
        )
        row.waits(for: nil, hasBegun: false)
        row.runs(at: .zero)
        row.progress(received: received - (12 << 20), expected: expected, at: .zero)
        row.progress(received: received, expected: expected, at: .seconds(1))
        return row
    }

    private func text(_ row: TransferRow, width: Int) -> String {
        ProgressLine(row, alphabet: .ascii, at: .seconds(1))
            .text(in: ProgressLayout([row], width: width))
    }

    @Test(arguments: [
        (
            120,
            "debian-12.iso  ##################----------------------   46%"
                + "    120 MiB of 256 MiB  12.0 MiB/s      12s left"
        ),
        (
            100,
            "debian-12.iso  ##############-----------------   46%"
                + "    120 MiB of 256 MiB  12.0 MiB/s      12s left"
        ),
        (80, "debian-12.iso  #####------   46%    120 MiB of 256 MiB  12.0 MiB/s      12s left"),
        (79, "debian-12.iso  ####------   46%    120 MiB of 256 MiB  12.0 MiB/s      12s left"),
        (78, "debia....iso  ####------   46%    120 MiB of 256 MiB  12.0 MiB/s      12s left"),
        (77, "debian-12.iso   46%    120 MiB of 256 MiB  12.0 MiB/s      12s left"),
        (60, "debian-12.iso   46%    120 MiB of 256 MiB  12.0 MiB/s"),
        (50, "debian-12.iso   46%  12.0 MiB/s"),
        (40, "debian-12.iso   46%  12.0 MiB/s"), (30, "debia....iso   46%  12.0 MiB/s"),
        (20, "debian-12.iso   46%"), (10, "debi   46%"),
    ])
    func `the narrower the terminal, the less is shown beside the name`(width: Int, line: String) {
        #expect(text(row(), width: width) == line)
    }

    @Test(arguments: 0...130)
    func `a line is never wider than the terminal`(width: Int) {
        for name in [
            "a", "a-name-that-is-much-longer-than-anything-else-in-the-line.iso", "日本.iso",
        ] {
            #expect(text(row(name), width: width).columnCount <= width, "\(name)")
            var over = row(name)
            over.become(.over(.failed(Outcome.Reason(code: "c", message: "the disk is full"))))
            #expect(text(over, width: width).columnCount <= width, "\(name)")
        }
    }

    @Test func `without a length there is neither a share nor a time left`() {
        let line = text(row(expected: nil), width: 100)
        #expect(line.contains("120 MiB"))
        #expect(line.contains("12.0 MiB/s"))
        #expect(!line.contains("%"))
        #expect(!line.contains("left"))
        #expect(!line.contains("#"))
    }

    @Test func `a terminal that speaks UTF-8 gets finer lines`() {
        let line = ProgressLine(row(), alphabet: .unicode, at: .seconds(1))
            .text(in: ProgressLayout([row()], width: 80))
        #expect(line.hasPrefix("debian-12.iso  ━━━━━──────   46%"))
    }

    @Test func `what happened last is told in words`() {
        var row = row()
        #expect(
            ProgressLine(row, alphabet: .ascii, at: .seconds(1)).words
                == "debian-12.iso: 120 MiB of 256 MiB, 46%, 12.0 MiB/s, 12s left"
        )
        row.become(.waiting(TransferRow.Hold(reason: "backoff", text: "retry later")))
        #expect(text(row, width: 60) == "debian-12.iso  retry later")
        row.become(.waiting(nil))
        #expect(text(row, width: 60) == "debian-12.iso  waiting")
        let byteCount: Int64 = 256 << 20
        row.become(.over(.saved(path: "/tmp/debian-12.iso", byteCount: byteCount)), at: 61)
        #expect(text(row, width: 60) == "debian-12.iso  saved, 256 MiB in 1m 01s")
        row.become(.over(.saved(path: "/tmp/debian-12.iso.1", byteCount: byteCount)), at: 61)
        #expect(
            text(row, width: 60) == "debian-12.iso  saved as debian-12.iso.1, 256 MiB in 1m 01s"
        )
        row.become(.over(.failed(Outcome.Reason(code: "c", message: "no\nroute"))))
        #expect(text(row, width: 60) == "debian-12.iso  failed: no\u{FFFD}route")
    }

    @Test func `USE-3: of a long reason the beginning is shown`() {
        var row = row()
        let reason = "retry at 03:18:24: Failed to connect to example.org port 443"
        row.become(.waiting(TransferRow.Hold(reason: "backoff", text: reason)))
        #expect(text(row, width: 50) == "debia....iso  retry at 03:18:24: Failed to conn...")
    }

    @Test(arguments: [
        (0.0, "0.1s"), (0.34, "0.3s"), (2.96, "3.0s"), (9.94, "9.9s"), (9.96, "9s"), (10, "10s"),
        (125, "2m 05s"),
    ])
    func `USE-4: nothing takes no time, and what is quick is told in tenths`(
        seconds: Double,
        text: String
    ) {
        #expect(Figures.elapsed(.seconds(seconds)) == text)
    }
}

extension TransferRow {
    /// Comes into a state, at a time in seconds.
    mutating func become(_ state: State, at seconds: Double = 0) {
        switch state {
        case .waiting(let hold): waits(for: hold, hasBegun: true)
        case .running: runs(at: .seconds(seconds))
        case .over(let outcome): ends(outcome, at: .seconds(seconds))
        }
    }
}
