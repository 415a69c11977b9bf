import Ferry
import FerrySystem
import Foundation

/// Decides what to report about followed transfers, and when nothing is left to follow.
///
/// Events come from two sources: ferryd reports the progress of transfers, and the sessions of this process report
/// the outcomes of those whose files it takes itself. The watch performs nothing.
struct TransferWatch {
    /// An action to perform; several are performed in order.
    enum Effect: Hashable {
        /// Show the rows as they are now.
        case show
        /// Report that a transfer is over, and how it ended.
        case notify(TransferRow)
        /// Nothing is left to follow.
        case finish(ExitCode)
    }

    /// What its owner must do.
    var effects = EffectQueue<Effect>()
    /// The followed transfers, in the order in which they appeared.
    private(set) var rows: [TransferRow]

    /// Whether this process takes a transfer's file: then the session's report decides.
    private let isOwn: @Sendable (TransferRow.ID) -> Bool
    /// Whether it is enough that ferryd has numbers for all of them.
    private let endsWhenNumbered: Bool
    private let endsAtFailure: Bool
    private var indices: [TransferRow.ID: Int]
    private var indicesByNumber: [TransferDaemon.Transfer.ID: Int]
    private var openRowCount: Int
    /// The number of open rows that have no number yet.
    private var unnumberedRowCount: Int
    /// The exit code of the transfers that have ended.
    private var code = ExitCode.success
    /// The outcomes that ferryd reported of transfers whose own session has not reported one.
    private var words: [TransferRow.ID: Outcome] = [:]
    private var isFinished = false

    /// A watch over transfers.
    ///
    /// - Parameters:
    ///   - rows: The transfers known from the start.
    ///   - endsWhenNumbered: Whether nothing is left to follow as soon as each has a number.
    ///   - endsAtFailure: Whether nothing is left to follow as soon as one has failed.
    ///   - isOwn: Whether this process takes a transfer's file.
    init(
        _ rows: [TransferRow],
        endsWhenNumbered: Bool = false,
        endsAtFailure: Bool = false,
        isOwn: @escaping @Sendable (TransferRow.ID) -> Bool
    ) {
        self.rows = rows
        self.endsWhenNumbered = endsWhenNumbered
        self.endsAtFailure = endsAtFailure
        self.isOwn = isOwn
        indices = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
        indicesByNumber = [:]
        for (index, row) in rows.enumerated() {
            if let number = row.number { indicesByNumber[number] = index }
        }
        openRowCount = rows.count
        unnumberedRowCount = rows.count { $0.number == nil }
    }

    /// Handles ferryd's report of changes.
    ///
    /// - Parameters:
    ///   - updated: The transfers that are new or have changed.
    ///   - removed: The numbers of those that are gone.
    ///   - ended: What became of these, as far as that is known.
    ///   - instant: The time since some fixed moment.
    ///   - now: The time of day.
    mutating func changed(
        updated: [TransferDaemon.Transfer],
        removed: [TransferDaemon.Transfer.ID],
        ended: [TransferDaemon.Transfer.ID: Outcome] = [:],
        at instant: Duration,
        now: Date
    ) {
        effects.add(.show)
        for transfer in updated { update(transfer, at: instant, now: now) }
        for number in removed {
            guard let index = indicesByNumber[number] else { continue }
            let outcome = ended[number] ?? words[rows[index].id] ?? .gone
            end(index, outcome, at: instant)
        }
        finishIfDone()
    }

    /// Handles the outcome of a transfer that a session of this process reports.
    ///
    /// - Parameters:
    ///   - id: The transfer.
    ///   - outcome: How it ended.
    ///   - instant: The time since some fixed moment.
    mutating func ended(
        _ id: TransferRow.ID,
        _ outcome: Outcome,
        at instant: Duration
    ) {
        guard let index = indices[id] else { return }
        end(index, outcome, at: instant)
        effects.add(.show)
        finishIfDone()
    }

    /// Handles the report of a session of this process that a transfer's complete file has to wait.
    ///
    /// - Parameters:
    ///   - id: The transfer.
    ///   - hold: The reason.
    mutating func held(_ id: TransferRow.ID, _ hold: TransferRow.Hold) {
        guard let index = indices[id], !rows[index].isOver else { return }
        rows[index].waits(for: hold, hasBegun: true)
        effects.add(.show)
    }

    /// Handles Ctrl-C: this process ends, the transfers continue.
    mutating func interrupted() {
        finish(.interrupted)
    }

    /// Has the rows shown once more, without news.
    mutating func becameStale() { effects.add(.show) }

    private mutating func update(
        _ transfer: TransferDaemon.Transfer,
        at instant: Duration,
        now: Date
    ) {
        let index = index(of: transfer)
        guard !rows[index].isOver else { return }
        if rows[index].number == nil { unnumberedRowCount -= 1 }
        rows[index].number = transfer.id
        indicesByNumber[transfer.id] = index
        if let upload = transfer.upload, upload.sentByteCount > 0 {
            // The progress is that of the bytes sent; the response is usually short.
            rows[index].progress(
                received: upload.sentByteCount,
                expected: upload.byteCount,
                at: instant
            )
        } else if transfer.upload == nil, transfer.receivedByteCount > 0 {
            rows[index].progress(
                received: transfer.receivedByteCount,
                expected: transfer.expectedByteCount,
                at: instant
            )
        }
        switch transfer.state {
        case .running:
            rows[index].runs(at: instant)
        case .suspended, .waiting:
            let hasBegun = transfer.receivedByteCount > 0 || transfer.attempts > 0
            rows[index].waits(for: transfer.hold(now: now), hasBegun: hasBegun)
        case .completed:
            let outcome = transfer.reasonForFailure.map(Outcome.failed) ?? .completed
            guard isOwn(rows[index].id) else { return end(index, outcome, at: instant) }
            // The session's report follows, and has the file's path.
            words[rows[index].id] = outcome
        }
    }

    private mutating func index(of transfer: TransferDaemon.Transfer) -> Int {
        let row = TransferRow(transfer)
        if let index = indices[row.id] { return index }
        indices[row.id] = rows.count
        rows.append(row)
        openRowCount += 1
        if row.number == nil { unnumberedRowCount += 1 }
        return rows.count - 1
    }

    private mutating func end(
        _ index: Int,
        _ outcome: Outcome,
        at instant: Duration
    ) {
        // The first report counts: ferryd forgets a transfer after its session has reported the outcome.
        guard !rows[index].isOver else { return }
        rows[index].ends(outcome, at: instant)
        openRowCount -= 1
        if rows[index].number == nil { unnumberedRowCount -= 1 }
        code = code.joined(with: ExitCode(outcome))
        effects.add(.notify(rows[index]))
    }

    private mutating func finishIfDone() {
        guard
            openRowCount == 0 || endsWhenNumbered && unnumberedRowCount == 0
                || endsAtFailure && code.isFailure
        else { return }
        finish(code)
    }

    private mutating func finish(_ code: ExitCode) {
        guard !isFinished else { return }
        isFinished = true
        effects.add(.finish(code))
    }
}
