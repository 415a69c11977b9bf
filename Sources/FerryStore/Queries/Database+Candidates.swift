import FerrySystem

extension Database {
    /// Returns the tasks that may start.
    ///
    /// Applications take turns, the one with the fewest slots first; within an application, the hosts take
    /// turns, after the host that was served last.
    func candidates(_ search: CandidateSearch) throws(StoreError) -> Candidates {
        // All statements see one state, and the log's lock is taken once.
        try beginReading()
        defer { endReading() }
        var queues: [ApplicationQueue] = []
        for application in try readyApplications(search) where queues.count < search.limit {
            let candidates = try candidates(of: application, search)
            guard !candidates.isEmpty else { continue }
            let slots = search.turns[application]?.slots ?? 0
            queues.append(ApplicationQueue(slots: slots, candidates: candidates[...]))
        }
        return Candidates(
            tasks: try tasks(ids: Self.fairOrder(queues, search)),
            earliestNotBefore: try earliestNotBefore(),
            avoided: try avoidedConditions()
        )
    }

    /// Gives each slot to the application that has the fewest at that point.
    private static func fairOrder(
        _ queues: [ApplicationQueue],
        _ search: CandidateSearch
    ) -> [TaskID] {
        var queues = queues
        var chosen: [TaskID] = []
        var counts: [String: Int] = [:]
        while chosen.count < search.limit {
            let indices = queues.indices.filter { !queues[$0].candidates.isEmpty }
            // Of several with equally few, the first has waited longest.
            guard let next = indices.min(by: { queues[$0].slots < queues[$1].slots }),
                let candidate = queues[next].candidates.popFirst()
            else { break }
            guard counts[candidate.host, default: 0] < search.limitPerHost else { continue }
            counts[candidate.host, default: 0] += 1
            queues[next].slots += 1
            chosen.append(candidate.id)
        }
        return chosen
    }
}

// MARK: - Parts

/// The tasks that an application could run.
private struct ApplicationQueue {
    /// The number of its slots, including those that it has been given.
    var slots: Int
    var candidates: ArraySlice<Candidate>
}

/// The waiting tasks of a session for one host that avoid the same conditions.
private struct SessionQueue {
    var session: SessionID
    var avoids: Conditions
}

/// A task that may be the next one of its application.
private struct Candidate: Comparable {
    var id: TaskID
    var priority: Double
    var host: String

    static func < (first: Candidate, second: Candidate) -> Bool {
        first.priority == second.priority
            ? first.id < second.id : first.priority > second.priority
    }
}

extension Database {
    private static let hostPageSize = 100

    private static let nextApplication = Statement(
        """
        SELECT application_id FROM host_queues INDEXED BY host_queues_ready
        WHERE application_id > ? AND ready_count > 0 ORDER BY application_id LIMIT 1
        """
    )
    /// Whether the tasks of a queue avoid none of the conditions that are the third parameter.
    private static let mayRun = """
        avoids = -1
            OR (avoids | (SELECT sessions.avoids FROM sessions WHERE sessions.id = session_id)) & ?3 = 0
        """
    private static let queuesOfHost = Statement(
        """
        SELECT session_id, avoids FROM host_queues
        WHERE host = ?1 AND application_id = ?2 AND ready_count > 0
            AND (?3 = 0 OR \(mayRun))
        """
    )
    private static let firstTasks = Statement(
        """
        SELECT id, priority FROM tasks INDEXED BY tasks_ready
        WHERE host = ? AND session_id = ? AND avoids = ? AND state = 1 AND not_before IS NULL
        ORDER BY priority DESC, id LIMIT ?
        """
    )
    private static let nextHosts = Statement(
        """
        SELECT DISTINCT host FROM host_queues INDEXED BY host_queues_ready
        WHERE application_id = ?1 AND host > ?2 AND ready_count > 0
            AND (?3 = 0 OR \(mayRun))
        ORDER BY host LIMIT ?4
        """
    )
    private static let avoidedBySessions = Statement(
        """
        SELECT avoids FROM sessions INDEXED BY sessions_avoiding
        JOIN session_counters ON session_counters.session_id = sessions.id
        WHERE avoids > 0 AND waiting_count > 0
        """
    )
    private static let nextAvoided = Statement(
        """
        SELECT avoids FROM host_queues INDEXED BY host_queues_avoiding
        WHERE avoids > ? AND avoids > 0 ORDER BY avoids LIMIT 1
        """
    )

