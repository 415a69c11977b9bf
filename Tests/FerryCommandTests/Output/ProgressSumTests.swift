import Testing

@testable import FerryCommand

/// The line below several transfers.
@Suite(.timeLimit(.minutes(1))) struct ProgressSumTests {
    private func row(
        _ number: Int,
        _ state: TransferRow.State,
        received: Int64 = 0,
        expected: Int64? = nil
    ) -> TransferRow {
        var row = TransferRow(
            id: TransferRow.ID(application: "ferry", session: "s", taskIdentifier: number),
            name: "file-\(number)",
            url: "https://example.org/file-\(number)"
        )
        if received > 0 || expected != nil {
            row.progress(received: 0, expected: expected, at: .zero)
            row.progress(received: received, expected: expected, at: .seconds(1))
        }
        row.become(state)
        return row
    }

    private let saved = TransferRow.State.over(.saved(path: "/tmp/a", byteCount: 1 << 20))
    private let failed = TransferRow.State.over(.failed(.init(code: "x", message: "y")))

    private func text(_ rows: [TransferRow], hidden: Int = 0, columns: Int = 100) -> String {
        ProgressSum(rows, hiddenCount: hidden, at: .seconds(1)).text(columns: columns, .ascii)
    }

    @Test func `it counts what is done, what has failed and what is not shown`() {
        let rows = [row(1, saved), row(2, failed), row(3, .waiting(nil))]
        #expect(text(rows, hidden: 1) == "1 of 3 done, 1 failed, 1 not shown, 1.0 MiB")
        #expect(text([row(1, .waiting(nil)), row(2, .waiting(nil))]) == "0 of 2 done")
    }

    @Test func `it adds up bytes, rates and the time left where all sizes are known`() {
        let known = [
            row(1, .running, received: 1 << 20, expected: 3 << 20),
            row(2, .running, received: 1 << 20, expected: 5 << 20), row(3, saved),
        ]
        #expect(text(known) == "1 of 3 done, 3.0 MiB of 9.0 MiB, 2.0 MiB/s, 3s left")
        #expect(text(known + [row(4, .running)]) == "1 of 4 done, 3.0 MiB, 2.0 MiB/s")
    }

    @Test func `sizes that cannot be added are no reason to end`() {
        let rows = (1...3).map { row($0, .running, received: 1 << 62, expected: .max) }
        #expect(text(rows).hasPrefix("0 of 3 done, 8.0 EiB"))
        let slow = (1...3).map { row($0, .running, received: 1, expected: .max) }
        #expect(!text(slow).contains("left"))
    }

    @Test func `parts for which there is no room are left out from the end`() {
        let rows = [row(1, .running, received: 1 << 20, expected: 3 << 20), row(2, saved)]
        let whole = text(rows)
        var earlier = ""
        for columns in 1...100 {
            let text = text(rows, columns: columns)
            #expect(text.count <= columns)
            #expect(whole.hasPrefix(text))
            #expect(text.hasPrefix(earlier))
            earlier = text
        }
        #expect(earlier == whole)
    }
}
