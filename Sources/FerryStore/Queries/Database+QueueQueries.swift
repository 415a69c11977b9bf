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
