import FerrySystem
import FerryWire

/// The daemon itself, by a call for each operation.
extension AdministrationConnection: TransferDaemon.Backend {
    /// How long the daemon has to say how it is doing, or that it has stopped.
    private static let limit = Duration.seconds(10)

    func page(
        _ query: TransferDaemon.Query,
        after last: TransferDaemon.Transfer.ID?,
        limit: Int?
    ) async throws(TransferDaemonError) -> TransferDaemon.EncodedPage<TransferDaemon.Transfer> {
        .init(try await call(Wire.ListTasks(query, after: last, limit: limit)))
    }

    func summaries(
        after last: TransferDaemon.Transfer.ID?,
        limit: Int
    ) async throws(TransferDaemonError) -> TransferDaemon.EncodedPage<TransferDaemon.Summary> {
        let list = Wire.ListTasks(after: last.map { Int64($0) }, limit: limit, summarizes: true)
        return .init(try await call(list))
    }

    func transfer(
        _ id: TransferDaemon.Transfer.ID
    ) async throws(TransferDaemonError) -> TransferDaemon.Transfer {
        TransferDaemon.Transfer(try await call(Wire.GetTask(id: Int64(id))).task)
    }

    func endedTransfers(
        _ query: TransferDaemon.EndedQuery,
        limit: Int?
    ) async throws(TransferDaemonError) -> [TransferDaemon.EndedTransfer] {
        var call = Wire.ListEndedTasks(
            ids: query.ids.map { $0.sorted().map { Int64($0) } },
            application: query.application,
            session: query.session,
            limit: limit
        )
        var transfers: [TransferDaemon.EndedTransfer] = []
        repeat {
            let reply = try await self.call(call)
            transfers += reply.tasks.map { TransferDaemon.EndedTransfer($0) }
            call.after = reply.next
            call.limit = limit.map { $0 - transfers.count }
        } while call.after != nil && call.limit ?? 1 > 0
            && transfers.count < query.ids?.count ?? .max
        return transfers
    }

    func changes(of ids: Set<TransferDaemon.Transfer.ID>?) -> TransferDaemon.ChangeStream {
        TransferDaemon.ChangeFeed(self, ids).stream
    }

    func pause(_ id: TransferDaemon.Transfer.ID) async throws(TransferDaemonError) {
        _ = try await call(Wire.PauseTask(id: Int64(id)))
    }

    func resume(
        _ id: TransferDaemon.Transfer.ID,
        ignoringConditions: Bool
    ) async throws(TransferDaemonError) {
        _ = try await call(Wire.ResumeTask(id: Int64(id), now: ignoringConditions ? true : nil))
    }

    func cancel(_ id: TransferDaemon.Transfer.ID) async throws(TransferDaemonError) {
        // A transfer that is gone when the call is repeated was cancelled by the call before.
        _ = try await call(Wire.CancelTask(id: Int64(id))) { refusal in
            if case .taskNotFound = refusal { true } else { false }
        }
    }

    func relink(
        _ id: TransferDaemon.Transfer.ID,
        to url: String
    ) async throws(TransferDaemonError) {
        _ = try await call(Wire.RelinkTask(id: Int64(id), url: url))
    }

    func setPriority(
        _ priority: Double,
        of id: TransferDaemon.Transfer.ID
    ) async throws(TransferDaemonError) {
        _ = try await call(Wire.SetTaskPriority(id: Int64(id), priority: priority))
    }

    func setRates(
        _ rates: TransferDaemon.Rates,
        of id: TransferDaemon.Transfer.ID?
    ) async throws(TransferDaemonError) {
        let (receive, send) = (rates.receive, rates.send)
        if let id {
            _ = try await call(
                Wire.SetTaskRates(id: Int64(id), receiveRate: receive, sendRate: send)
            )
        } else {
            _ = try await call(Wire.SetRates(receiveRate: receive, sendRate: send))
        }
    }

    func timetable() async throws(TransferDaemonError) -> TransferDaemon.Timetable {
        TransferDaemon.Timetable(try await call(Wire.GetTimetable()).timetable)
    }

    func changeTimetable(
        adding rule: String?,
        removing oldRule: String?
    ) async throws(TransferDaemonError) -> TransferDaemon.Timetable {
        // By its number, a repeated call would remove the rule behind it.
        let oldRule = try await text(ofRule: oldRule)
        let change = Wire.ChangeTimetable(add: rule, remove: oldRule)
        let reply = try await call(change) { refusal in
            if case .invalidRequest(parameter: "remove", _) = refusal { true } else { false }
        }
        if let reply { return TransferDaemon.Timetable(reply.timetable) }
        // The daemon that died has removed the old rule; a rule that is there already is not added again.
        guard let rule else { return try await timetable() }
        return TransferDaemon.Timetable(try await call(Wire.ChangeTimetable(add: rule)).timetable)
    }

    /// Returns the text of a rule that may be given by its number; what is neither is left to the daemon.
    private func text(ofRule rule: String?) async throws(TransferDaemonError) -> String? {
        guard let rule, let number = Int(rule) else { return rule }
        let rules = try await call(Wire.GetTimetable()).timetable.rules
        return rules.first { $0.number == number }?.rule ?? rule
    }

    func settings() async throws(TransferDaemonError) -> TransferDaemon.Settings {
        TransferDaemon.Settings(try await call(Wire.GetSettings()).settings)
    }

    func reload() async throws(TransferDaemonError) -> TransferDaemon.Settings? {
        guard case .answered(let reply) = try await callIfRunning(Wire.Reload()) else { return nil }
        return TransferDaemon.Settings(reply.settings)
    }

    func hooks() async throws(TransferDaemonError) -> [TransferDaemon.Hook] {
        try await call(Wire.ListHooks()).hooks.map { TransferDaemon.Hook($0) }
    }

    func removeHook(of application: String) async throws(TransferDaemonError) {
        _ = try await call(Wire.RemoveHook(application: application)) { refusal in
            if case .applicationNotFound = refusal { true } else { false }
        }
    }

    func quit(_ application: String) async throws(TransferDaemonError) -> Int {
        // Of a call that is repeated, the daemon that died may have cancelled some transfers, and is not there to say how
        // many.
        let reply = try await call(Wire.QuitApplication(application: application)) { refusal in
            if case .applicationNotFound = refusal { true } else { false }
        }
        return reply?.cancelled ?? 0
    }

    func status() async throws(TransferDaemonError) -> TransferDaemon.Status? {
        let outcome = try await callIfRunning(Wire.GetStatus(), limit: Self.limit)
        guard case .answered(let reply) = outcome else { return nil }
        return TransferDaemon.Status(reply.status)
    }

    func stop() async throws(TransferDaemonError) -> Bool {
        // Its queue is free when its process has ended, which is after the reply.
        let end = locations.daemon.flatMap { try? ProcessEnd(of: $0) }
        switch try await callIfRunning(Wire.Stop(), limit: Self.limit) {
        case .notRunning: return false
        case .answered, .ended: break
        }
        if let end { try await wait(for: end) }
        return true
    }
}
