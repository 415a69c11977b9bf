import FerryStore
import FerrySystem
import FoundationEssentials

@testable import FerryDaemon

/// A question to the store with its parameters: one case for each of its queries.
///
/// `ModelConformanceTests` asks the store and its model the same ones.
enum StoreQuestion: Sendable {
    case applications
    case rates
    case clock
    case application(ApplicationID)
    case sessions(application: ApplicationID)
    case session(SessionID)
    case namedSession(application: ApplicationID, String)
    case totals
    case tasks(TaskFilter, after: TaskID, limit: Int)
    case page(TaskFilter, after: TaskID, limit: Int)
    case pageOf([TaskID])
    case standings([TaskID])
    case task(TaskID)
    case namedTask(session: SessionID, Int)
    case overdue(Date)
    case dated(after: TaskID, limit: Int)
    case ended(limit: Int)
    case earliestDeadline
    case candidates(CandidateSearch)
    case events(session: SessionID, after: Int64, limit: Int)

    /// The store's answer, as a value that can be compared; what comes in no particular order is a set.
    func answer(of store: Store) async throws(StoreError) -> AnyHashable {
        switch self {
        case .applications: try await store.applications()
        case .rates: try await store.rates()
        case .clock: try await store.clock()
        case .application(let id): try await store.application(id: id)
        case .sessions(let application): try await store.sessions(application: application)
        case .session(let id): try await store.session(id: id)
        case .namedSession(let application, let name):
            try await store.session(application: application, identifier: name)
        case .totals: try await store.totals()
        case .tasks(let filter, let id, let limit):
            try await store.tasks(filter, after: id, limit: limit)
        case .page(let filter, let id, let limit):
            try await store.page(of: filter, after: id, limit: limit, byteLimit: .max)
        case .pageOf(let ids): try await store.page(ids: ids, byteLimit: .max)
        case .standings(let ids): Set(try await store.standings(ofTasks: ids))
        case .task(let id): try await store.task(id: id)
        case .namedTask(let session, let identifier):
            try await store.task(session: session, identifier: identifier)
        case .overdue(let date): Set(try await store.overdueTasks(at: date, limit: 999))
        case .dated(let id, let limit): try await store.datedTasks(after: id, limit: limit)
        case .ended(let limit): try await store.endedTasks(limit: limit).records
        case .earliestDeadline: try await store.earliestDeadline()
        case .candidates(let search): try await store.candidates(search)
        case .events(let session, let sequence, let limit):
            try await store.events(session: session, after: sequence, limit: limit)
        }
    }

    /// The model's answer.
    func answer(of model: inout ModelStore) -> AnyHashable {
        switch self {
        case .applications: return model.allApplications()
        case .rates: return model.rates
        case .clock: return model.clock
        case .application(let id): return model.applications[id]
        case .sessions(let application): return model.sessions(application: application)
        case .session(let id): return model.session(id: id)
        case .namedSession(let application, let name):
            return model.sessions(application: application).first { $0.identifier == name }
        case .totals: return model.totals()
        case .tasks(let filter, let id, let limit):
            return model.tasks(filter, after: id, limit: limit)
        case .page(let filter, let id, let limit):
            let found = model.tasks(filter, after: id, limit: limit + 1)
            let tasks = Array(found.prefix(limit))
            return TaskPage(tasks: tasks, next: found.count > limit ? tasks.last?.id : nil)
        case .pageOf(let ids): return TaskPage(tasks: ids.compactMap { model.tasks[$0]?.record })
        case .standings(let ids):
            return Set(
                ids.compactMap { model.tasks[$0]?.record }.map { task in
                    TaskStanding(
                        id: task.id,
                        sessionID: task.sessionID,
                        state: task.state,
                        hasFailed: task.lastError != nil
                    )
                }
            )
        case .task(let id): return model.tasks[id]?.record
        case .namedTask(let session, let identifier):
            return try? model.task(.identifier(session: session, identifier)).record
        case .overdue(let date): return Set(model.overdueTasks(at: date, limit: 999))
        case .dated(let id, let limit): return model.datedTasks(after: id, limit: limit)
        case .ended(let limit): return model.endedTasks(limit: limit)
        case .earliestDeadline: return model.earliestDeadline()
        case .candidates(let search):
            guard case .candidates(let found, _) = model.find(.candidates(search)) else { return 0 }
            return found
        case .events(let session, let sequence, let limit):
            return model.events(session: session, after: sequence, limit: limit)
        }
    }
}

extension RandomMutations {
    /// All questions, each with parameters that mostly have an answer.
    mutating func questions() -> [StoreQuestion] {
        [
            .applications, random.one(of: [.rates, .clock]), .application(application()),
            .sessions(application: application()), .session(session()),
            .namedSession(application: application(), random.one(of: ["x", "y", "z"])), .totals,
            .tasks(TaskFilter(), after: 0, limit: 999),
            .tasks(filter(), after: number(below: 20), limit: 1 + random.number(below: 6)),
            .page(filter(), after: number(below: 20), limit: 1 + random.number(below: 6)),
            .pageOf((0..<random.number(below: 5)).map { _ in task() }),
            .standings((0..<random.number(below: 5)).map { _ in task() }), .task(task()),
            .namedTask(session: session(), 1 + random.number(below: 9)), .overdue(anyTime()),
            .dated(after: 0, limit: 999),
            .dated(after: number(below: 20), limit: 1 + random.number(below: 4)),
            .ended(limit: 1 + random.number(below: 9)), .earliestDeadline, .candidates(search()),
            .events(
                session: session(),
                after: Int64(random.number(below: 5)),
                limit: 1 + random.number(below: 4)
            ),
        ]
    }

    private mutating func number(below end: Int) -> TaskID {
        TaskID(Int64(random.number(below: end)))
    }

    private mutating func anyTime() -> Date { now + Double(random.number(below: 40)) - 10 }

    private mutating func filter() -> TaskFilter {
        let scopes = [TaskFilter.Scope.all, .application(application()), .session(session())]
        let states = TaskRecord.State.allCases.filter { _ in random.happens(percent: 60) }
        return TaskFilter(scope: random.one(of: scopes), states: Set(states))
    }

    private mutating func search() -> CandidateSearch {
        var turns: [ApplicationID: CandidateSearch.Turn] = [:]
        for _ in 0..<random.number(below: 4) {
            turns[application()] = CandidateSearch.Turn(
                slots: random.number(below: 3),
                lastServed: UInt64(random.number(below: 3)),
                lastHost: random.happens(percent: 50) ? nil : host()
            )
        }
        return CandidateSearch(
            now: now,
            limit: 1 + random.number(below: 5),
            limitPerHost: 1 + random.number(below: 3),
            saturatedHosts: random.happens(percent: 30) ? [host()] : [],
            saturatedSessions: [host(): [session()]],
            runningTasks: [task(), task()],
            turns: turns,
            conditions: conditions()
        )
    }
}
