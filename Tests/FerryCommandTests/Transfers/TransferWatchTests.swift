import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

extension TransferWatch: DecidingMachine {}

@Suite(.timeLimit(.minutes(5))) struct TransferWatchTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_060)
    private let saved = Outcome.saved(path: "/tmp/big.iso", byteCount: 1000)
    private let failed = Outcome.failed(Outcome.Reason(code: "-1001", message: "timed out"))

    private func row(_ number: Int, numbered: Bool = true) throws -> TransferRow {
        var row = TransferRow(try TransferDaemon.Transfer.sample(number))
        if !numbered { row.number = nil }
        return row
    }

    private func over(_ row: TransferRow, _ outcome: Outcome) -> TransferRow {
        var row = row
        row.ends(outcome, at: .zero)
        return row
    }

    @Test func `a transfer of this process is over when its session says so`() throws {
        let row = try row(12)
        var watch = TransferWatch([row], isOwn: { _ in true })
        let completed = try TransferDaemon.Transfer.sample(12, state: .completed, received: 0)
        #expect(
            watch.after { $0.changed(updated: [completed], removed: [], at: .zero, now: now) } == [
                .show
            ]
        )
        #expect(
            watch.after { $0.ended(row.id, saved, at: .zero) } == [
                .notify(over(row, saved)), .show, .finish(.success),
            ]
        )
    }

    @Test func `the first word of an end counts`() throws {
        let row = try row(12)
        var watch = TransferWatch([row, try self.row(13)], isOwn: { _ in true })
        #expect(
            watch.after { $0.ended(row.id, saved, at: .zero) } == [
                .notify(over(row, saved)), .show,
            ]
        )
        #expect(watch.after { $0.ended(row.id, failed, at: .zero) } == [.show])
        #expect(
            watch.after { $0.changed(updated: [], removed: [12], at: .zero, now: now) } == [.show]
        )
        #expect(watch.rows.first?.outcome == saved)
    }

    @Test func `a transfer of another application is over when it is complete`() throws {
        let row = try row(12)
        var watch = TransferWatch([row], isOwn: { _ in false })
        let completed = try TransferDaemon.Transfer.sample(12, state: .completed, received: 0)
        #expect(
            watch.after { $0.changed(updated: [completed], removed: [], at: .zero, now: now) }
                == [.show, .notify(over(row, .completed)), .finish(.success)]
        )
    }

    private static let badEnds: [(Int?, TransferDaemon.Transfer.Failure?, String)] = [
        (404, nil, "httpStatus"),
        (nil, TransferDaemon.Transfer.Failure(code: "timedOut", message: "slow"), "timedOut"),
    ]

    @Test(arguments: badEnds)
    func `an error page or an error is a failure, whoever watches`(
        status: Int?,
        failure: TransferDaemon.Transfer.Failure?,
        code: String
    ) throws {
        var watch = TransferWatch([try row(12)], isOwn: { _ in false })
        let completed = try TransferDaemon.Transfer.sample(
            12,
            state: .completed,
            status: status,
            failure: failure
        )
        let effects = watch.after {
            $0.changed(updated: [completed], removed: [], at: .zero, now: now)
        }
        #expect(effects.last == .finish(status == nil ? .noConnection : .badResponse))
        guard case .failed(let reason) = watch.rows.first?.outcome else {
            Issue.record("not failed")
            return
        }
        #expect(reason.code == code)
    }

    @Test func `a transfer that another process has taken ended as ferryd last said`() throws {
        var watch = TransferWatch([try row(12), try row(13)], isOwn: { _ in true })
        let failed = try TransferDaemon.Transfer.sample(12, state: .completed, status: 500)
        _ = watch.after { $0.changed(updated: [failed], removed: [], at: .zero, now: now) }
        let effects = watch.after {
            $0.changed(updated: [], removed: [12, 13], at: .zero, now: now)
        }
        #expect(effects.last == .finish(.badResponse))
        #expect(watch.rows.last?.outcome == .gone)
    }

    @Test func `transfers that ferryd has not numbered yet are not taken for gone`() throws {
        let row = try row(12, numbered: false)
        var watch = TransferWatch([row], isOwn: { _ in true })
        #expect(
            watch.after { $0.changed(updated: [], removed: [], at: .zero, now: now) } == [.show]
        )
        #expect(
            try watch.after {
                try $0.changed(updated: [.sample(12)], removed: [], at: .zero, now: now)
            } == [.show]
        )
        #expect(watch.rows.map(\.number) == [12])
        #expect(watch.rows.map(\.state) == [.running])
    }

    @Test func `all transfers are followed, new ones too, until none is left`() throws {
        var watch = TransferWatch([], isOwn: { _ in false })
        #expect(
            try watch.after {
                try $0.changed(updated: [.sample(1), .sample(2)], removed: [], at: .zero, now: now)
            } == [
                .show
            ]
        )
        #expect(
            try watch.after {
                try $0.changed(updated: [.sample(3)], removed: [1, 2], at: .zero, now: now)
            }.count
                == 3
        )
        #expect(watch.rows.map(\.number) == [1, 2, 3])
        #expect(
            watch.after { $0.changed(updated: [], removed: [3], at: .zero, now: now) }.last
                == .finish(.success)
        )
    }

    @Test func `without anything to follow it is over at once`() {
        var watch = TransferWatch([], isOwn: { _ in false })
        #expect(
            watch.after { $0.changed(updated: [], removed: [], at: .zero, now: now) } == [
                .show, .finish(.success),
            ]
        )
    }

    @Test func `who detaches waits for numbers, or for ends that come before them`() throws {
        let rows = [try row(12, numbered: false), try row(13, numbered: false)]
        var watch = TransferWatch(rows, endsWhenNumbered: true, isOwn: { _ in true })
        #expect(
            try watch.after {
                try $0.changed(updated: [.sample(12)], removed: [], at: .zero, now: now)
            } == [.show]
        )
        #expect(
            watch.after { $0.ended(rows[1].id, failed, at: .zero) }.last == .finish(.noConnection)
        )
        var quick = TransferWatch(rows, endsWhenNumbered: true, isOwn: { _ in true })
        let both = [try TransferDaemon.Transfer.sample(12), try .sample(13)]
        #expect(
            quick.after { $0.changed(updated: both, removed: [], at: .zero, now: now) } == [
                .show, .finish(.success),
            ]
        )
    }

    @Test func `Ctrl-C ends the following and nothing else, once`() throws {
        var watch = TransferWatch([try row(12)], isOwn: { _ in true })
        #expect(watch.after { $0.interrupted() } == [.finish(.interrupted)])
        #expect(watch.after { $0.interrupted() } == [])
        #expect(watch.rows.allSatisfy { !$0.isOver })
    }

    @Test func `USE-3: a transfer that failed says when it is tried again, and why`() throws {
        var watch = TransferWatch([], isOwn: { _ in false })
        let until = Date(timeIntervalSince1970: 1_790_000_000)
        let failure = TransferDaemon.Transfer.Failure(
            code: "cannotConnectToHost",
            message: "connection refused"
        )
        let waits: [TransferDaemon.Transfer.Wait] = [
            .init(reason: .backoff, until: until, detail: "connection refused"),
            .init(reason: .hostFailure, until: until, detail: "b has failed 4 times in a row"),
            .init(reason: .diskSpace, until: until),
        ]
        let failures = [failure, nil, nil]
        let transfers = try zip(1..., zip(waits, failures)).map { id, pair in
            try TransferDaemon.Transfer
                .sample(id, state: .waiting, wait: pair.0, failure: pair.1, attempts: 1)
        }
        _ = watch.after { $0.changed(updated: transfers, removed: [], at: .zero, now: now) }
        let lines = watch.rows.map { ProgressLine($0, alphabet: .ascii, at: .zero).words }
        let time = until.text(now: now)
        #expect(
            lines == [
                "big.iso: retry at \(time): connection refused",
                "big.iso: retry at \(time): b has failed 4 times in a row",
                "big.iso: waiting for room on the disk, retry at \(time)",
            ]
        )
        let row = try #require(watch.rows.first)
        #expect(
            try JSONLine.text(RowReport(row)) == """
                {"code":"cannotConnectToHost","event":"waiting","expected":1000,"id":1,\
                "message":"connection refused","received":450,\
                "until":"2026-09-21T14:13:20Z","url":"https://example.org/files/big.iso",\
                "wait":"backoff"}
                """
        )
    }

    @Test func `USE-4: a file's bytes and time are told, whatever ferryd told before`() throws {
        let id = TransferRow(try TransferDaemon.Transfer.sample(12)).id
        let quick = TransferRow(id: id, name: "big.iso", url: "-", isToBegin: true)
        var watch = TransferWatch([quick], isOwn: { _ in true })
        func line(_ watch: TransferWatch) -> String? {
            watch.rows.first.map { ProgressLine($0, alphabet: .ascii, at: .zero).words }
        }
        var other = watch
        _ = other.after { $0.ended(id, saved, at: .seconds(1)) }
        #expect(line(other) == "big.iso: saved, 1000 B")
        _ = try watch.after {
            try $0.changed(
                updated: [.sample(12, received: 0)],
                removed: [],
                at: .seconds(1),
                now: now
            )
        }
        _ = watch.after { $0.ended(id, saved, at: .seconds(1.4)) }
        #expect(line(watch) == "big.iso: saved, 1000 B in 0.4s")
    }

    @Test func `USE-4: of one that ran before it was watched nobody knows how long it took`() throws
    {
        var watch = TransferWatch([], isOwn: { _ in false })
        _ = try watch.after {
            try $0.changed(updated: [.sample(12)], removed: [], at: .zero, now: now)
        }
        let completed = try TransferDaemon.Transfer.sample(12, state: .completed, received: 1000)
        _ = watch.after { $0.changed(updated: [completed], removed: [], at: .seconds(2), now: now) }
        let row = try #require(watch.rows.first)
        #expect(ProgressLine(row, alphabet: .ascii, at: .zero).words == "big.iso: done, 1000 B")
    }

    @Test func `paused and waiting transfers say so`() throws {
        var watch = TransferWatch([], isOwn: { _ in false })
        let wait = TransferDaemon.Transfer.Wait(reason: .paused)
        let paused = try TransferDaemon.Transfer.sample(1, state: .suspended, wait: wait)
        _ = try watch.after {
            try $0.changed(
                updated: [paused, .sample(2, state: .waiting)],
                removed: [],
                at: .zero,
                now: now
            )
        }
        let hold = TransferRow.Hold(reason: "paused", text: "paused")
        #expect(watch.rows.map(\.state) == [.waiting(hold), .waiting(nil)])
    }
}
