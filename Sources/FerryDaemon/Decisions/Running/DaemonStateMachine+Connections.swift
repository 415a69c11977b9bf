import FerryStore
import FoundationEssentials

extension DaemonStateMachine {
    /// Lends a download another connection, if more than one is free.
    mutating func lendConnection(task: Int64, session: Int64, host: String) -> Bool {
        let limit = sessionLimit(session)
        guard !isStopping, running.budget.canLend(session: session, host: host, sessionLimit: limit)
        else {
            return false
        }
        let application = sessions[session]?.applicationID ?? 0
        running.lend(to: host, for: task, session: session, of: application)
        // It can be recalled at once.
        shares.recordEarlierReview()
        return true
    }

    /// Takes back a connection that was lent.
    ///
    /// - Returns: Whether a task may have waited for it, so that the owner must search for one.
    mutating func takeBackConnection(task: Int64, session: Int64, host: String) -> Bool {
        let isAwaited = running.budget.isFull(
            session: session,
            host: host,
            sessionLimit: sessionLimit(session)
        )
        running.takeBack(from: host, for: task, session: session)
        // A failing host is asked over one connection, and that may have been this one.
        return isAwaited || breaker.hasFailed(host)
    }

    // MARK: Recalling connections

    /// Returns how many places each application has, in total or for a host, without the connections being recalled.
    func placesToKeep(host: String?, at now: Date) -> [Int64: Int] {
        var places = running.budget.places(host: host)
        for task in running.values where !isSilent(task, at: now) {
            places[application(of: task.record)]? -= task.lentConnections.recalledCount
        }
        return places
    }

    /// Returns whether a transfer has not returned recalled connections in time: it cannot, and is not asked again.
    private func isSilent(_ task: RunningTask, at now: Date) -> Bool {
        task.lentConnections.recalledAt.map { $0 + policy.shareReviewInterval <= now } ?? false
    }

    /// Recalls a lent connection from an application with more than `count` places, if there is one.
    ///
    /// The application with the most places is chosen, and its transfer with the most lent connections.
    ///
    /// - Returns: Whether there is one.
    mutating func recallConnection(to host: String?, ifMoreThan count: Int) -> Bool {
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
        guard let id = lenders.max(by: { rank($0) < rank($1) })?.record.id else { return false }
        running.update(id) { [now] in $0.lentConnections.recall(at: now) }
        turn.add(.recallConnection(task: id, host: host))
        return true
    }
}

extension DaemonStateMachine {
    /// The connections that a transfer was lent beyond its first one.
    struct LentConnections: Hashable, Sendable {
        private var counts: [String: Int] = [:]
        /// The number of connections being recalled.
        private(set) var recalledCount = 0
        /// When the first of them was recalled.
        private(set) var recalledAt: Date?

        /// Returns the number of connections to all hosts, or to one.
        func count(to host: String?) -> Int {
            host.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
        }

        mutating func lend(to host: String) { counts[host, default: 0] += 1 }

        /// Records a returned connection, which may have been lent in an earlier attempt.
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
