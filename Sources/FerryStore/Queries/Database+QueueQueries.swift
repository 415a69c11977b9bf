import FoundationEssentials

// `INDEXED BY` because SQLite, without statistics, holds the index of states to be as good as
// those of the queue, and then sorts a hundred thousand rows. A query whose index cannot serve
// it fails to compile, and with it every test.
extension Database {
    /// Makes tasks ready whose `notBefore` has passed, a limited number of them.
    ///
    /// What it writes is not worth an fsync: the next process would do the same again.
    ///
    /// - Returns: Whether there are no others.
    func releaseElapsed(at now: Date) throws(StoreError) -> Bool {
        guard let earliest = try earliestNotBefore(), earliest <= now else { return true }
        let limit = 256
        try setDurability(.relaxed)
        do throws(StoreError) {
            try begin()
            let released = try connection.run(
                """
                UPDATE tasks SET not_before = NULL WHERE id IN (
                    SELECT id FROM tasks INDEXED BY tasks_delayed
                    WHERE state = 1 AND not_before <= ? ORDER BY not_before LIMIT ?)
                """,
                now,
                limit
            )
            try commit()
            return released < limit
        } catch {
            rollBack()
            throw error
        }
    }

    /// The earliest `notBefore` of all tasks that wait, or `nil`.
    func earliestNotBefore() throws(StoreError) -> Date? {
        try connection.first(
            """
            SELECT not_before FROM tasks INDEXED BY tasks_delayed
            WHERE state = 1 AND not_before IS NOT NULL
            ORDER BY not_before LIMIT 1
            """
        ) { $0.date() }
    }

    /// The ready tasks of a host, by priority, then by number.
    func nextTasks(
        host: String,
        excludingSessions: Set<Int64>,
        excludingTasks: Set<Int64>,
        limit: Int
    ) throws(StoreError) -> [TaskRecord] {
        var candidates: [Candidate] = []
        for session in try readySessions(host: host) where !excludingSessions.contains(session) {
            // Of the first so many of each session, enough are left in any case.
            let first = try firstCandidates(
                host: host,
                session: session,
                limit: limit + excludingTasks.count
            )
            candidates += first.filter { !excludingTasks.contains($0.id) }
        }
        return try tasks(ids: candidates.sorted().prefix(limit).map(\.id))
    }

    /// The hosts with waiting tasks, by name.
    func hostQueues(
        after host: String?,
        onlyReady: Bool,
        limit: Int
    ) throws(StoreError) -> [HostQueue] {
        var queues: [HostQueue] = []
        for host in try hosts(after: host ?? "", onlyReady: onlyReady, limit: limit) {
            guard let queue = try hostQueue(host) else { continue }
            queues.append(queue)
        }
        return queues
    }

    /// A host's queue, or `nil` when no task waits for it.
    private func hostQueue(_ host: String) throws(StoreError) -> HostQueue? {
        let counts = try connection.first(
            """
            SELECT total(waiting_count), total(ready_count) FROM host_queues WHERE host = ?
            """,
            host
        ) { (waiting: $0.integer(), ready: $0.integer()) }
        guard let counts, counts.waiting > 0 else { return nil }
        let earliest = try connection.first(
            """
            SELECT not_before FROM tasks INDEXED BY tasks_delayed_of_host
            WHERE host = ? AND state = 1 AND not_before IS NOT NULL
            ORDER BY not_before LIMIT 1
            """,
            host
        ) { $0.date() }
        return HostQueue(
            host: host,
            waitingCount: Int(counts.waiting),
            readyCount: Int(counts.ready),
            earliestNotBefore: earliest
        )
    }

    /// A session's events, by sequence number.
    func events(
        session: Int64,
        after sequence: Int64,
        limit: Int
    ) throws(StoreError) -> [EventRecord] {
        try connection.rows(
            """
            SELECT events.session_id, sequence, task_id, identifier, kind, payload,
                events.created_at
            FROM events JOIN tasks ON tasks.id = events.task_id
            WHERE events.session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?
            """,
            session,
            sequence,
            limit
        ) { row in
            EventRecord(
                sessionID: row.integer(),
                sequence: row.integer(),
                taskID: row.integer(),
                taskIdentifier: Int(row.integer()),
                kind: Int(row.integer()),
                payload: row.bytes(),
                createdAt: row.date()
            )
        }
    }
}

// MARK: - Parts

/// A task that may be the next one of its host.
private struct Candidate: Comparable {
    var id: Int64
    var priority: Double

    static func < (first: Candidate, second: Candidate) -> Bool {
        first.priority == second.priority
            ? first.id < second.id : first.priority > second.priority
    }
}

extension Database {
    private func readySessions(host: String) throws(StoreError) -> [Int64] {
        try connection.rows(
            "SELECT session_id FROM host_queues WHERE host = ? AND ready_count > 0",
            host
        ) { $0.integer() }
    }

    private func firstCandidates(
        host: String,
        session: Int64,
        limit: Int
    ) throws(StoreError) -> [Candidate] {
        try connection.rows(
            """
            SELECT id, priority FROM tasks INDEXED BY tasks_ready
            WHERE host = ? AND session_id = ? AND state = 1 AND not_before IS NULL
            ORDER BY priority DESC, id LIMIT ?
            """,
            host,
            session,
            limit
        ) { Candidate(id: $0.integer(), priority: $0.double()) }
    }

    private func hosts(
        after host: String,
        onlyReady: Bool,
        limit: Int
    ) throws(StoreError) -> [String] {
        let condition = onlyReady ? "AND ready_count > 0" : ""
        return try connection.rows(
            """
            SELECT DISTINCT host FROM host_queues WHERE host > ? \(condition)
            ORDER BY host LIMIT ?
            """,
            host,
            limit
        ) { $0.text() }
    }
}
