import FerryStore
import FoundationEssentials

extension DaemonStateMachine {
    /// Lends a download a further connection, where there is more than one to spare.
    mutating func lendConnection(task: Int64, session: Int64, host: String) -> Bool {
        let limit = sessionLimit(session)
        guard !isStopping, budget.canLend(session: session, host: host, sessionLimit: limit) else {
            return false
        }
        budget.take(session: session, of: sessions[session]?.applicationID ?? 0, host: host)
        running[task]?.lentConnections.lend(to: host)
        return true
    }

    /// Takes back a connection that was lent.
    ///
    /// - Returns: Whether a task may have waited for it, so that the owner is to look for one.
    mutating func takeBackConnection(task: Int64, session: Int64, host: String) -> Bool {
        let isAwaited = budget.isFull(
            session: session,
            host: host,
            sessionLimit: sessionLimit(session)
        )
        budget.give(session: session, host: host)
        running[task]?.lentConnections.takeBack(from: host)
        // A host that fails is asked by one connection, and that may have been this one.
        return isAwaited || breaker.hasFailed(host)
    }

    // MARK: Asking for them back

    /// How many places each application has, of all or of a host's, without the connections that are on their way back.
    func placesToKeep(host: String?, at now: Date) -> [Int64: Int] {
        var places = budget.places(host: host)
        for task in running.values where !isSilent(task, at: now) {
            places[application(of: task.record)]? -= task.lentConnections.recalledCount
        }
        return places
    }

    /// Whether a transfer was asked for connections and gives none back: it cannot, and is asked no more.
    private func isSilent(_ task: RunningTask, at now: Date) -> Bool {
        task.lentConnections.recalledAt.map { $0 + policy.shareReviewInterval <= now } ?? false
    }

    /// Asks an application for a connection back that it was lent, if one has more than so many places.
    ///
    /// It is the richest such application, and the transfer of it that has been lent most.
    mutating func recallConnection(
        to host: String?,
        ifMoreThan count: Int,
        at now: Date
    ) -> [Effect]? {
        let places = placesToKeep(host: host, at: now)
        func rank(_ task: RunningTask) -> (Int, Int, Int64) {
            let own = places[application(of: task.record)] ?? 0
            return (own, task.lentConnections.count(to: host), task.record.id)
        }
        let lenders = running.values.filter { task in
            task.phase == .loading && !isSilent(task, at: now)
                && task.lentConnections.count(to: host) > task.lentConnections.recalledCount
                && places[application(of: task.record)] ?? 0 > count
        }
        guard let id = lenders.max(by: { rank($0) < rank($1) })?.record.id else { return nil }
        running[id]?.lentConnections.recall(at: now)
        return [.recallConnection(task: id, host: host)]
    }
}

extension DaemonStateMachine {
    /// The connections that a transfer was lent beside its first one.
    struct LentConnections: Hashable, Sendable {
        private var counts: [String: Int] = [:]
        /// For how many it was asked.
        private(set) var recalledCount = 0
        /// When it was asked for the first of them.
        private(set) var recalledAt: Date?

        /// How many there are to all hosts, or to one.
        func count(to host: String?) -> Int {
            host.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
        }

        mutating func lend(to host: String) { counts[host, default: 0] += 1 }

        /// Notes one that is back; it may be one that the task was lent in an earlier attempt.
        mutating func takeBack(from host: String) {
            guard let count = counts[host] else { return }
            counts[host] = count > 1 ? count - 1 : nil
            recalledCount = max(0, recalledCount - 1)
            if recalledCount == 0 { recalledAt = nil }
        }

        mutating func recall(at now: Date) {
            recalledCount += 1
            recalledAt = recalledAt ?? now
        }
    }
}
