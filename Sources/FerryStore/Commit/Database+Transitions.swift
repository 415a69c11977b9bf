import FerryWire
import FoundationEssentials

extension Database {
    private static let setDelay = Statement("UPDATE task_details SET delay = ? WHERE task_id = ?")
    private static let setLink = Statement("UPDATE task_details SET link = ? WHERE task_id = ?")
    private static let beginNow = Statement(
        """
        UPDATE OR FAIL tasks SET deadline = deadline - (started_at - ?), started_at = ?
        WHERE state <> 2 AND started_at > ?
        """
    )

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
    func hold(_ id: TaskID, at now: Date) throws(StoreError) -> TaskChange? {
        let standing = try standing(.id(id))
        return try move(standing, to: standing.state.whenHeld, time: standing.timeLeft, at: now)
    }

    /// Releases a task for the user; if it is backing off, the next attempt need not wait.
    func release(_ id: TaskID, at now: Date) throws(StoreError) -> TaskChange? {
        var standing = try standing(.id(id))
        guard standing.state == .waiting else {
            // The date of a task that has not begun was set by its application.
            if standing.attempts > 0, standing.notBefore != nil {
                let old = standing
                standing.notBefore = nil
                try replace(old, by: standing)
            }
            return try move(
                standing,
                to: standing.state.whenReleased,
                time: standing.timeLeft,
                at: now
            )
        }
        let left = standing.deadline?.timeIntervalSince(standing.begin(at: now))
        return try change(standing) { standing in
            standing.deadline = left.map { now.addingTimeInterval($0) }
            standing.notBefore = nil
        }
    }

    /// Makes a task begin later, or at once; with `ifNew`, only a task that has had no failed attempt.
    func delay(
        _ key: TaskKey,
        until notBefore: Date?,
        _ delay: Encoded<DelayState>?,
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
        try connection.run(Self.setDelay, delay, standing.id)
        return try change(standing) { standing in
            standing.notBefore = notBefore
            standing.deadline = deadline
        }
    }

    /// Changes the time that a task waits for, unless that has already changed.
    func retime(
        _ id: TaskID,
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
        return try change(standing) { standing in
            standing.notBefore = notBefore
            standing.deadline = deadline
        }
    }

    /// Ends waits that are longer than any valid one, and makes times that begin in the future begin now.
    func distrustTimes(at now: Date, longestWait: Double) throws(StoreError) {
        try endWaits(after: now.addingTimeInterval(longestWait))
        try connection.run(Self.beginNow, now, now, now)
    }

    /// Gives a task a request to send in place of its own, perhaps to another host.
    func relink(
        _ key: TaskKey,
        to host: String,
        _ link: Encoded<LinkState>
    ) throws(StoreError) -> TaskChange? {
        let standing = try standing(key)
        guard standing.state != .completed else { return nil }
        try connection.run(Self.setLink, link, standing.id)
        return try change(standing) { standing in
            standing.host = host
            if standing.attempts > 0 || standing.notBefore == TaskRecord.networkWait {
                standing.notBefore = nil
            }
        }
    }

    /// Returns the number of the task that a key names.
    func taskID(_ key: TaskKey) throws(StoreError) -> TaskID { try standing(key).id }

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
        return try change(standing) { standing in
            standing.state = state
            if isRunning { standing.startedAt = standing.startedAt ?? now }
            standing.deadline = deadline
            standing.timeLeft = isRunning ? nil : limit
        }
    }

    /// Changes a task, and says from which state to which.
    private func change(
        _ old: Standing,
        _ body: (inout Standing) -> Void
    ) throws(StoreError) -> TaskChange {
        var new = old
        body(&new)
        try replace(old, by: new)
        return TaskChange(from: old, to: new)
    }
}
