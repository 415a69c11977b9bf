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
        var attempts: Int

        /// When the task's time begins to run, or has: one that begins later loses none before.
        func begin(at now: Date) -> Date {
            // A network that is waited for is no date.
            guard attempts == 0, let notBefore, notBefore != TaskRecord.networkWait else {
                return now
            }
            return max(now, notBefore)
        }
    }

    /// An application lets a task run; its time begins, now or when the task begins, or goes on.
    func resume(
        _ key: TaskKey,
        at now: Date,
        resourceTimeout: Double
    ) throws(StoreError) -> TaskChange? {
        let standing = try standing(key)
        let time = standing.startedAt == nil ? resourceTimeout : standing.timeLeft
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
        var standing = try standing(.id(id))
        guard standing.state == .waiting else {
            // The date of one that has not begun is its application's.
            if standing.attempts > 0 {
                try connection.run("UPDATE tasks SET not_before = NULL WHERE id = ?", id)
            }
            return try move(
                standing,
                to: standing.state.whenReleased,
                time: standing.timeLeft,
                at: now
            )
        }
        let left = standing.deadline?.timeIntervalSince(standing.begin(at: now))
        standing.deadline = left.map { now.addingTimeInterval($0) }
        try connection.run(
            "UPDATE tasks SET not_before = NULL, deadline = ? WHERE id = ?",
            standing.deadline,
            id
        )
        return TaskChange(standing, to: .waiting, deadline: standing.deadline)
    }

    /// Has a task begin later, or at once; or only one that has had no attempt.
    func delay(
        _ key: TaskKey,
        until notBefore: Date?,
        _ delay: [UInt8]?,
        ifNew isOnlyForNew: Bool,
        at now: Date
    ) throws(StoreError) -> TaskChange? {
        let standing = try standing(key)
        guard standing.state != .completed, !isOnlyForNew || standing.attempts == 0 else {
            return nil
        }
        let deadline = standing.deadline.map { deadline in
            max(now, notBefore ?? now) + deadline.timeIntervalSince(standing.begin(at: now))
        }
        try connection.run(
            "UPDATE tasks SET not_before = ?, deadline = ? WHERE id = ?",
            notBefore,
            deadline,
            standing.id
        )
        try connection.run(
            "UPDATE task_details SET delay = ? WHERE task_id = ?",
            delay,
            standing.id
        )
        return TaskChange(standing, to: standing.state, deadline: deadline)
    }

    /// Has a task wait for another moment that waits for one, unless that is another one by now.
    func retime(
        _ id: Int64,
        from earlier: Date,
        to notBefore: Date,
        at now: Date
    ) throws(StoreError) -> TaskChange? {
        // It may have gone since it was read.
        guard let standing = try find(.id(id)), standing.state != .completed,
            standing.attempts == 0, standing.notBefore == earlier
        else { return nil }
        let deadline = standing.deadline.map { deadline in
            max(now, notBefore) + deadline.timeIntervalSince(standing.begin(at: now))
        }
        try connection.run(
            "UPDATE tasks SET not_before = ?, deadline = ? WHERE id = ?",
            notBefore,
            deadline,
            id
        )
        return TaskChange(standing, to: standing.state, deadline: deadline)
    }

    /// Ends waits that are longer than any, and has times begin now that begin later.
    func distrustTimes(at now: Date, longestWait: Double) throws(StoreError) {
        // What an application has delayed waits for a time of day until it has had its first attempt.
        try connection.run(
            """
            UPDATE tasks SET not_before = NULL
            WHERE state <> 2 AND not_before > ? AND not_before <> ?
                AND (attempts > 0
                    OR id NOT IN (SELECT task_id FROM task_details WHERE delay IS NOT NULL))
            """,
            now.addingTimeInterval(longestWait),
            TaskRecord.networkWait
        )
        try connection.run(
            """
            UPDATE tasks SET deadline = deadline - (started_at - ?), started_at = ?
            WHERE state <> 2 AND started_at > ?
            """,
            now,
            now,
            now
        )
    }

    /// Gives a task something to send in place of its request, perhaps to another host.
    func relink(_ key: TaskKey, to host: String, _ link: [UInt8]) throws(StoreError) -> TaskChange?
    {
        let standing = try standing(key)
        guard standing.state != .completed else { return nil }
        // The queues of hosts are kept by a task's state: it leaves that of one, and enters that of the other.
        try connection.run("UPDATE tasks SET state = 0 WHERE id = ?", standing.id)
        try connection.run(
            """
            UPDATE tasks SET host = ?, state = ?,
                not_before = CASE WHEN attempts > 0 OR not_before = ? THEN NULL ELSE not_before END
            WHERE id = ?
            """,
            host,
            standing.state.rawValue,
            TaskRecord.networkWait,
            standing.id
        )
        try connection.run(
            "UPDATE task_details SET link = ? WHERE task_id = ?",
            link,
            standing.id
        )
        return TaskChange(standing, to: standing.state, deadline: standing.deadline)
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
        let begin = standing.begin(at: now)
        let time = standing.deadline?.timeIntervalSince(begin) ?? time
        let limit = time.flatMap { $0 > 0 ? $0 : nil }
        let deadline = isRunning ? limit.map { begin.addingTimeInterval($0) } : nil
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
        guard let found = try find(key) else { throw .missing("task \(key)") }
        return found
    }

    private func find(_ key: TaskKey) throws(StoreError) -> Standing? {
        let columns =
            "id, session_id, identifier, state, started_at, deadline, time_left, not_before, attempts"
        switch key {
        case .id(let id):
            return try connection.first(
                "SELECT \(columns) FROM tasks WHERE id = ?",
                id,
                reading: standing
            )
        case .identifier(let session, let identifier):
            return try connection.first(
                "SELECT \(columns) FROM tasks WHERE session_id = ? AND identifier = ?",
                session,
                identifier,
                reading: standing
            )
        }
    }

    private func standing(_ row: inout Row) throws(StoreError) -> Standing {
        Standing(
            id: row.integer(),
            session: row.integer(),
            identifier: Int(row.integer()),
            state: try state(row.integer()),
            startedAt: row.optionalDate(),
            deadline: row.optionalDate(),
            timeLeft: row.optionalSeconds(),
            notBefore: row.optionalDate(),
            attempts: row.count()
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
