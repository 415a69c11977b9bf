import Ferry
import FerryHTTP
import FerryWire
import Foundation
import Synchronization
import Testing

@testable import FerryCommand

/// A ferryd that is played: it has transfers, and remembers what it was told to do.
final class PlayedDaemon: Sendable {
    private struct State {
        var transfers: [TransferDaemon.Transfer] = []
        var ended: [TransferDaemon.EndedTransfer] = []
        var hooks: [TransferDaemon.Hook] = []
        var status: TransferDaemon.Status?
        var timetable = TransferDaemon.Timetable(file: "/home/a/.config/ferry/timetable")
        var settings = TransferDaemon.Settings(all: [])
        var calls: [String] = []
        var lost: Int?
        var ending: Int?
        var changes: [[TransferDaemon.Changes]] = []
        var streamCount = 0
        var lostAtStream: [Int: Set<Int>] = [:]
        var brokenPage: Int?
        var changesOfPages: [Int: @Sendable (inout [TransferDaemon.Transfer]) -> Void] = [:]
    }

    /// How many transfers a page holds unless a command asks for less.
    private let pageLength = 2

    private let state: Mutex<State>
    private let isSteady: Bool

    /// A daemon with transfers, hooks and a status; without a status it is not running.
    ///
    /// Each stream of changes tells one element of `changes` before the daemon is killed; the streams
    /// of a steady daemon last after that.
    init(
        transfers: [TransferDaemon.Transfer] = [],
        ended: [TransferDaemon.EndedTransfer] = [],
        hooks: [TransferDaemon.Hook] = [],
        status: TransferDaemon.Status? = nil,
        timetable: TransferDaemon.Timetable? = nil,
        settings: TransferDaemon.Settings? = nil,
        changes: [[TransferDaemon.Changes]] = [],
        isSteady: Bool = false
    ) {
        self.isSteady = isSteady
        state = Mutex(
            State(
                transfers: transfers,
                ended: ended,
                hooks: hooks,
                status: status,
                changes: changes
            )
        )
        if let settings { state.withLock { $0.settings = settings } }
        if let timetable { state.withLock { $0.timetable = timetable } }
    }

    /// Loses its connection when it is asked for a transfer.
    func disconnect(at transfer: Int) { state.withLock { $0.lost = transfer } }

    /// Loses transfers before a stream of changes is asked for, counted from 1.
    func loseTransfers(_ ids: Set<Int>, atStream number: Int) {
        state.withLock { $0.lostAtStream[number] = ids }
    }

    /// Loses a transfer at the moment in which something is to be done to it.
    func forget(atAction transfer: Int) { state.withLock { $0.ending = transfer } }

    /// Changes its transfers when the page after one of them is asked for.
    func change(
        atPageAfter last: Int,
        _ change: @escaping @Sendable (inout [TransferDaemon.Transfer]) -> Void
    ) { state.withLock { $0.changesOfPages[last] = change } }

    /// Answers what cannot be decoded to who asks for the page after a transfer.
    func breakPage(after last: Int) { state.withLock { $0.brokenPage = last } }

    /// What it was told to do.
    var calls: [String] { state.withLock { $0.calls } }

    /// Takes a transfer on.
    func add(_ transfer: TransferDaemon.Transfer) {
        state.withLock { $0.transfers.append(transfer) }
    }

    /// The daemon as a command sees it.
    var daemon: TransferDaemon { TransferDaemon(backend: self) }

    /// Forgets a transfer that is over and whose program is gone.
    private func forget(_ id: Int) {
        state.withLock { state in
            state.transfers.removeAll {
                $0.id == id && $0.state == .completed && $0.application == "gone"
            }
        }
    }

    private func act(_ action: String, on id: Int) throws(TransferDaemonError) {
        if state.withLock({ $0.lost }) == id {
            throw TransferDaemonError(.disconnected, message: "ferryd has gone.")
        }
        state.withLock { state in
            if state.ending == id { state.transfers.removeAll { $0.id == id } }
        }
        _ = try transfer(id)
        state.withLock { $0.calls.append("\(action) \(id)") }
    }

    private func act(_ action: String, on application: String) throws(TransferDaemonError) {
        let isKnown = state.withLock { state in
            state.hooks.contains { $0.application == application }
        }
        guard isKnown else {
            throw TransferDaemonError(
                .applicationNotFound,
                message: "There is no application \(application)."
            )
        }
        state.withLock { $0.calls.append("\(action) \(application)") }
    }
}

