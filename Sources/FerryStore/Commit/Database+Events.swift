import FoundationEssentials

extension Database {
    /// Adds events of a task to its session's log and returns their sequence numbers.
    func append(
        _ events: [NewEvent],
        of task: Int64,
        session: Int64,
        at now: Date
    ) throws(StoreError) -> [Int64] {
        let next = try connection.first("SELECT next_sequence FROM sessions WHERE id = ?", session)
        {
            $0.integer()
        }
        guard let next else { throw .missing("session \(session)") }
        let (end, isBeyond) = next.addingReportingOverflow(Int64(events.count))
        guard !isBeyond else {
            throw connection.failure(.corrupt, because: "session \(session) is at event \(next)")
        }
        let sequences = Array(next..<end)
        for (sequence, event) in zip(sequences, events) {
            try connection.run(
                """
                INSERT OR FAIL INTO events
                    (session_id, sequence, task_id, kind, payload, created_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                session,
                sequence,
                task,
                event.kind,
                event.payload,
                now
            )
        }
        return sequences
    }

    /// Deletes an event, and remembers where the application has put the file of its task.
    ///
    /// - Returns: The task that was deleted with its last event.
    func acknowledge(
        _ session: Int64,
        _ sequence: Int64,
        path: String?
    ) throws(StoreError) -> Int64? {
        let task = try connection.first(
            "SELECT task_id FROM events WHERE session_id = ? AND sequence = ?",
            session,
            sequence
        ) { $0.integer() }
        guard let task else { return nil }
        if let path { try remember(path: path, of: task) }
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
