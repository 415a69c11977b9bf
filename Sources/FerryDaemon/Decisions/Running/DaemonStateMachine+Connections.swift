import FerryStore
import FoundationEssentials

extension DaemonStateMachine {
    /// Lends a download another connection, if more than one is free.
    mutating func lendConnection(task: TaskID, session: SessionID, host: String) -> Bool {
        let limit = sessionLimit(session)
        guard !isStopping, running.budget.canLend(session: session, host: host, sessionLimit: limit)
        else {
            return false
        }
        let application = sessions[session]?.applicationID ?? 0
        running.lend(to: host, for: task, session: session, of: application)
        // It can be revoked at once.
        shares.recordEarlierReview()
        return true
    }

    /// Takes back a connection that was lent.
    ///
    /// - Returns: Whether a task may have waited for it, so that the owner must search for one.
    mutating func takeBackConnection(task: TaskID, session: SessionID, host: String) -> Bool {
        let isAwaited = running.budget.isFull(
            session: session,
            host: host,
            sessionLimit: sessionLimit(session)
        )
        running.takeBack(from: host, for: task, session: session)
        // A failing host is asked over one connection, and that may have been this one.
        return isAwaited || breaker.hasFailed(host)
    }

    // MARK: Revoking connections

    /// Returns how many slots each application has, in total or for a host, without the connections being revoked.
    func slotsToKeep(host: String?, at now: Date) -> [ApplicationID: Int] {
        var slots = running.budget.slots(host: host)
        for task in running.values where !isSilent(task, at: now) {
            slots[application(of: task.record)]? -= task.lentConnections.revokedCount
        }
        return slots
    }

    /// Returns whether a transfer has not returned revoked connections in time: it cannot, and is not asked again.
    private func isSilent(_ task: RunningTask, at now: Date) -> Bool {
        task.lentConnections.revokedAt.map { $0 + policy.shareReviewInterval <= now } ?? false
    }

    /// Revokes a lent connection from an application with more than `count` slots, if there is one.
    ///
    /// The application with the most slots is chosen, and its transfer with the most lent connections.
    ///
    /// - Returns: Whether there is one.
    mutating func revokeConnection(to host: String?, ifMoreThan count: Int) -> Bool {
        let slots = slotsToKeep(host: host, at: now)
        func rank(_ task: RunningTask) -> (Int, Int, TaskID) {
            let own = slots[application(of: task.record)] ?? 0
            return (own, task.lentConnections.count(to: host), task.record.id)
        }
        let lenders = running.values.filter { task in
            task.phase == .loading && !isSilent(task, at: now)
                && task.lentConnections.count(to: host) > task.lentConnections.revokedCount
                && slots[application(of: task.record)] ?? 0 > count
        }
        guard let id = lenders.max(by: { rank($0) < rank($1) })?.record.id else { return false }
        running.update(id) { [now] in $0.lentConnections.revoke(at: now) }
        turn.add(.revokeConnection(task: id, host: host))
        return true
    }
}

extension DaemonStateMachine {
    /// The connections that a transfer was lent beyond its first one.
    struct LentConnections: Hashable, Sendable {
        private var counts: [String: Int] = [:]
        /// The number of connections being revoked.
        private(set) var revokedCount = 0
        /// When the first of them was revoked.
        private(set) var revokedAt: Date?

        /// Returns the number of connections to all hosts, or to one.
        func count(to host: String?) -> Int {
            host.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
        }

        mutating func lend(to host: String) { counts[host, default: 0] += 1 }

        /// Records a returned connection, which may have been lent in an earlier attempt.
        mutating func takeBack(from host: String) {
            guard let count = counts[host] else { return }
            counts[host] = count > 1 ? count - 1 : nil
            revokedCount = max(0, revokedCount - 1)
            if revokedCount == 0 { revokedAt = nil }
        }

        mutating func revoke(at now: Date) {
            revokedCount += 1
            revokedAt = revokedAt ?? now
        }
    }
}
