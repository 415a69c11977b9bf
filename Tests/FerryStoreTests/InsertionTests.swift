import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

/// What becomes of a task that is inserted once more, or under another's number.
@Suite(.timeLimit(.minutes(1)))
struct InsertionTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    @Test func `a repeated insertion returns the number of the first`() async throws {
        let session = try await store.openedSession()
        var task = TaskRecord.waiting(1, session: session.id)
        try await store.commit([.insertTask(task)])
        try await store.commit([.completeTask(.id(1), NewEnd(event: []))])
        task.id = 2
        let receipt = try await store.commit([.insertTask(task)])
        #expect(receipt.taskIDs == [1])
        #expect(try await store.task(id: 2) == nil)
        #expect(try await store.task(id: 1)?.state == .completed)
        #expect(try await store.session(id: session.id)?.counts.completedTasks == 1)
    }

    @Test func `a repeated insertion of an upload does not replace what is known of its file`()
        async throws
    {
        let session = try await store.openedSession()
        var task = TaskRecord.waiting(1, session: session.id)
        task.upload = [1]
        try await store.commit([.insertTask(task)])
        task.id = 2
        task.upload = [2]
        #expect(try await store.commit([.insertTask(task)]).taskIDs == [1])
        #expect(try await store.task(id: 1)?.upload == [1])
    }

    @Test func `a repeated insertion finds a task that has another address by now`() async throws {
        let session = try await store.openedSession()
        var task = TaskRecord.waiting(1, session: session.id)
        try await store.commit([.insertTask(task), .relinkTask(.id(1), host: "other.org", [7])])
        task.id = 2
        #expect(try await store.commit([.insertTask(task)]).taskIDs == [1])
        #expect(try await store.task(id: 1)?.host == "other.org")
    }

    @Test func `an upload is not the repetition of a download, nor the other way round`()
        async throws
    {
        let session = try await store.openedSession()
        var task = TaskRecord.waiting(1, session: session.id)
        try await store.commit([.insertTask(task)])
        task.id = 2
        task.upload = [2]
        let error = try await failure { try await store.commit([.insertTask(task)]) }
        #expect(error.code == .conflict)
    }

    @Test func `a repeated insertion of a task that is gone does nothing`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(5, session: session.id)), .deleteTask(id: 5),
        ])
        let receipt = try await store.commit([.insertTask(.waiting(5, session: session.id))])
        #expect(receipt.taskIDs == [nil])
        #expect(try await store.totals() == SessionCounts())
        #expect(try await store.session(id: session.id)?.nextTaskIdentifier == 6)
    }

    @Test func `an identifier that was passed over can be used, once`() async throws {
        let session = try await store.openedSession()
        for id: TaskID in [9, 4, 1, 2, 8, 3] {
            try await store.commit([.insertTask(.waiting(id, session: session.id))])
            try await store.commit([.deleteTask(id: id)])
        }
        for id: TaskID in [9, 4, 1, 2, 8, 3] {
            let receipt = try await store.commit([.insertTask(.waiting(id, session: session.id))])
            #expect(receipt.taskIDs == [nil])
        }
        for id: TaskID in [6, 5, 7] {
            let receipt = try await store.commit([.insertTask(.waiting(id, session: session.id))])
            #expect(receipt.taskIDs == [id])
        }
        try await store.commit([.deleteSession(id: session.id)])
        let again = try await store.openedSession()
        let receipt = try await store.commit([.insertTask(.waiting(10, session: again.id))])
        #expect(receipt.taskIDs == [10])
    }

    @Test func `another task under a used identifier is a conflict`() async throws {
        let session = try await store.openedSession()
        var task = TaskRecord.waiting(1, session: session.id)
        try await store.commit([.insertTask(task)])
        task.id = 2
        task.request = [0]
        let error = try await failure { try await store.commit([.insertTask(task)]) }
        #expect(error.code == .conflict)
    }

    @Test func `another task under a used number is a conflict`() async throws {
        let session = try await store.openedSession()
        var task = TaskRecord.waiting(1, session: session.id)
        try await store.commit([.insertTask(task)])
        task.identifier = 2
        let error = try await failure { try await store.commit([.insertTask(task)]) }
        #expect(error.code == .conflict)
        #expect(error.sqliteCode != 0)
    }
}
