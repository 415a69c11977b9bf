import FoundationEssentials

extension Database {
    /// What decides about a task's next state.
    fileprivate struct Standing {
        var id: Int64
        var session: Int64
        var identifier: Int
        var state: TaskRecord.State
        var startedAt: Date?
        var deadline: Date?
        var timeLeft: Double?
        var notBefore: Date?

        /// How long it is until the task may begin.
        func delay(at now: Date) -> Double { max(0, notBefore?.timeIntervalSince(now) ?? 0) }
    }

    /// An application lets a task run; its time begins, now or when the task begins, or goes on.
    func resume(
        _ key: TaskKey,
        at now: Date,
        resourceTimeout: Double
    ) throws(StoreError) -> TaskChange? {
        let standing = try standing(key)
        let time =
            standing.startedAt == nil
            ? resourceTimeout > 0 ? resourceTimeout + standing.delay(at: now) : 0
            : standing.timeLeft
        return try move(standing, to: standing.state.whenResumed, time: time, at: now)
    }

    /// An application stops a task.
    func suspend(_ key: TaskKey, at now: Date) throws(StoreError) -> TaskChange? {
        let standing = try standing(key)
        return try move(
            standing,
            to: standing.state.whenSuspended,
            time: standing.timeLeft,
            at: now
        )
    }

    /// A person holds a task back.
    func hold(_ id: Int64, at now: Date) throws(StoreError) -> TaskChange? {
        let standing = try standing(.id(id))
        return try move(standing, to: standing.state.whenHeld, time: standing.timeLeft, at: now)
    }

    /// A person lets a task go; if it backs off, the next attempt need not wait.
    func release(_ id: Int64, at now: Date) throws(StoreError) -> TaskChange? {
        let standing = try standing(.id(id))
        try connection.run("UPDATE tasks SET not_before = NULL WHERE id = ?", id)
        let change = try move(
            standing,
            to: standing.state.whenReleased,
            time: standing.timeLeft,
            at: now
        )
        guard change == nil, standing.state == .waiting else { return change }
        return TaskChange(standing, to: .waiting)
    }

    /// Has a task begin later, or at once.
    func delay(
        _ key: TaskKey,
        until notBefore: Date?,
        _ delay: [UInt8]?
    ) throws(StoreError) -> TaskChange? {
        let standing = try standing(key)
        guard standing.state != .completed else { return nil }
        try connection.run(
            "UPDATE tasks SET not_before = ? WHERE id = ?",
            notBefore,
            standing.id
        )
        try connection.run(
            "UPDATE task_details SET delay = ? WHERE task_id = ?",
            delay,
            standing.id
        )
        return TaskChange(standing, to: standing.state)
    }

    /// Ends a task and adds its last events to the log, unless it has ended already.
    func complete(
        _ key: TaskKey,
        _ events: [NewEvent],
        at now: Date
    ) throws(StoreError) -> (change: TaskChange, sequences: [Int64])? {
        let standing = try standing(key)
        guard standing.state != .completed else { return nil }
        try connection.run(
            """
            UPDATE tasks SET state = 2, not_before = NULL, deadline = NULL, time_left = NULL
            WHERE id = ?
            """,
            standing.id
        )
        var sequences: [Int64] = []
        for event in events {
            sequences.append(try appendEvent(standing.id, event.kind, event.payload, now))
        }
        return (TaskChange(standing, to: .completed), sequences)
    }

    /// The number of the task that a key names.
    func taskID(_ key: TaskKey) throws(StoreError) -> Int64 { try standing(key).id }

    /// Moves a task between the states in which it has not ended.
    ///
    /// Its time runs only while it may run itself.
    private func move(
        _ standing: Standing,
        to state: TaskRecord.State,
        time: Double?,
        at now: Date
    ) throws(StoreError) -> TaskChange? {
        guard standing.state != state else { return nil }
        let isRunning = state == .waiting
        let time = standing.deadline?.timeIntervalSince(now) ?? time
        let limit = time.flatMap { $0 > 0 ? $0 : nil }
        let deadline = isRunning ? limit.map { now.addingTimeInterval($0) } : nil
        try connection.run(
            """
            UPDATE tasks SET state = ?, started_at = coalesce(started_at, ?), deadline = ?,
                time_left = ?
            WHERE id = ?
            """,
            state.rawValue,
            isRunning ? now : standing.startedAt,
            deadline,
            isRunning ? nil : limit,
            standing.id
        )
        return TaskChange(standing, to: state, deadline: deadline)
    }

    private func standing(_ key: TaskKey) throws(StoreError) -> Standing {
        let columns =
            "id, session_id, identifier, state, started_at, deadline, time_left, not_before"
        let found: Standing?
        switch key {
        case .id(let id):
            found = try connection.first(
                "SELECT \(columns) FROM tasks WHERE id = ?",
                id,
                reading: standing
            )
        case .identifier(let session, let identifier):
            found = try connection.first(
                "SELECT \(columns) FROM tasks WHERE session_id = ? AND identifier = ?",
                session,
                identifier,
                reading: standing
            )
        }
        guard let found else { throw .missing("task \(key)") }
        return found
    }

    private func standing(_ row: inout Row) throws(StoreError) -> Standing {
        Standing(
            id: row.integer(),
            session: row.integer(),
            identifier: Int(row.integer()),
            state: try state(row.integer()),
            startedAt: row.optionalDate(),
            deadline: row.optionalDate(),
            timeLeft: row.optionalDouble(),
            notBefore: row.optionalDate()
        )
    }
}

extension TaskChange {
    fileprivate init(
        _ standing: Database.Standing,
        to state: TaskRecord.State,
        deadline: Date? = nil
    ) {
        self.init(
            id: standing.id,
            sessionID: standing.session,
            identifier: standing.identifier,
            from: standing.state,
            to: state,
            deadline: deadline
        )
    }
}
