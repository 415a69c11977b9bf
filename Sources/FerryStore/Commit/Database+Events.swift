import FoundationEssentials

extension Database {
    /// Adds an event of a task to its session's log and returns its sequence number.
    func appendEvent(
        _ task: Int64,
        _ kind: Int,
        _ payload: [UInt8],
        _ createdAt: Date
    ) throws(StoreError) -> Int64 {
        let place = try connection.first(
            """
            SELECT session_id, next_sequence
            FROM tasks JOIN sessions ON sessions.id = tasks.session_id WHERE tasks.id = ?
            """,
            task
        ) { (session: $0.integer(), sequence: $0.integer()) }
        guard let place else { throw .missing("task \(task)") }
        try connection.run(
            """
            INSERT INTO events (session_id, sequence, task_id, kind, payload, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            place.session,
            place.sequence,
            task,
            kind,
            payload,
            createdAt
        )
        return place.sequence
    }

    /// Deletes an event.
    ///
    /// - Returns: The task that was deleted with its last event.
    func acknowledge(_ session: Int64, _ sequence: Int64) throws(StoreError) -> Int64? {
        let task = try connection.first(
            "SELECT task_id FROM events WHERE session_id = ? AND sequence = ?",
            session,
            sequence
        ) { $0.integer() }
        guard let task else { return nil }
        try connection.run(
            "DELETE FROM events WHERE session_id = ? AND sequence = ?",
            session,
            sequence
        )
        let removed = try connection.run(
            """
            DELETE FROM tasks WHERE id = ?1 AND state = 2
            AND NOT EXISTS (SELECT 1 FROM events WHERE task_id = ?1)
            """,
            task
        )
        return removed == 1 ? task : nil
    }
}
