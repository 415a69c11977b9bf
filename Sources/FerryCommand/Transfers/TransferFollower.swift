import Ferry
import FerrySystem

/// Follows transfers until they are over or the user leaves.
struct TransferFollower {
    /// An event while transfers are followed.
    enum Event: Sendable {
        /// ferryd has reported changes, and what became of transfers that are gone.
        case changes(TransferDaemon.Changes, ended: [Int: Outcome] = [:])
        /// A session of this process has reported how a transfer ended.
        case ended(TransferRow.ID, Outcome)
        /// A session of this process has a complete file that it cannot save yet.
        case held(TransferRow.ID, TransferRow.Hold)
        /// A session of this process has something to tell, in lines.
        case told(String)
        /// Ctrl-C.
        case interrupted
        /// The display may be outdated.
        case stale
        /// The transfers cannot be found, or ferryd can no longer be followed.
        case lost(any Error)
    }

    /// The transfers to follow.
    enum Selection: Sendable {
        /// All transfers, including those that are created meanwhile.
        case all
        /// The transfers with these numbers.
        case numbers(Set<Int>)
        /// The transfers with these numbers, of a session of this process: it reports how each has ended.
        case own(Set<Int>)
    }

    /// The events that have not been handled, in the order in which they were sent.
    struct Mailbox: Sendable {
        fileprivate let events: AsyncStream<Event>
        private let continuation: AsyncStream<Event>.Continuation

        /// An empty mailbox.
        init() {
            (events, continuation) = AsyncStream.makeStream()
        }

        /// Sends an event, from any thread.
        func send(_ event: Event) { continuation.yield(event) }
    }

    /// The number of daemons in a row that may die before one of them has answered.
    private static let greatestFailureCount = 5

    /// The interval at which more rows are shown, so that a thousand rows are not drawn a thousand times as each ends.
    private static let interval = Duration.milliseconds(100)

    private var watch: TransferWatch
    private var display: TransferDisplay
    private let mailbox: Mailbox
    private let context: Context
    /// The time when the rows were last shown.
    private var shown: Duration?
    /// Whether there are changes that were not shown.
    private var owesShow = false
    /// Sends an event when the display is outdated.
    private var staleness: Task<Void, any Error>?

    /// A follower of transfers.
    ///
    /// - Parameters:
    ///   - watch: The transfers known from the start.
    ///   - style: The kind of output.
    ///   - mailbox: The source of events.
    ///   - context: The world outside.
    init(
        _ watch: TransferWatch,
        style: TransferDisplay.Style,
        mailbox: Mailbox,
        context: Context
    ) {
        self.watch = watch
        self.mailbox = mailbox
        self.context = context
        display = TransferDisplay(style: style, console: context.console)
    }

    /// The followed transfers as they are now.
    var rows: [TransferRow] { watch.rows }

    /// Follows the transfers.
    ///
    /// - Parameters:
    ///   - interrupts: The user's interrupts; those from now on by default.
    ///   - selection: Finds the transfers, meanwhile.
    /// - Returns: The exit code.
    /// - Throws: The error that ends the command.
    mutating func run(
        until interrupts: AsyncStream<Void>? = nil,
        following selection: @escaping @Sendable () async throws -> Selection
    ) async throws -> ExitCode {
        let mailbox = mailbox
        let context = context
        // Before anything is shown that the user may want to leave.
        let interrupts = if let interrupts { interrupts } else { await context.interrupts() }
        let sources = [
            Task {
                do {
                    let selection = try await selection()
                    await Self.follow(selection, of: context.daemon, mailbox: mailbox)
                } catch {
                    mailbox.send(.lost(error))
                }
            },
            Task { for await _ in interrupts { mailbox.send(.interrupted) } },
        ]
        defer {
            staleness?.cancel()
            for source in sources { source.cancel() }
        }
        for await event in mailbox.events {
            if let code = try take(event) { return code }
        }
        return .success
    }

    /// Shows the rows; many of them only after an interval since the last time.
    private mutating func show(at instant: Duration, isLast: Bool = false) throws {
        if !isLast, watch.rows.count > TransferDisplay.promptRowCount, let shown,
            instant - shown < Self.interval
        {
            if !owesShow { wake(after: Self.interval) }
            owesShow = true
            return
        }
        owesShow = false
        shown = instant
        try display.show(watch.rows, at: instant)
        staleness?.cancel()
        if display.growsStale, watch.rows.contains(where: { $0.state == .running }) {
            // One wake-up after the last change, none after that.
            wake(after: TransferSpeed.staleAfter)
        }
    }

    /// Has the lines written that were put off, if there are some.
    private mutating func comeBackForLines() {
        guard display.owesLines, !owesShow else { return }
        wake(after: Self.interval)
        owesShow = true
    }

    private mutating func wake(after delay: Duration) {
        staleness?.cancel()
        staleness = Task { [mailbox] in
            try await Task.sleep(for: delay)
            mailbox.send(.stale)
        }
    }

