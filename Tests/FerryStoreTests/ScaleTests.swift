import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryStore

/// What a queue of any length costs.
@Suite(.timeLimit(.minutes(2)))
struct ScaleTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    /// Every query and every mutation once.
    private func useEverything(session: SessionRecord, task: TaskID) async throws {
        let id = session.id
        let application = session.applicationID
        try await store.commit([
            .insertTask(.waiting(task, session: id, notBefore: moment(1))),
            .insertTask(.waiting(task + 1, session: id)),
            .suspendTask(.id(task), at: moment(0)),
            .resumeTask(
                .identifier(session: id, Int(task.rawValue)),
                at: moment(0),
                resourceTimeout: 9
            ),
            .holdTask(task, at: moment(1)), .releaseTask(task, at: moment(2)),
            .setProgress(task: task, receivedByteCount: 1, expectedByteCount: 2),
            .setCheckpoint(task: task, [1]),
            .setExchange(task: task, currentRequest: [1], response: [2]),
            .describeTask(.id(task), "text"),
            .prioritizeTask(.id(task), 0.3),
            .avoidConditions(.id(task), .powerSaver),
            .setQuit(application: application, false),
            .setLaunch(application: application, nil),
            .setLaunchState(application: application, attempts: 0, nextLaunchAt: nil),
            .setConfiguration(session: id, [1]),
        ])
        try await readEverything(session: session, task: task)
        try await store.commit([
            .setRetry(task: task, attempts: 1, notBefore: moment(50), lastError: [1]),
            .completeTask(.id(task), NewEnd(event: [], memory: [1])),
            .deleteTask(id: task + 1),
        ])
        let event = try #require(await store.events(session: id, limit: 3).last)
        try await store.commit([.acknowledge(session: id, sequence: event.sequence, path: "/a")])
    }

    /// Every query once.
    private func readEverything(session: SessionRecord, task: TaskID) async throws {
        let id = session.id
        let application = session.applicationID
        _ = try await store.overdueTasks(at: moment(10), limit: 3)
        _ = try await store.earliestDeadline()
        let search = CandidateSearch(
            now: moment(1),
            limit: 3,
            limitPerHost: 3,
            conditions: .battery
        )
        _ = try await store.candidates(search)
        for scope in [TaskFilter.Scope.all, .application(application), .session(id)] {
            _ = try await store.tasks(
                TaskFilter(scope: scope),
                after: TaskID(task.rawValue / 2),
                limit: 3
            )
        }
        _ = try await store.page(ids: [task, task + 1], byteLimit: .max)
        _ = try await store.standings(ofTasks: [task, task + 1])
        _ = try await store.endedTasks()
        _ = try await store.task(id: task)
        _ = try await store.task(session: id, identifier: Int(task.rawValue))
        _ = try await store.session(id: id)
        _ = try await store.session(application: application, identifier: "session")
        _ = try await store.sessions(application: application)
        _ = try await store.application(id: application)
    }

    private func preparedStatements() async throws -> [String] {
        try await store.read { database throws(StoreError) in
            database.connection.preparedStatements
        }
    }

    @Test func `every statement finds its rows by an index and reads them in order`() async throws {
        let session = try await store.openedSession()
        try await useEverything(session: session, task: 1)
        try await store.commit([
            .insertTask(.waiting(30, session: session.id)),
            .insertTask(.waiting(20, session: session.id)),
        ])
        let doomed = try await store.openedSession("doomed")
        try await store.commit([.deleteSession(id: doomed.id)])
        let doomedApplication = try await store.openedSession("doomed", of: "doomed")
        try await store.commit([.deleteApplication(id: doomedApplication.applicationID)])
        let statements = try await preparedStatements().filter { sql in
            !sql.hasPrefix("PRAGMA") && !sql.contains("sqlite_")
        }
        #expect(statements.count > 40)
        for sql in statements {
            let plan = try await store.read { database throws(StoreError) in
                try database.connection.rows("EXPLAIN QUERY PLAN " + sql) { row in
                    _ = (row.integer(), row.integer(), row.integer())
                    return row.text()
                }
            }
            for step in plan {
                #expect(!step.hasPrefix("SCAN"), "\(sql)\n\(plan)")
                #expect(!step.contains("TEMP B-TREE"), "\(sql)\n\(plan)")
            }
        }
    }

    @Test func `the queue of a host is read in the order of its index`() async throws {
        let session = try await store.openedSession()
        try await useEverything(session: session, task: 1)
        let expected = [
            "SELECT id, priority": "USING INDEX tasks_ready (host=? AND session_id=? AND avoids=?)",
            "SELECT not_before FROM tasks INDEXED BY tasks_delayed\n": "(not_before>?)",
            "SELECT id FROM tasks INDEXED BY tasks_with_deadline": "(deadline<?)",
            "SELECT deadline FROM tasks INDEXED BY tasks_with_deadline": "(deadline>?)",
            "SELECT application_id FROM host_queues":
                "USING INDEX host_queues_ready (application_id>?)",
            "SELECT DISTINCT host FROM host_queues":
                "USING INDEX host_queues_ready (application_id=? AND host>?)",
            "SELECT session_id, avoids FROM host_queues": "(host=?)",
            "SELECT avoids FROM host_queues":
                "USING COVERING INDEX host_queues_avoiding (avoids>?)",
            "SELECT avoids FROM sessions": "USING COVERING INDEX sessions_avoiding (avoids>?)",
        ]
        let statements = try await preparedStatements()
        for (prefix, index) in expected {
            let sql = try #require(statements.first { $0.hasPrefix(prefix) }, "\(prefix)")
            let plan = try await store.read { database throws(StoreError) in
                try database.connection.rows("EXPLAIN QUERY PLAN " + sql) { row in
                    _ = (row.integer(), row.integer(), row.integer())
                    return row.text()
                }
            }
            // A queue's session is looked up by its number, and so are a session's counters.
            let lookups = plan.dropFirst().filter { !$0.hasPrefix("CORRELATED SCALAR SUBQUERY") }
                .map { $0.replacing("session_counters", with: "sessions") }
            #expect(plan.first?.contains(index) == true, "\(sql)\n\(plan)")
            #expect(
                lookups.allSatisfy { $0 == "SEARCH sessions USING INTEGER PRIMARY KEY (rowid=?)" },
                "\(sql)\n\(plan)"
            )
        }
    }

    /// What each statement has cost since the last call.
    private func takeCosts() async throws -> [String: StatementCost] {
        try await store.read { database throws(StoreError) in
            let connection = database.connection
            var costs: [String: StatementCost] = [:]
            for sql in connection.preparedStatements { costs[sql] = connection.takeCost(of: sql) }
            return costs
        }
    }

    private func insert(
        _ ids: ClosedRange<TaskID>,
        session: SessionID,
        avoids: Conditions = []
    ) async throws {
        for start in stride(from: ids.lowerBound, through: ids.upperBound, by: 1000) {
            let part = start...min(start + 999, ids.upperBound)
            try await store.commit(
                part.map { id in
                    var task = TaskRecord.waiting(
                        id,
                        session: session,
                        host: "host\(id.rawValue % 10)"
                    )
                    task.avoids = avoids
                    return .insertTask(task)
                },
                durability: .relaxed
            )
        }
    }

    @Test func `task 100 000 costs what the first ones cost`() async throws {
        let session = try await store.openedSession()
        try await insert(1...1000, session: session.id)
        _ = try await takeCosts()
        try await insert(1001...2000, session: session.id)
        try await useEverything(session: session, task: 2001)
        let early = try await takeCosts()
        try await insert(2003...99_000, session: session.id)
        _ = try await takeCosts()
        try await insert(99_001...100_000, session: session.id)
        try await useEverything(session: session, task: 100_001)
        let late = try await takeCosts()
        for (sql, cost) in late {
            let before = early[sql] ?? StatementCost()
            #expect(cost.programSteps <= before.programSteps * 11 / 10 + 20, "\(sql)")
            #expect(cost.scannedRows <= before.scannedRows, "\(sql)")
            #expect(cost.sorts == 0, "\(sql)")
        }
        #expect(try await store.totals().waitingTasks == 99_998)
    }

    @Test func `a search passes over a hundred thousand tasks that avoid a condition`() async throws
    {
        let session = try await store.openedSession()
        try await insert(1...100_000, session: session.id, avoids: .battery)
        try await insert(100_001...100_003, session: session.id, avoids: .powerSaver)
        let search = CandidateSearch(
            now: moment(0),
            limit: 32,
            limitPerHost: 16,
            conditions: .battery
        )
        _ = try await takeCosts()
        #expect(
            Set(try await store.candidates(search).tasks.map(\.id)) == [100_001, 100_002, 100_003]
        )
        let steps = try await takeCosts().values.reduce(0) { $0 + $1.programSteps }
        #expect(steps < 5000)
    }
}