extension PlayedDaemon: TransferDaemon.Backend {
    func page(
        _ query: TransferDaemon.Query,
        after last: Int?,
        limit: Int?
    ) -> TransferDaemon.EncodedPage<TransferDaemon.Transfer> {
        let (transfers, isBroken) = state.withLock { state in
            state.changesOfPages[last ?? 0]?(&state.transfers)
            return (state.transfers, last != nil && state.brokenPage == last)
        }
        let matching = transfers.filter { transfer in
            transfer.id > last ?? 0 && query.states?.contains(transfer.state) ?? true
                && query.application ?? transfer.application == transfer.application
                && query.session ?? transfer.session == transfer.session
        }
        let page = Array(matching.prefix(min(limit ?? .max, pageLength)))
        return TransferDaemon.EncodedPage(
            next: page.count < matching.count ? page.last?.id : nil
        ) { () throws(TransferDaemonError) in
            guard !isBroken else {
                throw TransferDaemonError(.unexpectedReply, message: "[0].id: it is missing")
            }
            return page
        }
    }

    func summaries(
        after last: Int?,
        limit: Int
    ) -> TransferDaemon.EncodedPage<TransferDaemon.Summary> {
        let page = page(.init(), after: last, limit: limit)
        return TransferDaemon.EncodedPage(next: page.next) { () throws(TransferDaemonError) in
            try page.transfers().map { TransferDaemon.Summary($0) }
        }
    }

    func transfer(_ id: Int) throws(TransferDaemonError) -> TransferDaemon.Transfer {
        let transfer = state.withLock { state in state.transfers.first { $0.id == id } }
        guard let transfer else {
            throw TransferDaemonError(.transferNotFound, message: "There is no transfer \(id).")
        }
        return transfer
    }

    func endedTransfers(
        _ query: TransferDaemon.EndedQuery,
        limit: Int?
    ) -> [TransferDaemon.EndedTransfer] {
        let ended = state.withLock { $0.ended }
        let matching = ended.filter { transfer in
            query.ids?.contains(transfer.id) ?? true
                && query.application ?? transfer.application == transfer.application
                && query.session ?? transfer.session == transfer.session
        }
        return Array(matching.prefix(limit ?? .max))
    }

    func changes(of ids: Set<Int>?) -> TransferDaemon.ChangeStream {
        let changes = state.withLock { state in
            state.streamCount += 1
            let lost = state.lostAtStream[state.streamCount] ?? []
            state.transfers.removeAll { lost.contains($0.id) }
            return state.changes.isEmpty ? [] : state.changes.removeFirst()
        }
        return AsyncThrowingStream { continuation in
            for change in changes { continuation.yield(change) }
            if isSteady { return }
            continuation.finish(
                throwing: TransferDaemonError(.disconnected, message: "ferryd is gone.")
            )
        }
    }

    func pause(_ id: Int) throws(TransferDaemonError) { try act("pause", on: id) }

    func resume(_ id: Int, ignoringConditions: Bool) throws(TransferDaemonError) {
        try act(ignoringConditions ? "resume now" : "resume", on: id)
    }

    func cancel(_ id: Int) throws(TransferDaemonError) {
        try act("cancel", on: id)
        forget(id)
    }

    func relink(_ id: Int, to url: String) throws(TransferDaemonError) {
        try act("relink to \(url)", on: id)
    }

    func setPriority(_ priority: Double, of id: Int) throws(TransferDaemonError) {
        try act("priority \(priority)", on: id)
    }

    func setRates(_ rates: TransferDaemon.Rates, of id: Int?) throws(TransferDaemonError) {
        let text = "limit \(rates.receive ?? -1) \(rates.send ?? -1)"
        if let id {
            try act(text, on: id)
        } else {
            state.withLock { $0.calls.append(text) }
        }
    }

    func timetable() -> TransferDaemon.Timetable { state.withLock { $0.timetable } }

    func changeTimetable(
        adding rule: String?,
        removing oldRule: String?
    ) -> TransferDaemon.Timetable {
        state.withLock { state in
            state.calls += [rule.map { "add \($0)" }, oldRule.map { "remove \($0)" }]
                .compactMap { $0 }
            return state.timetable
        }
    }

    func settings() -> TransferDaemon.Settings { state.withLock { $0.settings } }

    func reload() -> TransferDaemon.Settings? {
        state.withLock { state in
            state.calls.append("reload")
            return state.status.map { _ in state.settings }
        }
    }

    func hooks() -> [TransferDaemon.Hook] { state.withLock { $0.hooks } }

    func removeHook(of application: String) throws(TransferDaemonError) {
        try act("remove", on: application)
    }

    func quit(_ application: String) throws(TransferDaemonError) -> Int {
        try act("quit", on: application)
        return 3
    }

    func status() -> TransferDaemon.Status? { state.withLock { $0.status } }

    func stop() -> Bool { state.withLock { $0.status != nil } }
}

