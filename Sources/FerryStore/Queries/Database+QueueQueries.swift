import FoundationEssentials

// `INDEXED BY` is needed because SQLite, without statistics, considers the index of states as good as those
// of the queue, and then sorts a hundred thousand rows. A query that its index cannot serve fails to compile,
// and every test fails with it.
extension Database {
    /// Makes a limited number of tasks ready whose `notBefore` has passed.
    ///
    /// The change is not worth an fsync: the next process would repeat it.
    ///
    /// - Returns: Whether no such tasks are left.
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

    /// Returns the earliest `notBefore` of all waiting tasks, or `nil`.
    func earliestNotBefore() throws(StoreError) -> Date? {
        try connection.first(
            """
            SELECT not_before FROM tasks INDEXED BY tasks_delayed
            WHERE state = 1 AND not_before IS NOT NULL
            ORDER BY not_before LIMIT 1
            """
        ) { $0.date() }
    }

    /// Returns a session's events, by sequence number.
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
