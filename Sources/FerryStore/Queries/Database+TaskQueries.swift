import FoundationEssentials

extension Database {
    private static let taskColumns = """
        id, session_id, identifier, state, host, priority, request, current_request, response,
        description, received_byte_count, expected_byte_count, checkpoint, attempts, not_before,
        last_error, created_at, started_at, deadline
        """
    private static let taskTables = "tasks JOIN task_details ON task_details.task_id = tasks.id"

    /// The task with a number, or `nil`.
    func task(id: Int64) throws(StoreError) -> TaskRecord? {
        try connection.first(
            "SELECT \(Self.taskColumns) FROM \(Self.taskTables) WHERE tasks.id = ?",
            id,
            reading: task
        )
    }

    /// A session's task of an identifier, or `nil`.
    func task(session: Int64, identifier: Int) throws(StoreError) -> TaskRecord? {
        try connection.first(
            """
            SELECT \(Self.taskColumns) FROM \(Self.taskTables)
            WHERE session_id = ? AND identifier = ?
            """,
            session,
            identifier,
            reading: task
        )
    }

    /// The tasks with the given numbers, as far as they exist, in the order of the numbers.
    func tasks(ids: some Sequence<Int64>) throws(StoreError) -> [TaskRecord] {
        var tasks: [TaskRecord] = []
        for id in ids {
            guard let task = try task(id: id) else { continue }
            tasks.append(task)
        }
        return tasks
    }

    /// A page of tasks, by number.
    func tasks(
        _ filter: TaskFilter,
        after id: Int64,
        limit: Int
    ) throws(StoreError) -> [TaskRecord] {
        // The indexes hold the tasks of one state by number; the states are merged here.
        var ids: [Int64] = []
        for state in filter.states {
            ids += try taskIDs(filter.scope, state, after: id, limit: limit)
        }
        return try tasks(ids: ids.sorted().prefix(limit))
    }

    private func taskIDs(
        _ scope: TaskFilter.Scope,
        _ state: TaskRecord.State,
        after id: Int64,
        limit: Int
    ) throws(StoreError) -> [Int64] {
        switch scope {
        case .all:
            try connection.rows(
                "SELECT id FROM tasks WHERE state = ? AND id > ? ORDER BY id LIMIT ?",
                state.rawValue,
                id,
                limit
            ) { $0.integer() }
        case .application(let application):
            try connection.rows(
                """
                SELECT id FROM tasks WHERE application_id = ? AND state = ? AND id > ?
                ORDER BY id LIMIT ?
                """,
                application,
                state.rawValue,
                id,
                limit
            ) { $0.integer() }
        case .session(let session):
            try connection.rows(
                """
                SELECT id FROM tasks WHERE session_id = ? AND state = ? AND id > ?
                ORDER BY id LIMIT ?
                """,
                session,
                state.rawValue,
                id,
                limit
            ) { $0.integer() }
        }
    }

    /// Unfinished tasks whose deadline has passed, the earliest first.
    func overdueTasks(at now: Date, limit: Int) throws(StoreError) -> [TaskRecord] {
        let ids = try connection.rows(
            """
            SELECT id FROM tasks INDEXED BY tasks_with_deadline
            WHERE state <> 2 AND deadline <= ? ORDER BY deadline LIMIT ?
            """,
            now,
            limit
        ) { $0.integer() }
        return try tasks(ids: ids)
    }

    /// The earliest deadline of an unfinished task, or `nil`.
    func earliestDeadline() throws(StoreError) -> Date? {
        try connection.first(
            """
            SELECT deadline FROM tasks INDEXED BY tasks_with_deadline
            WHERE state <> 2 AND deadline IS NOT NULL ORDER BY deadline LIMIT 1
            """
        ) { $0.date() }
    }

    private func task(_ row: inout Row) throws(StoreError) -> TaskRecord {
        TaskRecord(
            id: row.integer(),
            sessionID: row.integer(),
            identifier: Int(row.integer()),
            state: try state(row.integer()),
            host: row.text(),
            priority: row.double(),
            request: row.bytes(),
            currentRequest: row.optionalBytes(),
            response: row.optionalBytes(),
            description: row.optionalText(),
            receivedByteCount: row.integer(),
            expectedByteCount: row.optionalInteger(),
            checkpoint: row.optionalBytes(),
            attempts: Int(row.integer()),
            notBefore: row.optionalDate(),
            lastError: row.optionalBytes(),
            createdAt: row.date(),
            startedAt: row.optionalDate(),
            deadline: row.optionalDate()
        )
    }

    /// A state by its number.
    func state(_ number: Int64) throws(StoreError) -> TaskRecord.State {
        guard let state = TaskRecord.State(rawValue: Int(number)) else {
            throw connection.failure(.corrupt, because: "a task is in the state \(number)")
        }
        return state
    }
}
