import FerrySystem
import FoundationEssentials

/// The properties of a task that determine its next state, and in what it is counted.
struct Standing {
    var id: TaskID
    var session: SessionID
    var identifier: Int
    var state: TaskRecord.State
    var host: String
    var avoids: Conditions
    var startedAt: Date?
    var deadline: Date?
    var timeLeft: Double?
    var notBefore: Date?
    var attempts: Int

    /// The queue that the task waits in; `nil` if it does not wait.
    var queue: Counters.Queue? {
        state == .waiting ? Counters.Queue(host: host, session: session, avoids: avoids) : nil
    }

    /// Returns when the task's time begins, or began: a task that begins later loses no time before.
    func begin(at now: Date) -> Date {
        // A wait for a network is not a date.
        guard attempts == 0, let notBefore, notBefore != TaskRecord.networkWait else { return now }
        return max(now, notBefore)
    }
}

extension Standing {
    /// The standing of a new task.
    init(_ task: TaskRecord) {
        self.init(
            id: task.id,
            session: task.sessionID,
            identifier: task.identifier,
            state: task.state,
            host: task.host,
            avoids: task.avoids ?? .overridden,
            startedAt: task.startedAt,
            deadline: task.deadline,
            notBefore: task.notBefore,
            attempts: task.attempts
        )
    }
}

extension TaskChange {
    /// Describes the change of a task by how it stood before and after.
    init(from old: Standing, to new: Standing) {
        self.init(
            id: new.id,
            sessionID: new.session,
            identifier: new.identifier,
            from: old.state,
            to: new.state,
            deadline: new.deadline
        )
    }
}

extension Database {
    /// The columns that `standing` reads.
    static let standingColumns = """
        tasks.id, tasks.session_id, identifier, state, host, avoids, started_at, deadline, time_left, not_before, attempts
        """
    private static let find = Statement("SELECT \(standingColumns) FROM tasks WHERE id = ?")
    private static let findByIdentifier = Statement(
        "SELECT \(standingColumns) FROM tasks WHERE session_id = ? AND identifier = ?"
    )
    private static let findOfSession = Statement(
        "SELECT \(standingColumns) FROM tasks INDEXED BY tasks_of_session WHERE session_id = ? LIMIT ?"
    )
    private static let findElapsed = Statement(
        """
        SELECT \(standingColumns) FROM tasks INDEXED BY tasks_delayed
        WHERE state = 1 AND not_before <= ? ORDER BY not_before LIMIT ?
        """
    )
    private static let findInNetworkWait = Statement(
        "SELECT \(standingColumns) FROM tasks WHERE id > ? AND not_before = ? ORDER BY id LIMIT ?"
    )
    // A task that its application has delayed waits for a time of day until its first attempt.
    private static let findWaitingLong = Statement(
        """
        SELECT \(standingColumns) FROM tasks
        WHERE id > ? AND state <> 2 AND not_before > ? AND not_before <> ?
            AND (attempts > 0 OR NOT EXISTS
                (SELECT 1 FROM task_details WHERE task_id = tasks.id AND delay IS NOT NULL))
        ORDER BY id LIMIT ?
        """
    )
    private static let replace = Statement(
        """
        UPDATE OR FAIL tasks SET state = ?, host = ?, avoids = ?, started_at = ?, deadline = ?, time_left = ?,
            not_before = ?, attempts = ?
        WHERE id = ?
        """
    )

    /// The number of tasks that are read at once where many are changed.
    private static let standingPageSize = 256

    /// Returns the standing of a task.
    func standing(_ key: TaskKey) throws(StoreError) -> Standing {
        guard let found = try find(key) else { throw .missing("task \(key)") }
        return found
    }

    /// Returns the standing of a task, or `nil`.
    func find(_ key: TaskKey) throws(StoreError) -> Standing? {
        switch key {
        case .id(let id):
            try connection.first(Self.find, id, reading: standing)
        case .identifier(let session, let identifier):
            try connection.first(Self.findByIdentifier, session, identifier, reading: standing)
        }
    }

    /// Returns the standings of some of a session's tasks.
    func standings(ofSession session: SessionID) throws(StoreError) -> [Standing] {
        try connection.rows(
            Self.findOfSession,
            session,
            Self.standingPageSize,
            reading: standing
        )
    }

    /// Returns the standings of some tasks whose `notBefore` has passed.
    func standingsOfElapsed(at now: Date, limit: Int) throws(StoreError) -> [Standing] {
        try connection.rows(Self.findElapsed, now, limit, reading: standing)
    }

    /// Ends the wait of all tasks that wait for a network.
    func endNetworkWait() throws(StoreError) {
        try endWaits { id throws(StoreError) in
            try connection.rows(
                Self.findInNetworkWait,
                id,
                TaskRecord.networkWait,
                Self.standingPageSize,
                reading: standing
            )
        }
    }

    /// Ends waits for later than a date.
    func endWaits(after date: Date) throws(StoreError) {
        try endWaits { id throws(StoreError) in
            try connection.rows(
                Self.findWaitingLong,
                id,
                date,
                TaskRecord.networkWait,
                Self.standingPageSize,
                reading: standing
            )
        }
    }

    /// Ends the waits of all tasks that `page` returns, after each number.
    private func endWaits(
        _ page: (TaskID) throws(StoreError) -> [Standing]
    ) throws(StoreError) {
        var last: TaskID = 0
        while true {
            let found = try page(last)
            for standing in found { try replace(standing) { $0.notBefore = nil } }
            guard found.count == Self.standingPageSize, let next = found.last?.id else { return }
            last = next
        }
    }

    /// Changes what a task's state depends on, and counts it there.
    func replace(_ old: Standing, _ body: (inout Standing) -> Void) throws(StoreError) {
        var new = old
        body(&new)
        try replace(old, by: new)
    }

    /// Replaces what a task's state depends on, and counts it there.
    func replace(_ old: Standing, by new: Standing) throws(StoreError) {
        try connection.run(
            Self.replace,
            new.state.rawValue,
            new.host,
            new.avoids,
            new.startedAt,
            new.deadline,
            new.timeLeft,
            new.notBefore,
            new.attempts,
            new.id
        )
        try count(old, new)
    }

    /// Reads a standing from the columns of a task, and those behind them.
    func standing(_ row: inout Row) throws(StoreError) -> Standing {
        Standing(
            id: row.id(),
            session: row.id(),
            identifier: Int(row.integer()),
            state: try state(row.integer()),
            host: row.text(),
            avoids: row.conditions(),
            startedAt: row.optionalDate(),
            deadline: row.optionalDate(),
            timeLeft: row.optionalSeconds(),
            notBefore: row.optionalDate(),
            attempts: row.count()
        )
    }
}
