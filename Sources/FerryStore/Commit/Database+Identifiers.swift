extension Database {
    private static let findUnused = Statement(
        """
        SELECT first, last FROM unused_identifiers WHERE session_id = ? AND first <= ?
        ORDER BY first DESC LIMIT 1
        """
    )
    private static let deleteUnused = Statement(
        "DELETE FROM unused_identifiers WHERE session_id = ? AND first = ?"
    )
    private static let insertUnused = Statement(
        "INSERT INTO unused_identifiers (session_id, first, last) VALUES (?, ?, ?)"
    )

    /// Claims an identifier for a new task of a session.
    ///
    /// All identifiers below the session's next one are used, except those that were skipped.
    ///
    /// - Returns: Whether no task of the session has, or has had, the identifier.
    func claim(
        _ identifier: Int,
        in session: SessionID,
        next: Int64
    ) throws(StoreError) -> Bool {
        let identifier = Int64(identifier)
        guard identifier < next else {
            try recordUnused(next, identifier, in: session)
            return true
        }
        let gap = try connection.first(Self.findUnused, session, identifier) {
            (first: $0.integer(), last: $0.integer())
        }
        guard let gap, identifier <= gap.last else { return false }
        try connection.run(Self.deleteUnused, session, gap.first)
        try recordUnused(gap.first, identifier, in: session)
        // The file may contain any number, even above the next identifier.
        try recordUnused(identifier + 1, min(gap.last, next - 1) + 1, in: session)
        return true
    }

    /// Records that no task has had the identifiers from one up to, but not including, another.
    private func recordUnused(
        _ first: Int64,
        _ end: Int64,
        in session: SessionID
    ) throws(StoreError) {
        guard first < end else { return }
        try connection.run(Self.insertUnused, session, first, end - 1)
    }
}
