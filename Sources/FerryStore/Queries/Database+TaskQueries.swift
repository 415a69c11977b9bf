import FerryWire
import FoundationEssentials

extension Database {
    private static let taskColumns = """
        id, session_id, identifier, state, host, priority, request, current_request, response,
        description, received_byte_count, expected_byte_count, checkpoint, attempts, not_before,
        last_error, created_at, started_at, deadline, upload, delay, options, link, avoids, end_event
        """
    private static let taskTables = "tasks JOIN task_details ON task_details.task_id = tasks.id"

    private static let findTask = Statement(
        "SELECT \(taskColumns) FROM \(taskTables) WHERE tasks.id = ?"
    )
    private static let findTaskByIdentifier = Statement(
        "SELECT \(taskColumns) FROM \(taskTables) WHERE session_id = ? AND identifier = ?"
    )
    private static let findTasks = Statement(
        "SELECT \(taskColumns) FROM \(taskTables) WHERE tasks.id IN (\(placeholders))"
    )
    private static let findStandings = Statement(
        """
        SELECT id, session_id, state, last_error IS NOT NULL FROM \(taskTables)
        WHERE tasks.id IN (\(placeholders))
        """
    )
    private static let findDated = Statement(
        """
        SELECT \(taskColumns) FROM task_details INDEXED BY tasks_with_date
        JOIN tasks ON tasks.id = task_details.task_id
        WHERE task_details.task_id > ? AND delay IS NOT NULL AND state <> 2 AND attempts = 0
            AND not_before IS NOT NULL AND not_before <> ?
        ORDER BY task_details.task_id LIMIT ?
        """
    )
    private static let page = Statement(
        """
        SELECT \(taskColumns) FROM \(taskTables)
        WHERE tasks.id > ? AND (1 << state) & ? ORDER BY tasks.id LIMIT ?
        """
    )
    private static let pageOfSession = Statement(
        """
        SELECT \(taskColumns) FROM tasks INDEXED BY tasks_of_session
        JOIN task_details ON task_details.task_id = tasks.id
        WHERE session_id = ? AND tasks.id > ? AND (1 << state) & ? ORDER BY tasks.id LIMIT ?
        """
    )
    private static let idsOfSession = Statement(
        """
        SELECT id FROM tasks INDEXED BY tasks_of_session
        WHERE session_id = ? AND id > ? AND (1 << state) & ? ORDER BY id LIMIT ?
        """
    )
    private static let overdue = Statement(
        """
        SELECT id FROM tasks INDEXED BY tasks_with_deadline
        WHERE state <> 2 AND deadline <= ? ORDER BY deadline LIMIT ?
        """
    )
    private static let firstDeadline = Statement(
        """
        SELECT deadline FROM tasks INDEXED BY tasks_with_deadline
        WHERE state <> 2 AND deadline IS NOT NULL ORDER BY deadline LIMIT 1
        """
    )

    /// Returns the task with a number, or `nil`.
    func task(id: TaskID) throws(StoreError) -> TaskRecord? {
        try connection.first(Self.findTask, id, reading: task)
    }

    /// Returns a session's task with an identifier, or `nil`.
    func task(session: SessionID, identifier: Int) throws(StoreError) -> TaskRecord? {
        try connection.first(Self.findTaskByIdentifier, session, identifier, reading: task)
    }

    /// Returns the tasks with the given numbers, as far as they exist, in the given order.
    func tasks(ids: some Collection<TaskID>) throws(StoreError) -> [TaskRecord] {
        if let id = ids.first, ids.count == 1 { return try task(id: id).map { [$0] } ?? [] }
        var found: [TaskID: TaskRecord] = [:]
        try forEachBatch(of: ids) { batch throws(StoreError) in
            let tasks = try connection.rows(Self.findTasks, numbers: batch, reading: task)
            for task in tasks { found[task.id] = task }
        }
        return ids.compactMap { found[$0] }
    }

    /// Returns the unfinished tasks that wait for a date from their applications, by number.
    func datedTasks(after id: TaskID, limit: Int) throws(StoreError) -> [TaskRecord] {
        try connection.rows(Self.findDated, id, TaskRecord.networkWait, limit, reading: task)
    }

    /// Returns the standings of the tasks with the given numbers, as far as they exist, in any order.
    func standings(ids: some Collection<TaskID>) throws(StoreError) -> [TaskStanding] {
        var standings: [TaskStanding] = []
        try forEachBatch(of: ids) { batch throws(StoreError) in
            standings += try connection.rows(
                Self.findStandings,
                numbers: batch
            ) { row throws(StoreError) in
                TaskStanding(
                    id: row.id(),
                    sessionID: row.id(),
                    state: try state(row.integer()),
                    hasFailed: row.integer() != 0
                )
            }
        }
        return standings
    }

    /// The number of tasks that one statement looks up.
    private static let batchSize = 32
    private static let placeholders = repeatElement("?", count: batchSize).joined(separator: ", ")

