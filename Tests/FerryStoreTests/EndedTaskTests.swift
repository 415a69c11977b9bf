import FerrySystem
import FerryTestSupport
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryStore

/// What is remembered of tasks that have ended.
@Suite(.timeLimit(.minutes(1)))
struct EndedTaskTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    private func end(_ task: TaskID, _ record: Encoded<Wire.EndedTask>? = [1]) -> Mutation {
        .completeTask(.id(task), NewEnd(event: [], memory: record))
    }

    @Test
    func `USE-10: a task that is gone is remembered, with its file's path, across restarts`()
        async throws
    {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(7, session: session.id)), end(7, [5])])
        // It is still listed among the tasks.
        #expect(try await store.endedTasks().records == [])
        try await store.commit(
            [.acknowledge(session: session.id, sequence: 1, path: "/home/ana/debian.iso")]
        )
        let expected = [EndedTaskRecord(id: 7, task: [5], path: "/home/ana/debian.iso")]
        #expect(try await store.endedTasks().records == expected)
        try await store.commit([.deleteApplication(id: session.applicationID)])
        await store.close()
        let reopened = try Store(directory: temporary.directory)
        #expect(try await reopened.endedTasks().records == expected)
    }

    @Test func `USE-10: a task is remembered once, as it ended first`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)), end(1, [1]), end(1, [2]),
            .acknowledge(session: session.id, sequence: 1),
        ])
        #expect(try await store.endedTasks().records == [EndedTaskRecord(id: 1, task: [1])])
    }

    @Test func `USE-10: that a file was deleted untaken is remembered`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)),
            .insertTask(.waiting(2, session: session.id)), end(1), .deleteTask(id: 1),
            .deleteTask(id: 2),
        ])
        #expect(
            try await store.endedTasks().records
                == [EndedTaskRecord(id: 1, task: [1], isDiscarded: true)]
        )
    }

    @Test func `USE-10: a failed commit leaves nothing behind`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
        await #expect(throws: StoreError.self) {
            try await store.commit([end(1), .setCheckpoint(task: 99, [1])])
        }
        try await store.commit([.deleteTask(id: 1)])
        #expect(try await store.endedTasks().records == [])
    }

    @Test func `USE-10: the last thousand are remembered, in the order of their ends`() async throws
    {
        let session = try await store.openedSession()
        let count: TaskID = 1300
        for first in stride(from: 1, through: count, by: 100) {
            let ids = first..<min(first + 100, count + 1)
            try await store.commit(ids.map { .insertTask(.waiting($0, session: session.id)) })
        }
        // The first one is slow, and ends last: the order is not that of the numbers.
        for first in stride(from: 2, through: count, by: 100) {
            let ids = first..<min(first + 100, count + 1)
            try await store.commit(ids.map { end($0) }, durability: .relaxed)
        }
        try await store.commit([end(1), .deleteSession(id: session.id)])
        let remembered = try await store.endedTasks().records.map(\.id)
        #expect(remembered == [1] + (count + -998...count).reversed())
        #expect(try await store.endedTasks(limit: 2).records.map(\.id) == [1, count])
        let rows = try await store.read { database throws(StoreError) in
            try database.connection.first("SELECT count(*) FROM ended_tasks") { $0.integer() }
        }
        #expect((1000..<1064).contains(rows ?? 0))
    }

    @Test func `USE-10: the end of a task costs one more statement, and no other transaction`()
        async throws
    {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)),
            .insertTask(.waiting(2, session: session.id)),
        ])
        try await store.commit([end(1)])
        let statements = try await store.read { database throws(StoreError) in
            database.connection.preparedStatements.filter { $0.contains("ended_tasks") }
        }
        #expect(statements == ["INSERT INTO ended_tasks (task_id, record) VALUES (?, ?)"])
        let before = try await synchronizedCommitCount()
        try await store.commit([end(2)])
        #expect(try await synchronizedCommitCount() == before + 1)
    }

    private func synchronizedCommitCount() async throws -> Int {
        try await store.read { database throws(StoreError) in database.synchronizedCommitCount }
    }
}