    private mutating func take(_ event: Event) throws -> ExitCode? {
        let instant = context.instant()
        switch event {
        case .changes(let changes, let ended):
            watch.changed(
                updated: changes.updated,
                removed: changes.removed,
                ended: ended,
                at: instant,
                now: context.now()
            )
        case .ended(let id, let outcome): watch.ended(id, outcome, at: instant)
        case .held(let id, let hold): watch.held(id, hold)
        case .told(let lines):
            display.tell(lines)
            comeBackForLines()
        case .interrupted: watch.interrupted()
        case .stale: watch.becameStale()
        case .lost(let error): throw error
        }
        guard watch.effects.begin() else { return nil }
        while let effect = watch.effects.next() {
            switch effect {
            case .show: try show(at: instant)
            case .notify(let row):
                try display.notify(row)
                comeBackForLines()
            case .finish(let code):
                if owesShow || display.owesLines { try show(at: instant, isLast: true) }
                return code
            }
        }
        return nil
    }

    /// Follows ferryd, and the next one when it is stopped or killed.
    private static func follow(
        _ selection: Selection,
        of daemon: TransferDaemon,
        mailbox: Mailbox
    ) async {
        let numbers: Set<Int>?
        switch selection {
        case .all: numbers = nil
        case .numbers(let selected), .own(let selected): numbers = selected
        }
        if let numbers, numbers.isEmpty { return }
        let isOwn = if case .own = selection { true } else { false }
        var known: Set<Int> = []
        var failureCount = 0
        while !Task.isCancelled {
            var hasAnswered = false
            do {
                for try await var changes in daemon.changes(of: numbers) {
                    if !hasAnswered, numbers == nil {
                        // Of many transfers, the first changes are only a part, and nothing is said of those that are gone.
                        let present = try await all(of: daemon)
                        let missing = known.subtracting(present.map(\.id))
                        changes = .init(updated: present, removed: missing.sorted())
                    }
                    hasAnswered = true
                    known.formUnion(changes.updated.map(\.id))
                    known.subtract(changes.removed)
                    let removed = Set(isOwn ? [] : changes.removed)
                    let ended = await daemon.remembered(removed).mapValues(\.outcome)
                    mailbox.send(.changes(changes, ended: ended))
                }
                return
            } catch let error as TransferDaemonError {
                failureCount = hasAnswered ? 0 : failureCount + 1
                // A daemon that never answers is not worth another try.
                if error.code == .disconnected, failureCount < greatestFailureCount { continue }
                return mailbox.send(.lost(error))
            } catch {
                return
            }
        }
    }

    private static func all(
        of daemon: TransferDaemon
    ) async throws -> [TransferDaemon.Transfer] {
        var transfers: [TransferDaemon.Transfer] = []
        for try await transfer in daemon.transfers() { transfers.append(transfer) }
        return transfers
    }
}

/// How a transfer ended, as far as `ferry` can tell.
enum Outcome: Hashable, Sendable {
    /// Its file is at a path, with a size in bytes.
    case saved(path: String, byteCount: Int64)
    /// The file at a path stays as it is, as the user wanted.
    case unchanged(path: String)
    /// It was sent, and the server answered with a text; an empty one if there is none, or it is not known.
    case sent(answer: String)
    /// It is complete; another application takes its file.
    case completed
    /// It is gone from ferryd: its application has acknowledged its end.
    case gone
    /// There is no file, for a reason.
    case failed(Reason)

    /// The reason why there is no file.
    struct Reason: Hashable, Sendable {
        /// The failure's name, for programs.
        var code: String
        /// A description for people.
        var message: String
        /// The path of the complete file, which is not where it belongs.
        var keptPath: String?

        /// Whether the reason is a cancellation, by ferryd's name or the session's code for it.
        var isCancellation: Bool { ["cancelled", "-999"].contains(code) }

        /// The reason of a finished file that cannot be saved where it belongs.
        ///
        /// - Parameters:
        ///   - message: A description for people.
        ///   - path: Where the file is kept, if it could be saved elsewhere.
        /// - Returns: The reason.
        static func cannotPlace(_ message: String, keptAs path: String? = nil) -> Reason {
            let place = path.map { "; the file is kept as \($0)" } ?? ""
            return Reason(code: "cannotPlace", message: message + place, keptPath: path)
        }
    }

    /// The path of the file, wherever it is.
    var path: String? {
        switch self {
        case .saved(let path, _): path
        case .failed(let reason): reason.keptPath
        case .unchanged(let path): path
        case .sent, .completed, .gone: nil
        }
    }

    /// Whether the transfer succeeded, or may have succeeded.
    var isSuccess: Bool {
        switch self {
        case .saved, .unchanged, .sent, .completed, .gone: true
        case .failed: false
        }
    }
}
