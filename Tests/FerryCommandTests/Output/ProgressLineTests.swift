import Testing

@testable import FerryCommand

@Suite struct ProgressLineTests {
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
        row.progress(received: received - (12 << 20), expected: expected, at: .zero)
        row.progress(received: received, expected: expected, at: .seconds(1))
        row.state = .running
        return row
    }

    private func text(_ row: TransferRow, width: Int) -> String {
        ProgressLine(row, alphabet: .ascii, at: .seconds(1)).text(width: width)
    }

    @Test(arguments: [
        (
            120,
            "debian-12.iso  ##################----------------------   46%     "
                + "120 MiB of 256 MiB    12.0 MiB/s     12s left"
        ),
        (
            100,
            "debian-12.iso  #############----------------   46%     120 MiB of 256 MiB    12.0 MiB/s     12s left"
        ),
        (80, "debia....iso  ####------   46%     120 MiB of 256 MiB    12.0 MiB/s     12s left"),
        (79, "debian-12.iso  ##############-----------------   46%    12.0 MiB/s     12s left"),
        (60, "debian-12.iso  #####-------   46%    12.0 MiB/s     12s left"),
        (50, "debian-12.iso  #######--------   46%    12.0 MiB/s"),
        (40, "debian-12.iso   46%    12.0 MiB/s"),
        (20, "debian-12.iso   46%"),
        (10, "debi   46%"),
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
            over.state = .over(.failed(Outcome.Reason(code: "c", message: "the disk is full")))
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
        let line = ProgressLine(row(), alphabet: .unicode, at: .seconds(1)).text(width: 60)
        #expect(line.hasPrefix("debian-12.iso  ━━━━━───────   46%"))
    }

    @Test func `what happened last is told in words`() {
        var row = row()
        #expect(
            ProgressLine(row, alphabet: .ascii, at: .seconds(1)).words
                == "debian-12.iso: 120 MiB of 256 MiB, 46%, 12.0 MiB/s, 12s left"
        )
        row.state = .waiting(TransferRow.Hold(reason: "backoff", text: "retry later"))
        #expect(text(row, width: 60) == "debian-12.iso  retry later")
        row.state = .waiting(nil)
        #expect(text(row, width: 60) == "debian-12.iso  waiting")
        row.state = .over(.saved(path: "/tmp/debian-12.iso"))
        #expect(text(row, width: 60) == "debian-12.iso  saved, 256 MiB in 1s")
        row.state = .over(.saved(path: "/tmp/debian-12.iso.1"))
        #expect(text(row, width: 60) == "debian-12.iso  saved as debian-12.iso.1, 256 MiB in 1s")
        row.state = .over(.failed(Outcome.Reason(code: "c", message: "no\nroute")))
        #expect(text(row, width: 60) == "debian-12.iso  failed: no\u{FFFD}route")
    }
}
