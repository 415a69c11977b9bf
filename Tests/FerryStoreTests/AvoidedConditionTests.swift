import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AvoidedConditionTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    private func search(_ conditions: Conditions) async throws -> Candidates {
        try await store.candidates(
            CandidateSearch(now: moment(0), limit: 10, limitPerHost: 10, conditions: conditions)
        )
    }

    private func found(_ conditions: Conditions) async throws -> [TaskID] {
        try await search(conditions).tasks.map(\.id)
    }

    private func insert(_ id: TaskID, session: SessionID, avoids: Conditions) async throws {
        var task = TaskRecord.waiting(id, session: session)
        task.avoids = avoids
        try await store.commit([.insertTask(task)])
    }

    @Test func `a task is found while the machine is in none of the conditions that it avoids`()
        async throws
    {
        let session = try await store.openedSession()
        try await insert(1, session: session.id, avoids: .expensiveNetwork)
        try await insert(2, session: session.id, avoids: [.battery, .powerSaver])
        try await insert(3, session: session.id, avoids: [])
        #expect(try await found([]) == [1, 2, 3])
        #expect(try await found(.battery) == [1, 3])
        #expect(try await found([.expensiveNetwork, .cellularNetwork]) == [2, 3])
        #expect(try await found([.expensiveNetwork, .powerSaver]) == [3])
        #expect(
            try await search([]).tasks.map(\.avoids) == [
                .expensiveNetwork, [.battery, .powerSaver], [],
            ]
        )
    }

    @Test func `tasks that avoid different conditions keep the order of their priorities`()
        async throws
    {
        let session = try await store.openedSession()
        for (id, avoids) in [(1, Conditions.battery), (2, []), (3, .powerSaver), (4, [])] {
            try await insert(TaskID(id), session: session.id, avoids: avoids)
        }
        try await store.commit([.prioritizeTask(.id(3), 1)])
        #expect(try await found([]) == [3, 1, 2, 4])
    }

    @Test func `what a session avoids holds for each of its tasks, and follows the session`()
        async throws
    {
        func open(_ avoids: Conditions) async throws -> SessionID {
            let opening = Mutation.openSession(
                application: "app",
                launch: nil,
                identifier: "session",
                configuration: [],
                avoids: avoids
            )
            return try #require(try await store.commit([opening]).openedSessions.first).session.id
        }
        let session = try await open(.expensiveNetwork)
        try await insert(1, session: session, avoids: .battery)
        try await insert(2, session: session, avoids: [])
        #expect(try await found(.battery) == [2])
        #expect(try await found(.expensiveNetwork) == [])
        #expect(try await search([]).avoided == [.expensiveNetwork, .battery])
        _ = try await open([])
        #expect(try await found(.expensiveNetwork) == [1, 2])
        #expect(try await search([]).avoided == .battery)
    }

    @Test
    func `a task that a person lets run is found under all conditions, whatever is set later`()
        async throws
    {
        let session = try await store.openedSession()
        try await insert(1, session: session.id, avoids: .battery)
        try await store.commit([.avoidConditions(.id(1), nil)])
        try await store.commit([.avoidConditions(.id(1), .powerSaver)])
        #expect(try await found([.battery, .powerSaver]) == [1])
        #expect(try await store.task(id: 1)?.avoids == .some(nil))
        #expect(try await search([]).avoided == [])
    }

    @Test func `a task that avoids other conditions than before is in another queue`() async throws
    {
        let session = try await store.openedSession()
        try await insert(1, session: session.id, avoids: .battery)
        try await store.commit([.avoidConditions(.id(1), .powerSaver)])
        #expect(try await found(.battery) == [1])
        #expect(try await found(.powerSaver) == [])
        try await store.commit([.completeTask(.id(1), NewEnd(event: []))])
        #expect(try await search([]).avoided == [])
    }

    @Test
    func `tasks that back off count among those that avoid conditions, suspended ones do not`()
        async throws
    {
        let session = try await store.openedSession()
        try await insert(1, session: session.id, avoids: .battery)
        try await insert(2, session: session.id, avoids: .powerSaver)
        try await store.commit([
            .setRetry(task: 1, attempts: 1, notBefore: moment(50), lastError: nil),
            .suspendTask(.id(2), at: moment(0)),
        ])
        #expect(try await search([]).avoided == .battery)
    }
}
