import FerrySystem

/// The numbers that the store keeps so that rows are never counted.
///
/// A transaction changes them here, and writes each that it has changed once, before it is committed. A request that
/// fails takes its own changes back with a copy from before it; a transaction that is rolled back forgets everything.
struct Counters {
    /// The numbers of a session.
    struct Session {
        var application: ApplicationID
        var nextTaskIdentifier: Int64
        var nextSequence: Int64
        var suspendedCount: Int64
        var waitingCount: Int64
        var completedCount: Int64

        fileprivate mutating func add(_ number: Int64, in state: TaskRecord.State) {
            switch state {
            case .suspended, .held, .heldSuspended: suspendedCount += number
            case .waiting: waitingCount += number
            case .completed: completedCount += number
            }
        }
    }

    /// The waiting tasks of a session for one host that avoid the same conditions.
    struct Queue: Hashable {
        var host: String
        var session: SessionID
        var avoids: Conditions
    }

    /// What is to be added to the counts of a queue.
    fileprivate struct QueueChange {
        var waitingCount: Int64 = 0
        var readyCount: Int64 = 0
    }

    /// The sessions that were read, as they are now.
    fileprivate var sessions: [SessionID: Session] = [:]
    /// The sessions whose numbers are not written.
    fileprivate var changedSessions: Set<SessionID> = []
    fileprivate var queues: [Queue: QueueChange] = [:]
    /// The greatest number of a task that was added; `nil` if none was.
    fileprivate var lastTask: TaskID?

    /// A task with this number was added.
    mutating func added(task: TaskID) { lastTask = max(lastTask ?? 0, task) }

    fileprivate mutating func add(_ number: Int64, to queue: Queue, isReady: Bool) {
        queues[queue, default: QueueChange()].waitingCount += number
        if isReady { queues[queue, default: QueueChange()].readyCount += number }
    }
}

extension Database {
    private static let readCounters = Statement(
        """
        SELECT application_id, next_task_identifier, next_sequence, suspended_count, waiting_count, completed_count
        FROM sessions JOIN session_counters ON session_id = sessions.id WHERE sessions.id = ?
        """
    )
    private static let writeCounters = Statement(
        """
        UPDATE session_counters SET next_task_identifier = ?, next_sequence = ?, suspended_count = ?,
            waiting_count = ?, completed_count = ?
        WHERE session_id = ?
        """
    )
    private static let addCounters = Statement(
        "INSERT INTO session_counters (session_id) VALUES (?)"
    )
    private static let deleteCounters = Statement(
        "DELETE FROM session_counters WHERE session_id = ?"
    )
    private static let changeQueue = Statement(
        """
        INSERT INTO host_queues (host, session_id, avoids, application_id, waiting_count, ready_count)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET waiting_count = waiting_count + excluded.waiting_count,
            ready_count = ready_count + excluded.ready_count
        """
    )
    private static let deleteEmptyQueue = Statement(
        """
        DELETE FROM host_queues
        WHERE host = ? AND session_id = ? AND avoids = ? AND waiting_count = 0
        """
    )
    private static let writeLastTask = Statement(
        "UPDATE last_task SET id = max(id, ?) WHERE rowid = 1"
    )

    /// Returns the numbers of a session.
    func counters(ofSession id: SessionID) throws(StoreError) -> Counters.Session {
        if let known = counters.sessions[id] { return known }
        let found = try connection.first(Self.readCounters, id) { row in
            Counters.Session(
                application: row.id(),
                nextTaskIdentifier: row.integer(),
                nextSequence: row.integer(),
                suspendedCount: Int64(row.count()),
                waitingCount: Int64(row.count()),
                completedCount: Int64(row.count())
            )
        }
        guard let found else { throw .missing("session \(id)") }
        counters.sessions[id] = found
        return found
    }

    /// Changes the numbers of a session.
    func count(
        inSession id: SessionID,
        _ body: (inout Counters.Session) -> Void
    ) throws(StoreError) {
        var session = try counters(ofSession: id)
        body(&session)
        counters.sessions[id] = session
        counters.changedSessions.insert(id)
    }

    /// Counts a task as it is now in place of as it was; `nil` for a task that was not there, or is gone.
    func count(_ old: Standing?, _ new: Standing?) throws(StoreError) {
        guard let session = new?.session ?? old?.session else { return }
        if old?.state != new?.state {
            try count(inSession: session) { numbers in
                if let old { numbers.add(-1, in: old.state) }
                if let new { numbers.add(1, in: new.state) }
            }
        }
        if let old, let queue = old.queue {
            counters.add(-1, to: queue, isReady: old.notBefore == nil)
        }
        if let new, let queue = new.queue {
            counters.add(1, to: queue, isReady: new.notBefore == nil)
        }
    }

    /// Counts nothing yet in a new session.
    func addCounters(ofSession id: SessionID) throws(StoreError) {
        try connection.run(Self.addCounters, id)
    }

    /// Deletes the numbers of a session without tasks.
    func deleteCounters(ofSession id: SessionID) throws(StoreError) {
        try writeCounters()
        counters.sessions[id] = nil
        try connection.run(Self.deleteCounters, id)
    }

    /// Writes what was counted since this was last done.
    func writeCounters() throws(StoreError) {
        for id in counters.changedSessions {
            guard let session = counters.sessions[id] else { continue }
            try connection.run(
                Self.writeCounters,
                session.nextTaskIdentifier,
                session.nextSequence,
                session.suspendedCount,
                session.waitingCount,
                session.completedCount,
                id
            )
        }
        counters.changedSessions = []
        for (queue, change) in counters.queues { try write(change, of: queue) }
        counters.queues = [:]
        if let last = counters.lastTask { try connection.run(Self.writeLastTask, last) }
        counters.lastTask = nil
    }

    private func write(
        _ change: Counters.QueueChange,
        of queue: Counters.Queue
    ) throws(StoreError) {
        guard change.waitingCount != 0 || change.readyCount != 0 else { return }
        try connection.run(
            Self.changeQueue,
            queue.host,
            queue.session,
            queue.avoids,
            try counters(ofSession: queue.session).application,
            change.waitingCount,
            change.readyCount
        )
        guard change.waitingCount < 0 else { return }
        try connection.run(Self.deleteEmptyQueue, queue.host, queue.session, queue.avoids)
    }
}
