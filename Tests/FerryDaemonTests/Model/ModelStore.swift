import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// What the store is, without a database: a value that takes the same changes and answers the
/// same questions.
///
/// `ModelConformanceTests` holds it against the real one.
struct ModelStore: Sendable {
    /// A task and what only the store knows of it.
    struct Task: Sendable {
        var record: TaskRecord
        var applicationID: ApplicationID
        /// How much of a task's time is left while it does not run.
        var timeLeft: Double?
        /// The number of the event that reports its end.
        var endSequence: Int64?
        /// The path of its file when it ended.
        var endPath: String?
    }

    /// A session without its counts, which are counted.
    struct Session: Sendable {
        var record: SessionRecord
        /// What its tasks were ever called.
        var usedIdentifiers: Set<Int> = []
        /// The conditions that its tasks avoid.
        var avoids: Conditions = []
    }

    /// Names an event.
    struct EventKey: Hashable, Comparable, Sendable {
        var session: SessionID
        var sequence: Int64

        static func < (left: Self, right: Self) -> Bool {
            (left.session, left.sequence) < (right.session, right.sequence)
        }
    }

    var applications: [ApplicationID: ApplicationRecord] = [:]
    var sessions: [SessionID: Session] = [:]
    var tasks: [TaskID: Task] = [:]
    var rates: Encoded<SharedRates>?
    var clock: Encoded<ClockAnchor>?
    /// What is remembered of tasks that have ended, in that order.
    var endedTasks: [EndedTaskRecord] = []
    /// How many tasks have been remembered since there was first one.
    var rememberedCount = 0
    var nextApplicationID: ApplicationID = 1
    var nextSessionID: SessionID = 1
    /// A number above that of every task that was ever stored.
    var nextTaskID: TaskID = 1

    /// Makes changes, all or none of them.
    mutating func commit(_ mutations: [Mutation]) -> Result<Receipt, StoreError> {
        var copy = self
        var receipt = Receipt()
        do throws(StoreError) {
            for mutation in mutations { try copy.perform(mutation, &receipt) }
        } catch {
            return .failure(error)
        }
        self = copy
        return .success(receipt)
    }

    /// Whether nothing is left in it.
    var isEmpty: Bool {
        applications.isEmpty && sessions.isEmpty && tasks.isEmpty
    }
}

extension StoreError {
    /// What the model says when a change does not fit.
    static func model(_ code: Code) -> StoreError {
        StoreError(code: code, message: "the model says \(code.rawValue)")
    }
}

extension ModelStore {
    /// Answers a question of the state machine, as the store does.
    mutating func find(_ query: DaemonStateMachine.Query) -> DaemonStateMachine.Finding {
        switch query {
        case .candidates(let search):
            .candidates(candidates(search), for: search)
        case .events(let id, let sequence, let limit, let call):
            .events(events(session: id, after: sequence, limit: limit), session: id, call)
        case .session(let id):
            .session(session(id: id))
        case .task(let key, let ending):
            .task(record(key), key, ending)
        case .repeated(let id, let call):
            .repeated(record(.id(id)), task: id, call)
        case .secured(let id, let upload, let call):
            .secured(record(.id(id)), task: id, upload, call)
        case .revise(let key, let revision, let call):
            .revise(record(key), key, revision, call)
        case .sweep(let call, let scope, let last):
            .sweep(tasks(filter(scope), after: last, limit: 100), call)
        case .overdue(let now):
            .overdue(overdueTasks(at: now, limit: 100))
        case .dated(let last):
            .dated(datedTasks(after: last, limit: 100))
        case .earliestDeadline:
            .earliestDeadline(earliestDeadline())
        case .totals:
            .totals(totals())
        }
    }

    private func record(_ key: TaskKey) -> TaskRecord? { (try? task(key))?.record }

    private func filter(_ scope: DaemonStateMachine.Sweep.Scope) -> TaskFilter {
        let unfinished = Set(TaskRecord.State.allCases).subtracting([.completed])
        return switch scope {
        case .application(let id): TaskFilter(scope: .application(id), states: unfinished)
        case .session(let id): TaskFilter(scope: .session(id), states: unfinished)
        }
    }

    /// Gives each place to the application that has the fewest by then, and goes round its hosts, behind the one that
    /// was served last.
    private mutating func candidates(_ search: CandidateSearch) -> Candidates {
        releaseElapsed(at: search.now)
        let ready = waiting().filter { task in
            task.notBefore == nil && !search.saturatedHosts.contains(task.host)
                && search.saturatedSessions[task.host]?.contains(task.sessionID) != true
                && !search.fullSessions.contains(task.sessionID)
                && !search.runningTasks.contains(task.id)
                && avoided(by: task).isDisjoint(with: search.conditions)
        }
        var queues = Dictionary(grouping: ready) { tasks[$0.id]?.applicationID ?? 0 }
        for (application, tasks) in queues {
            let round = Self.round(tasks, behind: search.turn(of: application).lastHost, search)
            queues[application] = Array(round.prefix(search.limit))
        }
        var places = queues.keys.reduce(into: [:]) { $0[$1] = search.turn(of: $1).slots }
        var found: [TaskRecord] = []
        while found.count < search.limit {
            let next = queues.keys.filter { queues[$0]?.isEmpty == false }.min { first, second in
                let (one, other) = (search.turn(of: first), search.turn(of: second))
                return (places[first] ?? 0, one.slots, one.lastServed, first)
                    < (places[second] ?? 0, other.slots, other.lastServed, second)
            }
            guard let next, let task = queues[next]?.removeFirst() else { break }
            guard found.count(where: { $0.host == task.host }) < search.limitPerHost else {
                continue
            }
            places[next, default: 0] += 1
            found.append(task)
        }
        return Candidates(
            tasks: found,
            earliestNotBefore: waiting().compactMap(\.notBefore).min(),
            avoided: waiting().reduce(into: []) { all, task in
                all.formUnion(task.avoids ?? [])
                all.formUnion(sessions[task.sessionID]?.avoids ?? [])
            }
        )
    }

    /// The conditions under which a task does not run.
    private func avoided(by task: TaskRecord) -> Conditions {
        task.avoids.map { $0.union(sessions[task.sessionID]?.avoids ?? []) } ?? []
    }

    private static func round(
        _ tasks: [TaskRecord],
        behind last: String?,
        _ search: CandidateSearch
    ) -> [TaskRecord] {
        let queues = Dictionary(grouping: tasks, by: \.host)
        let hosts = queues.keys.sorted()
        let round = hosts.filter { $0 > last ?? "" } + hosts.filter { $0 <= last ?? "" }
        return round.flatMap { host in
            queues[host, default: []].sorted { (-$0.priority, $0.id) < (-$1.priority, $1.id) }
                .prefix(search.limitPerHost)
        }
    }
}
