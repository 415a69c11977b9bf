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
            .candidates(candidates(request))
        case .events(let session, let sequence, let limit, _):
            .events(events(session: session, after: sequence, limit: limit))
        case .session(let id):
            .session(session(id: id))
        case .task(let key, _), .revise(let key, _, _):
            .tasks((try? task(key)).map { [$0.record] } ?? [])
        case .repeated(let id, _), .secured(let id, _, _):
            .tasks((try? task(.id(id))).map { [$0.record] } ?? [])
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
    private mutating func candidates(_ search: CandidateSearch) -> Candidates {
        releaseElapsed(at: search.now)
        let ready = waiting().filter { task in
            task.notBefore == nil && !search.saturatedHosts.contains(task.host)
                && search.saturatedSessions[task.host]?.contains(task.sessionID) != true
                && !search.runningTasks.contains(task.id)
        }
        let queues = Dictionary(grouping: ready, by: \.host)
        let hosts = queues.keys.sorted()
        let last = search.lastHost ?? ""
        let round = hosts.filter { $0 > last } + hosts.filter { $0 <= last }
        let found = round.flatMap { host in
            let queue = queues[host, default: []]
            return queue.sorted { (-$0.priority, $0.id) < (-$1.priority, $1.id) }
                .prefix(search.limitPerHost)
        }
        return Candidates(
            tasks: Array(found.prefix(search.limit)),
            earliestNotBefore: waiting().compactMap(\.notBefore).min()
        )
    }
}
