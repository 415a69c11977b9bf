import FerryStore
import FoundationEssentials

/// Answers the state machine's questions from the store.
struct StoreQuery {
    private static let pageSize = 100
    let store: Store

    /// Runs a query; a failure is an answer too.
    func run(_ query: DaemonStateMachine.Query) async -> DaemonStateMachine.QueryResult {
        do throws(StoreError) {
            return try await answer(query)
        } catch {
            return .failed(error)
        }
    }

    private func answer(
        _ query: DaemonStateMachine.Query
    ) async throws(StoreError) -> DaemonStateMachine.QueryResult {
        switch query {
        case .candidates(let request):
            return .candidates(try await store.candidates(request))
        case .events(let session, let sequence, let limit, _):
            return .events(
                try await store.events(session: session, after: sequence, limit: limit)
            )
        case .session(let id):
            return .session(try await store.session(id: id))
        case .task(.id(let id), _), .revise(.id(let id), _, _):
            return .tasks(try await store.task(id: id).map { [$0] } ?? [])
        case .task(.identifier(let session, let identifier), _),
            .revise(.identifier(let session, let identifier), _, _):
            let task = try await store.task(session: session, identifier: identifier)
            return .tasks(task.map { [$0] } ?? [])
        case .repeated(let id, _), .secured(let id, _, _):
            return .tasks(try await store.task(id: id).map { [$0] } ?? [])
        case .sweep(_, let scope, let last):
            return .tasks(try await store.tasks(filter(scope), after: last, limit: Self.pageSize))
        case .overdue(let now):
            return .tasks(try await store.overdueTasks(at: now, limit: Self.pageSize))
        case .dated(let last):
            return .tasks(try await store.datedTasks(after: last, limit: Self.pageSize))
        case .earliestDeadline:
            return .earliestDeadline(try await store.earliestDeadline())
        case .totals:
            return .totals(try await store.totals())
        }
    }

    private func filter(_ scope: DaemonStateMachine.Sweep.Scope) -> TaskFilter {
        let unfinished = Set(TaskRecord.State.allCases).subtracting([.completed])
        return switch scope {
        case .application(let id): TaskFilter(scope: .application(id), states: unfinished)
        case .session(let id): TaskFilter(scope: .session(id), states: unfinished)
        }
    }
}
