import FerryStore
import FerryWire
import FerryWireTestSupport
import FoundationEssentials

@testable import FerryDaemon

extension ModelStore {
    // MARK: Applications and sessions

    /// All applications, by number.
    func allApplications() -> [ApplicationRecord] {
        applications.values.sorted { $0.id < $1.id }
    }

    /// An application's sessions, by number.
    func sessions(application: ApplicationID) -> [SessionRecord] {
        sessions.values.filter { $0.record.applicationID == application }
            .map { counted($0.record) }
            .sorted { $0.id < $1.id }
    }

    /// The session with a number, or `nil`.
    func session(id: SessionID) -> SessionRecord? { sessions[id].map { counted($0.record) } }

    /// How many tasks all sessions have together.
    func totals() -> SessionCounts { count(tasks.values.lazy.map(\.record)) }

    func counted(_ session: SessionRecord) -> SessionRecord {
        var session = session
        session.counts = count(
            tasks.values.lazy.map(\.record).filter { $0.sessionID == session.id }
        )
        return session
    }

    private func count(_ tasks: some Sequence<TaskRecord>) -> SessionCounts {
        var counts = SessionCounts()
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
    func tasks(_ filter: TaskFilter, after id: TaskID = 0, limit: Int) -> [TaskRecord] {
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
    func datedTasks(after id: TaskID, limit: Int) -> [TaskRecord] {
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

    /// The events that report the ends of a session's tasks, by sequence number.
    func events(session: SessionID, after sequence: Int64, limit: Int) -> [EventRecord] {
        let events = tasks.values.compactMap { task -> EventRecord? in
            guard task.record.sessionID == session, let number = task.endSequence,
                number > sequence
            else { return nil }
            return EventRecord(
                sequence: number,
                taskID: task.record.id,
                event: task.record.event ?? [],
                path: task.endPath
            )
        }
        return Array(events.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    /// All events.
    var eventKeys: [EventKey] {
        tasks.values.compactMap { task in
            task.endSequence.map { EventKey(session: task.record.sessionID, sequence: $0) }
        }
        .sorted()
    }

    /// The event that reports a task's end, as it is sent.
    func event(ofTask id: TaskID) -> Wire.Event? {
        guard let task = tasks[id], let sequence = task.endSequence else { return nil }
        let event = EventRecord(
            sequence: sequence,
            taskID: id,
            event: task.record.event ?? [],
            path: task.endPath
        )
        return event.sent
    }

    /// The task whose end an event reports.
    func ended(_ key: EventKey) -> TaskRecord? {
        tasks.values.first {
            $0.record.sessionID == key.session && $0.endSequence == key.sequence
        }?.record
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
