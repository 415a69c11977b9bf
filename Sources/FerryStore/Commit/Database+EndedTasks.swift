import FerryWire
import FoundationEssentials

/// What is remembered of tasks that have ended.
extension Database {
    /// The number of ends after which the oldest are forgotten, in one go.
    private static let forgettingInterval: Int64 = 64

    /// Ends a statement that changes the row of a task: of several, that of the task that ended last.
    private static let atNewestOfTask = """
        WHERE number =
        (SELECT number FROM ended_tasks WHERE number > 0 AND task_id = ? ORDER BY number DESC LIMIT 1)
        """
    private static let rememberPath = Statement(
        "UPDATE ended_tasks SET path = ? \(atNewestOfTask)"
    )
    private static let discard = Statement(
        "UPDATE ended_tasks SET is_discarded = 1 \(atNewestOfTask)"
    )
    private static let remember = Statement(
        "INSERT INTO ended_tasks (task_id, record) VALUES (?, ?)"
    )
    private static let forget = Statement("DELETE FROM ended_tasks WHERE number <= ?")
    private static let oldest = Statement(
        "SELECT number, record FROM ended_tasks WHERE number > 0 ORDER BY number LIMIT ?"
    )
    private static let newest = Statement(
        """
        SELECT number, task_id, record, path, is_discarded FROM ended_tasks
        WHERE number > 0 AND number < ? AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.id = task_id)
        ORDER BY number DESC LIMIT ?
        """
    )

    /// Remembers a task that ends, and forgets the oldest beyond the limit.
    func remember(_ record: Encoded<Wire.EndedTask>, of task: TaskID) throws(StoreError) {
        try connection.run(Self.remember, task, record)
        let number = connection.lastInsertedRow
        guard number % Self.forgettingInterval == 0 else { return }
        try connection.run(Self.forget, number &- Int64(history.count))
        guard let time = history.time, let ended = record.value?.ended else { return }
        // More than have ended since the last time, so that the old ones get fewer.
        let rows = try connection.rows(Self.oldest, 2 * Int(Self.forgettingInterval)) { row in
            (number: row.integer(), task: row.encoded() as Encoded<Wire.EndedTask>)
        }
        let old = rows.prefix { $0.task.value.map { $0.ended < ended - time } ?? true }.last
        if let old { try connection.run(Self.forget, old.number) }
    }

    /// Remembers where the application has put a task's file.
    func remember(path: String, of task: TaskID) throws(StoreError) {
        try connection.run(Self.rememberPath, path, task)
    }

    /// Deletes a task, and remembers that its file is deleted with it.
    func discard(_ task: TaskID) throws(StoreError) {
        if let standing = try find(.id(task)) { try delete(standing) }
        try connection.run(Self.discard, task)
    }

    /// Returns tasks that have ended and are gone, the last one first.
    func endedTasks(before end: Int64?, limit: Int) throws(StoreError) -> EndedTaskPage {
        var last: Int64?
        let records = try connection.rows(Self.newest, end ?? .max, limit) { row in
            last = row.integer()
            return EndedTaskRecord(
                id: row.id(),
                task: row.encoded(),
                path: row.optionalText(),
                isDiscarded: row.integer() != 0
            )
        }
        return EndedTaskPage(records: records, next: records.count == limit ? last : nil)
    }
}
