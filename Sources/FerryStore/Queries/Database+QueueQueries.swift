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

    /// The tasks that may start: goes round the hosts that have some, behind the one that was
    /// served last.
    func candidates(_ search: CandidateSearch) throws(StoreError) -> Candidates {
        // All statements see one state, and the log's lock is taken once.
        try beginReading()
        defer { rollBack() }
        var tasks = try candidates(search, after: search.lastHost ?? "", through: nil)
        if let last = search.lastHost, tasks.count < search.limit {
            tasks += try candidates(search, after: "", through: last, foundCount: tasks.count)
        }
        return Candidates(tasks: tasks, earliestNotBefore: try earliestNotBefore())
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
    private static let hostPageSize = 100

    /// The candidates of the hosts behind one, up to another.
    private func candidates(
        _ search: CandidateSearch,
        after first: String,
        through last: String?,
        foundCount: Int = 0
    ) throws(StoreError) -> [TaskRecord] {
        var found: [TaskRecord] = []
        var page = [first]
        while let cursor = page.last {
            page = try readyHosts(after: cursor)
            for host in page where !search.saturatedHosts.contains(host) {
                if let last, host > last { return found }
                let room = search.limit - foundCount - found.count
                guard room > 0 else { return found }
                found += try nextTasks(host, search, limit: min(search.limitPerHost, room))
            }
            if page.count < Self.hostPageSize { break }
        }
        return found
    }

    /// The ready tasks of a host, by priority, then by number.
    private func nextTasks(
        _ host: String,
        _ search: CandidateSearch,
        limit: Int
    ) throws(StoreError) -> [TaskRecord] {
        let excluded = search.saturatedSessions[host] ?? []
        var candidates: [Candidate] = []
        for session in try readySessions(host: host) where !excluded.contains(session) {
            // Of the first so many of each session, enough are left in any case.
            let first = try firstCandidates(
                host: host,
                session: session,
                limit: limit + search.runningTasks.count
            )
            candidates += first.filter { !search.runningTasks.contains($0.id) }
        }
        return try tasks(ids: candidates.sorted().prefix(limit).map(\.id))
    }

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

    private func readyHosts(after host: String) throws(StoreError) -> [String] {
        try connection.rows(
            """
            SELECT DISTINCT host FROM host_queues WHERE host > ? AND ready_count > 0
            ORDER BY host LIMIT ?
            """,
            host,
            Self.hostPageSize
        ) { $0.text() }
    }
}