    /// Returns the applications with tasks that may start, by fewest slots, then by the longest wait.
    private func readyApplications(_ search: CandidateSearch) throws(StoreError) -> [ApplicationID]
    {
        var ready: [ApplicationID] = []
        // Each step moves to the next application in the index, past all hosts of the previous one.
        while let next = try nextReadyApplication(after: ready.last ?? 0) { ready.append(next) }
        return ready.sorted { first, second in
            let (first, second) = (search.turn(of: first), search.turn(of: second))
            return (first.slots, first.lastServed) < (second.slots, second.lastServed)
        }
    }

    private func nextReadyApplication(
        after application: ApplicationID
    ) throws(StoreError) -> ApplicationID? {
        try connection.first(Self.nextApplication, application) { $0.id() }
    }

    /// Returns the tasks that an application could run, within the search's limits.
    private func candidates(
        of application: ApplicationID,
        _ search: CandidateSearch
    ) throws(StoreError) -> [Candidate] {
        let last = search.turns[application]?.lastHost
        var found = try candidates(of: application, search, after: last ?? "", through: nil)
        if let last, found.count < search.limit {
            found += try candidates(
                of: application,
                search,
                after: "",
                through: last,
                foundCount: found.count
            )
        }
        return found
    }

    /// Returns the candidates of the hosts after one, up to another.
    private func candidates(
        of application: ApplicationID,
        _ search: CandidateSearch,
        after first: String,
        through last: String?,
        foundCount: Int = 0
    ) throws(StoreError) -> [Candidate] {
        var found: [Candidate] = []
        var page = [first]
        while let cursor = page.last {
            page = try readyHosts(of: application, after: cursor, search.conditions)
            for host in page where !search.saturatedHosts.contains(host) {
                if let last, host > last { return found }
                let room = search.limit - foundCount - found.count
                guard room > 0 else { return found }
                let limit = min(search.limitPerHost, room)
                found += try nextTasks(host, of: application, search, limit: limit)
            }
            if page.count < Self.hostPageSize { break }
        }
        return found
    }

    /// Returns an application's ready tasks of a host, by priority, then by number.
    private func nextTasks(
        _ host: String,
        of application: ApplicationID,
        _ search: CandidateSearch,
        limit: Int
    ) throws(StoreError) -> [Candidate] {
        let excluded = search.fullSessions.union(search.saturatedSessions[host] ?? [])
        var candidates: [Candidate] = []
        for queue in try readyQueues(host, of: application, search.conditions)
        where !excluded.contains(queue.session) {
            // This many of each queue are enough, even if running tasks are among them.
            let first = try firstCandidates(
                host: host,
                queue,
                limit: limit + search.runningTasks.count
            )
            candidates += first.filter { !search.runningTasks.contains($0.id) }
        }
        return Array(candidates.sorted().prefix(limit))
    }

    /// Returns an application's queues of a host with tasks that avoid none of some conditions.
    private func readyQueues(
        _ host: String,
        of application: ApplicationID,
        _ conditions: Conditions
    ) throws(StoreError) -> [SessionQueue] {
        try connection.rows(Self.queuesOfHost, host, application, conditions) {
            SessionQueue(session: $0.id(), avoids: $0.conditions())
        }
    }

    private func firstCandidates(
        host: String,
        _ queue: SessionQueue,
        limit: Int
    ) throws(StoreError) -> [Candidate] {
        try connection.rows(Self.firstTasks, host, queue.session, queue.avoids, limit) {
            Candidate(id: $0.id(), priority: $0.double(), host: host)
        }
    }

    /// Returns the next hosts for which an application has tasks that avoid none of some conditions.
    private func readyHosts(
        of application: ApplicationID,
        after host: String,
        _ conditions: Conditions
    ) throws(StoreError) -> [String] {
        try connection.rows(
            Self.nextHosts,
            application,
            host,
            conditions,
            Self.hostPageSize
        ) { $0.text() }
    }

    /// Returns the conditions that any waiting task avoids, or any session with waiting tasks.
    private func avoidedConditions() throws(StoreError) -> Conditions {
        var avoided: Conditions = []
        var last = Conditions()
        // There are few sets of conditions: each step moves to the next in the index.
        while let next = try nextAvoided(after: last) {
            avoided.formUnion(next)
            last = next
        }
        let ofSessions = try connection.rows(Self.avoidedBySessions) { $0.conditions() }
        return ofSessions.reduce(avoided) { $0.union($1) }
    }

    private func nextAvoided(after conditions: Conditions) throws(StoreError) -> Conditions? {
        try connection.first(Self.nextAvoided, conditions) { $0.conditions() }
    }
}