extension TransferDaemon.Transfer {
    /// A transfer of 1,000 bytes, of which 450 are here, with other properties where they matter.
    static func sample(
        _ id: Int = 12,
        application: String = "org.example.App",
        session: String = "main",
        task: Int? = nil,
        state: State = .running,
        taskDescription: String? = nil,
        url: String = "https://example.org/files/big.iso",
        status: Int? = nil,
        received: Int64 = 450,
        expected: Int64? = 1000,
        wait: Wait? = nil,
        failure: Failure? = nil,
        attempts: Int = 0
    ) throws -> Self {
        let url = try #require(URL(string: url))
        return Self(
            id: id,
            application: application,
            session: session,
            taskIdentifier: task ?? id + 100,
            state: state,
            taskDescription: taskDescription,
            originalRequest: PassedRequest(URLRequest(url: url)),
            response: status.flatMap {
                HTTPURLResponse(url: url, statusCode: $0, httpVersion: nil, headerFields: nil)
            },
            receivedByteCount: received,
            expectedByteCount: expected,
            wait: wait,
            failure: failure,
            attempts: attempts,
            created: Date(timeIntervalSince1970: 1_790_000_000)
        )
    }
}

extension TransferDaemon.Summary {
    /// What ferryd would tell of a transfer in short.
    init(_ transfer: TransferDaemon.Transfer) {
        let state: Wire.TaskState =
            switch transfer.state {
            case .suspended: .suspended
            case .waiting: .waiting
            case .running: .running
            case .completed: .completed
            }
        let task = Wire.TaskSummary(
            id: Int64(transfer.id),
            application: transfer.application,
            state: state,
            description: transfer.taskDescription,
            url: transfer.originalRequest.url?.absoluteString ?? "",
            link: transfer.relinkedURL?.absoluteString,
            status: transfer.response?.statusCode,
            disposition: transfer.response?.value(forHTTPHeaderField: "Content-Disposition"),
            receivedByteCount: transfer.receivedByteCount,
            expectedByteCount: transfer.expectedByteCount,
            upload: transfer.upload.map {
                .init(byteCount: $0.byteCount, sentByteCount: $0.sentByteCount)
            },
            failure: transfer.failure.map { .init(code: $0.code, message: $0.message) },
            bytesPerSecond: transfer.bytesPerSecond.map { Int($0) }
        )
        self.init(task, wait: transfer.wait)
    }
}

extension TransferDaemon.EndedTransfer {
    /// A transfer of `ferry get` that has ended, with other properties where they matter.
    static func sample(
        _ id: Int = 12,
        application: String = "ferry",
        session: String = "get-1",
        taskDescription: String? = nil,
        url: String = "https://example.org/files/big.iso",
        status: Int? = nil,
        upload: TransferDaemon.Transfer.Upload? = nil,
        failure: TransferDaemon.Transfer.Failure? = nil,
        path: String? = nil,
        isDiscarded: Bool = false
    ) -> Self {
        Self(
            id: id,
            application: application,
            session: session,
            taskIdentifier: id + 100,
            taskDescription: taskDescription,
            address: url,
            status: status,
            receivedByteCount: 1000,
            expectedByteCount: 1000,
            upload: upload,
            failure: failure,
            created: Date(timeIntervalSince1970: 1_789_999_940),
            ended: Date(timeIntervalSince1970: 1_790_000_000),
            path: path,
            isDiscarded: isDiscarded
        )
    }
}

extension PlayedDaemon {
    /// A daemon with a transfer of each state.
    static func sample() throws -> PlayedDaemon {
        let retry = TransferDaemon.Transfer.Wait(reason: .hostLimit)
        return PlayedDaemon(
            transfers: [
                try .sample(1),
                try .sample(2, state: .waiting, received: 0, expected: nil, wait: retry),
                try .sample(3, state: .completed, status: 404),
                try .sample(4, application: "ferry", state: .suspended, expected: nil),
            ]
        )
    }
}

extension TransferDaemon.Status {
    /// A status with a figure of its own in each place.
    static func sample(log: TransferDaemon.Status.Log) -> TransferDaemon.Status {
        TransferDaemon.Status(
            version: "0.1.0",
            processIdentifier: 4711,
            started: Date(timeIntervalSince1970: 1_790_000_000),
            sockets: [
                "/run/user/1000/ferry/io.ferry.Transfer", "/home/a/.local/state/ferry/run/s",
            ],
            stateDirectory: "/home/a/.local/state/ferry",
            log: log,
            runningCount: 1,
            waitingCount: 2,
            suspendedCount: 3,
            sessionCount: 4,
            connectionCount: 5
        )
    }
}
