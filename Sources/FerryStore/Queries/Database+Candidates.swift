extension Database {
    /// Returns the tasks that may start.
    ///
    /// Applications take turns, the one with the fewest places first; within an application, the hosts take
    /// turns, after the host that was served last.
    func candidates(_ search: CandidateSearch) throws(StoreError) -> Candidates {
        // All statements see one state, and the log's lock is taken once.
        try beginReading()
        defer { rollBack() }
        var queues: [ApplicationQueue] = []
        for application in try readyApplications(search) where queues.count < search.limit {
            let candidates = try candidates(of: application, search)
            guard !candidates.isEmpty else { continue }
            let places = search.turns[application]?.places ?? 0
            queues.append(ApplicationQueue(places: places, candidates: candidates[...]))
        }
        return Candidates(
            tasks: try tasks(ids: Self.fairOrder(queues, search)),
            earliestNotBefore: try earliestNotBefore()
        )
    }

    /// Gives each place to the application that has the fewest at that point.
    private static func fairOrder(
        _ queues: [ApplicationQueue],
        _ search: CandidateSearch
    ) -> [Int64] {
        var queues = queues
        var chosen: [Int64] = []
        var counts: [String: Int] = [:]
        while chosen.count < search.limit {
            let indices = queues.indices.filter { !queues[$0].candidates.isEmpty }
            // Of several with equally few, the first has waited longest.
            guard let next = indices.min(by: { queues[$0].places < queues[$1].places }),
                let candidate = queues[next].candidates.popFirst()
            else { break }
            guard counts[candidate.host, default: 0] < search.limitPerHost else { continue }
            counts[candidate.host, default: 0] += 1
            queues[next].places += 1
            chosen.append(candidate.id)
        }
        return chosen
    }
}

// MARK: - Parts

/// The tasks that an application could run.
private struct ApplicationQueue {
    /// The number of its places, including those that it has been given.
    var places: Int
    var candidates: ArraySlice<Candidate>
}

/// A task that may be the next one of its application.
private struct Candidate: Comparable {
    var id: Int64
    var priority: Double
    var host: String

    static func < (first: Candidate, second: Candidate) -> Bool {
        first.priority == second.priority
            ? first.id < second.id : first.priority > second.priority
    }
}

extension Database {
    private static let hostPageSize = 100

    /// Returns the applications with tasks that may start, by fewest places, then by the longest wait.
    private func readyApplications(_ search: CandidateSearch) throws(StoreError) -> [Int64] {
        var ready: [Int64] = []
        // Each step moves to the next application in the index, past all hosts of the previous one.
        while let next = try nextReadyApplication(after: ready.last ?? 0) { ready.append(next) }
        return ready.sorted { first, second in
            let (first, second) = (search.turn(of: first), search.turn(of: second))
            return (first.places, first.lastServed) < (second.places, second.lastServed)
        }
    }

    private func nextReadyApplication(after application: Int64) throws(StoreError) -> Int64? {
        try connection.first(
            """
            SELECT application_id FROM host_queues INDEXED BY host_queues_ready
            WHERE application_id > ? AND ready_count > 0 ORDER BY application_id LIMIT 1
            """,
            application
        ) { $0.integer() }
    }

    /// Returns the tasks that an application could run, within the search's limits.
    private func candidates(
        of application: Int64,
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
        of application: Int64,
        _ search: CandidateSearch,
        after first: String,
        through last: String?,
        foundCount: Int = 0
    ) throws(StoreError) -> [Candidate] {
        var found: [Candidate] = []
        var page = [first]
        while let cursor = page.last {
            page = try readyHosts(of: application, after: cursor)
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
        of application: Int64,
        _ search: CandidateSearch,
        limit: Int
    ) throws(StoreError) -> [Candidate] {
        let excluded = search.saturatedSessions[host] ?? []
        var candidates: [Candidate] = []
        for session in try readySessions(host, of: application) where !excluded.contains(session) {
            // This many of each session are enough, even if running tasks are among them.
            let first = try firstCandidates(
                host: host,
                session: session,
                limit: limit + search.runningTasks.count
            )
            candidates += first.filter { !search.runningTasks.contains($0.id) }
        }
        return Array(candidates.sorted().prefix(limit))
    }

    private func readySessions(
        _ host: String,
        of application: Int64
    ) throws(StoreError) -> [Int64] {
        try connection.rows(
            """
            SELECT session_id FROM host_queues
            WHERE host = ? AND application_id = ? AND ready_count > 0
            """,
            host,
            application
        ) { $0.integer() }
    }

    private func firstCandidates(
        host: String,
        session: Int64,
        limit: Int
    ) throws(StoreError) -> [Candidate] {
        try connection.rows(
            """
            SELECT id, priority FROM tasks INDEXED BY tasks_ready
            WHERE host = ? AND session_id = ? AND state = 1 AND not_before IS NULL
            ORDER BY priority DESC, id LIMIT ?
            """,
            host,
            session,
            limit
        ) { Candidate(id: $0.integer(), priority: $0.double(), host: host) }
    }

    private func readyHosts(
        of application: Int64,
        after host: String
    ) throws(StoreError) -> [String] {
        try connection.rows(
            """
            SELECT DISTINCT host FROM host_queues INDEXED BY host_queues_ready
            WHERE application_id = ? AND host > ? AND ready_count > 0
            ORDER BY host LIMIT ?
            """,
            application,
            host,
            Self.hostPageSize
        ) { $0.text() }
    }
}
