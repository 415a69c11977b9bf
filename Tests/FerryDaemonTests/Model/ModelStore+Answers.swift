import FerryStore
import FoundationEssentials

@testable import FerryDaemon

extension ModelStore {
    /// Answers a question of the state machine, as `StoreQuery` does.
    mutating func answer(
        _ query: DaemonStateMachine.Query
    ) -> DaemonStateMachine.QueryResult {
        switch query {
        case .candidates(let request):
            .candidates(candidates(request), next: earliestNotBefore())
        case .events(let session, let sequence, let limit, _):
            .events(events(session: session, after: sequence, limit: limit))
        case .session(let id):
            .session(session(id: id))
        case .task(let key, _):
            .tasks((try? task(key)).map { [$0.record] } ?? [])
        case .sweep(_, let scope, let last):
            .tasks(tasks(filter(scope), after: last, limit: 100))
        case .overdue(let now):
            .tasks(overdueTasks(at: now, limit: 100))
        case .earliestDeadline:
            .earliestDeadline(earliestDeadline())
        case .totals:
            .totals(totals())
        }
    }

    private func filter(_ scope: DaemonStateMachine.Sweep.Scope) -> TaskFilter {
        let unfinished = Set(TaskRecord.State.allCases).subtracting([.completed])
        return switch scope {
        case .application(let id): TaskFilter(scope: .application(id), states: unfinished)
        case .session(let id): TaskFilter(scope: .session(id), states: unfinished)
        }
    }

    /// Goes round the hosts with tasks that may start, behind the one that was served last.
    private mutating func candidates(
        _ request: DaemonStateMachine.Search.Request
    ) -> [TaskRecord] {
        let hosts = hostQueues(at: request.now, onlyReady: true, limit: .max).map(\.host)
        let last = request.lastHost ?? ""
        let round = hosts.filter { $0 > last } + hosts.filter { $0 <= last }
        var found: [TaskRecord] = []
        for host in round where !request.saturatedHosts.contains(host) {
            guard found.count < request.limit else { break }
            found += nextTasks(
                host: host,
                at: request.now,
                excludingSessions: request.saturatedSessions[host] ?? [],
                excludingTasks: request.runningTasks,
                limit: min(request.limitPerHost, request.limit - found.count)
            )
        }
        return found
    }
}
