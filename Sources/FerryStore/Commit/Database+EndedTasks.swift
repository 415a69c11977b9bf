/// What is remembered of tasks that have ended.
extension Database {
    /// The number of ends after which the oldest are forgotten, in one go.
    private static let forgettingInterval: Int64 = 64

    /// Ends a statement that changes the row of a task: of several, that of the task that ended last.
    private static let atNewestOfTask = """
        WHERE number =
        (SELECT number FROM ended_tasks WHERE number > 0 AND task_id = ? ORDER BY number DESC LIMIT 1)
        """
    private static let rememberPath = "UPDATE ended_tasks SET path = ? \(atNewestOfTask)"
    private static let discard = "UPDATE ended_tasks SET is_discarded = 1 \(atNewestOfTask)"

    /// Remembers a task that ends, and forgets the oldest beyond the limit.
    func remember(_ record: [UInt8], of task: Int64) throws(StoreError) {
        try connection.run(
            "INSERT INTO ended_tasks (task_id, record) VALUES (?, ?)",
            task,
            record
        )
        let number = connection.lastInsertedRow
        guard number % Self.forgettingInterval == 0 else { return }
        try connection.run(
            "DELETE FROM ended_tasks WHERE number <= ?",
            number &- Int64(Store.endedTaskCount)
        )
    }

    /// Remembers where the application has put a task's file.
    func remember(path: String, of task: Int64) throws(StoreError) {
        try connection.run(Self.rememberPath, path, task)
    }

    /// Deletes a task, and remembers that its file is deleted with it.
    func discard(_ task: Int64) throws(StoreError) {
        try connection.run("DELETE FROM tasks WHERE id = ?", task)
        try connection.run(Self.discard, task)
    }

    /// Returns the tasks that have ended and are gone, the last one first.
    func endedTasks(limit: Int) throws(StoreError) -> [EndedTaskRecord] {
        try connection.rows(
            """
            SELECT task_id, record, path, is_discarded FROM ended_tasks
            WHERE number > 0 AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.id = task_id)
            ORDER BY number DESC LIMIT ?
            """,
            limit
        ) { row in
            EndedTaskRecord(
                id: row.integer(),
                record: row.bytes(),
                path: row.optionalText(),
                isDiscarded: row.integer() != 0
            )
        }
    }
}
