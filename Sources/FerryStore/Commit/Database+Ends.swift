extension Database {
    private static let end = Statement(
        """
        UPDATE tasks SET state = 2, not_before = NULL, deadline = NULL, time_left = NULL,
            received_byte_count = ?, expected_byte_count = ?, end_sequence = ?
        WHERE id = ?
        """
    )
    private static let setEvent = Statement(
        "UPDATE task_details SET end_event = ?, end_path = ? WHERE task_id = ?"
    )
    private static let findEnded = Statement(
        """
        SELECT \(standingColumns) FROM tasks INDEXED BY tasks_ended
        WHERE session_id = ? AND end_sequence = ?
        """
    )

    /// Ends a task with the event that reports it, unless it has ended already.
    func complete(_ key: TaskKey, _ end: NewEnd) throws(StoreError) -> (TaskChange, Int64)? {
        let old = try standing(key)
        guard old.state != .completed else { return nil }
        let sequence = try counters(ofSession: old.session).nextSequence
        guard sequence < .max else {
            let reason = "session \(old.session) is at event \(sequence)"
            throw connection.failure(.corrupt, because: reason)
        }
        try connection.run(
            Self.end,
            end.receivedByteCount,
            end.expectedByteCount,
            sequence,
            old.id
        )
        try connection.run(Self.setEvent, end.event, end.path, old.id)
        try count(inSession: old.session) { $0.nextSequence = sequence + 1 }
        var new = old
        new.state = .completed
        new.deadline = nil
        try count(old, new)
        if let record = end.memory { try remember(record, of: old.id) }
        return (TaskChange(from: old, to: new), sequence)
    }

    /// Deletes the task whose end an event reports, and remembers where the application has put its file.
    ///
    /// - Returns: The task; `nil` if no event has the number.
    func acknowledge(
        _ session: SessionID,
        _ sequence: Int64,
        path: String?
    ) throws(StoreError) -> TaskID? {
        let found = try connection.first(Self.findEnded, session, sequence, reading: standing)
        guard let found else { return nil }
        if let path { try remember(path: path, of: found.id) }
        try delete(found)
        return found.id
    }
}