    /// Calls `body` with a batch of numbers at a time; the statement's unused parameters repeat one of them,
    /// which finds nothing twice.
    private func forEachBatch(
        of ids: some Collection<TaskID>,
        _ body: ([TaskID]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var rest = ids[...]
        while let first = rest.first {
            var batch = Array(rest.prefix(Self.batchSize))
            rest = rest.dropFirst(Self.batchSize)
            batch += repeatElement(first, count: Self.batchSize - batch.count)
            try body(batch)
        }
    }

    /// Returns a page of tasks, by number.
    func tasks(
        _ filter: TaskFilter,
        after id: TaskID,
        limit: Int
    ) throws(StoreError) -> [TaskRecord] {
        try page(filter, after: id, limit: limit, byteLimit: .max).tasks
    }

    /// Returns a page of tasks, by number, that ends early with the task that exceeds a size.
    func page(
        _ filter: TaskFilter,
        after id: TaskID,
        limit: Int,
        byteLimit: Int
    ) throws(StoreError) -> TaskPage {
        let states = filter.states.reduce(0) { $0 | 1 << $1.rawValue }
        // One more than fits shows whether there is another page.
        let count = limit + 1
        switch filter.scope {
        case .all:
            return try page(limit, byteLimit) { take throws(StoreError) in
                try connection.forEachRow(Self.page, id, states, count, taking: take)
            }
        case .session(let session):
            return try page(limit, byteLimit) { take throws(StoreError) in
                try connection.forEachRow(
                    Self.pageOfSession,
                    session,
                    id,
                    states,
                    count,
                    taking: take
                )
            }
        case .application(let application):
            // The index holds the tasks of one session by number; the sessions are merged here.
            var ids: [TaskID] = []
            for session in try sessions(application: application) {
                ids += try connection.rows(Self.idsOfSession, session.id, id, states, count) {
                    $0.id()
                }
            }
            ids.sort()
            var page = try page(ids: Array(ids.prefix(limit)), byteLimit: byteLimit)
            if ids.count > limit { page.next = page.next ?? ids[limit - 1] }
            return page
        }
    }

    /// Returns the tasks that `read` passes on, up to the one that exceeds a size.
    private func page(
        _ limit: Int,
        _ byteLimit: Int,
        _ read: (
            _ take: (inout Row) throws(StoreError) -> Bool
        ) throws(StoreError) -> Void
    ) throws(StoreError) -> TaskPage {
        var page = TaskPage(tasks: [])
        var byteCount = 0
        try read { row throws(StoreError) in
            guard page.tasks.count < limit, byteCount <= byteLimit else {
                page.next = page.tasks.last?.id
                return false
            }
            let task = try task(&row)
            byteCount += task.byteCount
            page.tasks.append(task)
            return true
        }
        return page
    }

    /// Returns the tasks with the given numbers, as far as they exist, up to the one that exceeds a size.
    func page(ids: [TaskID], byteLimit: Int) throws(StoreError) -> TaskPage {
        var page = TaskPage(tasks: [])
        var byteCount = 0
        var rest = ids[...]
        while !rest.isEmpty {
            for task in try tasks(ids: rest.prefix(Self.batchSize)) {
                page.tasks.append(task)
                byteCount += task.byteCount
                guard byteCount > byteLimit, task.id != ids.last else { continue }
                page.next = task.id
                return page
            }
            rest = rest.dropFirst(Self.batchSize)
        }
        return page
    }

    /// Returns the unfinished tasks whose deadline has passed, the earliest first.
    func overdueTasks(at now: Date, limit: Int) throws(StoreError) -> [TaskRecord] {
        let ids = try connection.rows(Self.overdue, now, limit) { $0.id() as TaskID }
        return try tasks(ids: ids)
    }

    /// Returns the earliest deadline of an unfinished task, or `nil`.
    func earliestDeadline() throws(StoreError) -> Date? {
        try connection.first(Self.firstDeadline) { $0.date() }
    }

    private func task(_ row: inout Row) throws(StoreError) -> TaskRecord {
        TaskRecord(
            id: row.id(),
            sessionID: row.id(),
            identifier: Int(row.integer()),
            state: try state(row.integer()),
            host: row.text(),
            priority: row.double(),
            request: row.encoded(),
            currentRequest: row.optionalEncoded(),
            response: row.optionalEncoded(),
            description: row.optionalText(),
            receivedByteCount: row.byteCount(),
            expectedByteCount: row.optionalByteCount(),
            checkpoint: row.optionalEncoded(),
            attempts: row.count(),
            notBefore: row.optionalDate(),
            lastError: row.optionalEncoded(),
            createdAt: row.date(),
            startedAt: row.optionalDate(),
            deadline: row.optionalDate(),
            upload: row.optionalEncoded(),
            delay: row.optionalEncoded(),
            options: row.optionalEncoded(),
            link: row.optionalEncoded(),
            avoids: row.avoidedConditions(),
            event: row.optionalEncoded()
        )
    }

    /// Returns the state with a number.
    func state(_ number: Int64) throws(StoreError) -> TaskRecord.State {
        guard let state = TaskRecord.State(rawValue: Int(number)) else {
            throw connection.failure(.corrupt, because: "a task is in the state \(number)")
        }
        return state
    }
}
