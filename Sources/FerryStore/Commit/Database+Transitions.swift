import FoundationEssentials

extension Database {
    /// The properties that determine a task's next state.
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

        /// Returns when the task's time begins, or began: a task that begins later loses no time before.
        func begin(at now: Date) -> Date {
            // A wait for a network is not a date.
            guard attempts == 0, let notBefore, notBefore != TaskRecord.networkWait else {
                return now
            }
            return max(now, notBefore)
        }
    }

    /// Resumes a task for its application; its time begins, now or when the task begins, or continues.
    func resume(
        _ key: TaskKey,
        at now: Date,
        resourceTimeout: Double
    ) throws(StoreError) -> TaskChange? {
        let standing = try standing(key)
        let time = standing.startedAt == nil ? resourceTimeout : standing.timeLeft
        return try move(standing, to: standing.state.whenResumed, time: time, at: now)
    }

    /// Suspends a task for its application.
    func suspend(_ key: TaskKey, at now: Date) throws(StoreError) -> TaskChange? {
        let standing = try standing(key)
        return try move(
            standing,
            to: standing.state.whenSuspended,
            time: standing.timeLeft,
            at: now
        )
    }

    /// Holds a task back for the user.
    func hold(_ id: Int64, at now: Date) throws(StoreError) -> TaskChange? {
        let standing = try standing(.id(id))
        return try move(standing, to: standing.state.whenHeld, time: standing.timeLeft, at: now)
    }

    /// Releases a task for the user; if it is backing off, the next attempt need not wait.
    func release(_ id: Int64, at now: Date) throws(StoreError) -> TaskChange? {
        var standing = try standing(.id(id))
        guard standing.state == .waiting else {
            // The date of a task that has not begun was set by its application.
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

    /// Makes a task begin later, or at once; with `ifNew`, only a task that has had no failed attempt.
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

    /// Changes the time that a task waits for, unless that has already changed.
    func retime(
        _ id: Int64,
        from earlier: Date,
        to notBefore: Date,
        at now: Date
    ) throws(StoreError) -> TaskChange? {
        // The task may have been deleted since it was read.
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

    /// Ends waits that are longer than any valid one, and makes times that begin in the future begin now.
    func distrustTimes(at now: Date, longestWait: Double) throws(StoreError) {
        // A task that its application has delayed waits for a time of day until its first attempt.
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

    /// Gives a task a request to send in place of its own, perhaps to another host.
    func relink(_ key: TaskKey, to host: String, _ link: [UInt8]) throws(StoreError) -> TaskChange?
    {
        let standing = try standing(key)
        guard standing.state != .completed else { return nil }
        // The host queues follow a task's state: the task leaves the queue of one host and enters that of the
        // other.
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
            UPDATE OR FAIL tasks SET state = 2, not_before = NULL, deadline = NULL, time_left = NULL
            WHERE id = ?
            """,
            standing.id
        )
        let sequences = try append(events, of: standing.id, session: standing.session, at: now)
        return (TaskChange(standing, to: .completed), sequences)
    }

    /// Returns the number of the task that a key names.
    func taskID(_ key: TaskKey) throws(StoreError) -> Int64 { try standing(key).id }

    /// Moves a task between the unfinished states.
    ///
    /// Its time runs only while the task may run.
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
            UPDATE OR FAIL tasks SET state = ?, started_at = coalesce(started_at, ?), deadline = ?,
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
