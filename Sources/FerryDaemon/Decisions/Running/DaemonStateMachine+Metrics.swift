import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A request of a transfer has ended.
    mutating func collected(task id: Int64, _ transaction: LoadTransaction) -> [Effect] {
        guard let task = running[id],
            sessions[task.record.sessionID]?.configuration.collectsMetrics == true
        else { return [] }
        running.update(id) { $0.collect(transaction) }
        return []
    }

    /// Returns the metrics of a task; `nil` if its application does not collect them.
    ///
    /// Earlier attempts are not included.
    func metrics(
        of record: TaskRecord,
        _ task: RunningTask?,
        at now: Date
    ) -> Wire.TaskMetrics? {
        guard sessions[record.sessionID]?.configuration.collectsMetrics == true else { return nil }
        let all = task?.transactions ?? []
        let redirectCount = all.count { ($0.response?.isRedirect ?? false) }
        return Wire.TaskMetrics(
            started: clock.wall(at: record.createdAt),
            ended: clock.wall(at: max(now, record.createdAt)),
            redirectCount: all.last?.response?.isRedirect == true
                ? redirectCount - 1 : redirectCount,
            transactions: all.enumerated().map { index, transaction in
                Wire.Transaction(transaction, isLast: index == all.count - 1)
            }
        )
    }
}

extension HTTPResponseHead {
    /// Whether the response is a redirect, which another request has followed unless it was the final response.
    fileprivate var isRedirect: Bool {
        (300..<400).contains(status) && fields.first(named: "Location") != nil
    }
}
