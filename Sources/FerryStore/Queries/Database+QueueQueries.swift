import FoundationEssentials

// `INDEXED BY` is needed because SQLite, without statistics, considers the index of states as good as those
// of the queue, and then sorts a hundred thousand rows. A query that its index cannot serve fails to compile,
// and every test fails with it.
extension Database {
    /// The number of tasks that are made ready at once.
    private static let releaseLimit = 256

    private static let findEarliest = Statement(
        """
        SELECT not_before FROM tasks INDEXED BY tasks_delayed
        WHERE state = 1 AND not_before IS NOT NULL
        ORDER BY not_before LIMIT 1
        """
    )
    private static let eventsOfSession = Statement(
        """
        SELECT end_sequence, id, end_event, end_path
        FROM tasks INDEXED BY tasks_ended JOIN task_details ON task_id = tasks.id
        WHERE session_id = ? AND end_sequence > ? ORDER BY end_sequence LIMIT ?
        """
    )

    /// Makes a limited number of tasks ready whose `notBefore` has passed.
    ///
    /// The change is not worth an fsync: the next process would repeat it.
    ///
    /// - Returns: Whether no such tasks are left.
    func releaseElapsed(at now: Date) throws(StoreError) -> Bool {
        guard let earliest = try earliestNotBefore(), earliest <= now else { return true }
        try setDurability(.relaxed)
        do throws(StoreError) {
            try begin()
            let elapsed = try standingsOfElapsed(at: now, limit: Self.releaseLimit)
            for standing in elapsed { try replace(standing) { $0.notBefore = nil } }
            try commit()
            return elapsed.count < Self.releaseLimit
        } catch {
            rollBack()
            throw error
        }
    }

    /// Returns the earliest `notBefore` of all waiting tasks, or `nil`.
    func earliestNotBefore() throws(StoreError) -> Date? {
        try connection.first(Self.findEarliest) { $0.date() }
    }

    /// Returns the events that report the ends of a session's tasks, by sequence number.
    func events(
        session: SessionID,
        after sequence: Int64,
        limit: Int
    ) throws(StoreError) -> [EventRecord] {
        try connection.rows(Self.eventsOfSession, session, sequence, limit) { row in
            EventRecord(
                sequence: row.integer(),
                taskID: row.id(),
                event: row.encoded(),
                path: row.optionalText()
            )
        }
    }
}
