import FerryStore
import FoundationEssentials

extension ModelStore {
    // MARK: Applications and sessions

    /// All applications, by number.
    func allApplications() -> [ApplicationRecord] {
        applications.values.sorted { $0.id < $1.id }
    }

    /// An application's sessions, by number.
    func sessions(application: Int64) -> [SessionRecord] {
        sessions.values.filter { $0.record.applicationID == application }
            .map { counted($0.record) }
            .sorted { $0.id < $1.id }
    }

    /// The session with a number, or `nil`.
    func session(id: Int64) -> SessionRecord? { sessions[id].map { counted($0.record) } }

    /// How many tasks and events all sessions have together.
    func totals() -> SessionCounts {
        count(tasks.values.lazy.map(\.record), events: events.count)
    }

    func counted(_ session: SessionRecord) -> SessionRecord {
        var session = session
        session.counts = count(
            tasks.values.lazy.map(\.record).filter { $0.sessionID == session.id },
            events: events.keys.count { $0.session == session.id }
        )
        return session
    }

    private func count(_ tasks: some Sequence<TaskRecord>, events: Int) -> SessionCounts {
        var counts = SessionCounts(events: events)
        for task in tasks {
            switch task.state {
            case .suspended, .held, .heldSuspended: counts.suspendedTasks += 1
            case .waiting: counts.waitingTasks += 1
            case .completed: counts.completedTasks += 1
            }
        }
        return counts
    }

    // MARK: Tasks

    /// The tasks that pass a filter, by number.
    func tasks(_ filter: TaskFilter, after id: Int64 = 0, limit: Int) -> [TaskRecord] {
        let passing = tasks.values.filter { task in
            task.record.id > id && filter.states.contains(task.record.state)
                && filter.scope.contains(task)
        }
        return Array(passing.map(\.record).sorted { $0.id < $1.id }.prefix(limit))
    }

    /// Unfinished tasks whose deadline has passed, the earliest first.
    func overdueTasks(at now: Date, limit: Int) -> [TaskRecord] {
        let overdue = tasks.values.map(\.record).filter { task in
            task.state != .completed && task.deadline.map { $0 <= now } ?? false
        }
        let sorted = overdue.sorted {
            ($0.deadline ?? now, $0.id) < ($1.deadline ?? now, $1.id)
        }
        return Array(sorted.prefix(limit))
    }

    /// Unfinished tasks that wait for a date, by number.
    func datedTasks(after id: Int64, limit: Int) -> [TaskRecord] {
        let dated = tasks.values.map(\.record).filter { task in
            task.id > id && task.delay != nil && task.state != .completed && task.attempts == 0
                && task.notBefore != nil && task.notBefore != TaskRecord.networkWait
        }
        return Array(dated.sorted { $0.id < $1.id }.prefix(limit))
    }

    /// The earliest deadline of an unfinished task, or `nil`.
    func earliestDeadline() -> Date? {
        tasks.values.lazy.filter { $0.record.state != .completed }
            .compactMap(\.record.deadline).min()
    }

    /// A session's events, by sequence number.
    func events(session: Int64, after sequence: Int64, limit: Int) -> [EventRecord] {
        let keys = events.keys.filter { $0.session == session && $0.sequence > sequence }
        return keys.sorted().prefix(limit).compactMap { key in
            guard let event = events[key], let task = tasks[event.task] else { return nil }
            return EventRecord(
                sessionID: session,
                sequence: key.sequence,
                taskID: event.task,
                taskIdentifier: task.record.identifier,
                kind: event.new.kind,
                payload: event.new.payload,
                createdAt: event.createdAt
            )
        }
    }

    // MARK: The queue

    /// Makes tasks ready whose `notBefore` has passed.
    mutating func releaseElapsed(at now: Date) {
        for (id, task) in tasks where task.record.state == .waiting {
            guard let notBefore = task.record.notBefore, notBefore <= now else { continue }
            tasks[id]?.record.notBefore = nil
        }
    }

    /// The tasks that wait.
    func waiting() -> [TaskRecord] {
        tasks.values.lazy.map(\.record).filter { $0.state == .waiting }
    }
}

extension TaskFilter.Scope {
    fileprivate func contains(_ task: ModelStore.Task) -> Bool {
        switch self {
        case .all: true
        case .application(let id): task.applicationID == id
        case .session(let id): task.record.sessionID == id
        }
    }
}
