import Dispatch
import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryStore

@Suite(.timeLimit(.minutes(1)))
struct CommitTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    /// Lets everything that `body` submits wait together, and returns what came of it, in order.
    private func together(
        _ requests: [[Mutation]],
        durability: Durability = .synchronized
    ) async -> [Result<Receipt, StoreError>] {
        let gate = DispatchSemaphore(value: 0)
        store.queue.perform { gate.wait() }
        let results = Recorder<Result<Receipt, StoreError>>()
        for request in requests {
            store.submit(request, durability: durability) { results.append($0) }
        }
        gate.signal()
        await store.settle()
        return results.elements
    }

    private func synchronizedCommitCount() async throws -> Int {
        try await store.read { database throws(StoreError) in database.synchronizedCommitCount }
    }

    @Test func `a request is performed as a whole or not at all`() async throws {
        let session = try await store.openedSession()
        let error = try await failure {
            try await store.commit([
                .insertTask(.waiting(1, session: session.id)),
                .insertTask(.waiting(2, session: session.id)),
                .prioritizeTask(.id(3), 1),
            ])
        }
        #expect(error.code == .notFound)
        #expect(try await store.totals() == SessionCounts())
        #expect(try await store.session(id: session.id)?.nextTaskIdentifier == 1)
        #expect(try await store.commit([]) == Receipt())
    }

    @Test func `requests that wait together share one synchronisation`() async throws {
        let session = try await store.openedSession()
        let before = try await synchronizedCommitCount()
        let log = try WriteAheadLog(temporary).commitCount
        let results = await together(
            (1...200).map { [.insertTask(.waiting($0, session: session.id))] }
        )
        #expect(try results.flatMap { try $0.get().taskIDs } == Array(1...200))
        #expect(try await synchronizedCommitCount() == before + 1)
        #expect(try WriteAheadLog(temporary).commitCount == log + 1)
        #expect(try await store.totals().waitingTasks == 200)
    }

    @Test func `any number of callers may commit at once`() async throws {
        let session = try await store.openedSession()
        let store = store
        try await withThrowingTaskGroup(of: [TaskID].self) { group in
            for id in TaskID(1)...100 {
                group.addTask {
                    let task = TaskRecord.waiting(id, session: session.id)
                    return try await store.commit([.insertTask(task)]).taskIDs.compactMap(\.self)
                }
            }
            var ids: Set<TaskID> = []
            for try await receipt in group { ids.formUnion(receipt) }
            #expect(ids == Set(1...100))
        }
        #expect(try await store.totals().waitingTasks == 100)
    }

    @Test func `a failing request does not touch the others of its group`() async throws {
        let session = try await store.openedSession()
        let results = await together([
            [.insertTask(.waiting(1, session: session.id))],
            [.insertTask(.waiting(2, session: session.id)), .prioritizeTask(.id(77), 1)],
            [.insertTask(.waiting(3, session: session.id)), .insertTask(.waiting(4, session: 77))],
            [.insertTask(.waiting(5, session: session.id))],
        ])
        let codes = results.map { result -> StoreError.Code? in
            guard case .failure(let error) = result else { return nil }
            return error.code
        }
        #expect(codes == [nil, .notFound, .notFound, nil])
        #expect(try await store.tasks(limit: 10).map(\.id) == [1, 5])
        #expect(try await store.session(id: session.id)?.counts.waitingTasks == 2)
    }

    @Test func `a request sees what those before it in its group have done`() async throws {
        let session = try await store.openedSession()
        let results = await together([
            [.insertTask(.waiting(1, session: session.id))],
            [.completeTask(.id(1), NewEnd(event: []))],
            [.acknowledge(session: session.id, sequence: 1)],
        ])
        #expect(try results.map { try $0.get().removedTaskIDs } == [[], [], [1]])
    }

    @Test func `a group in which everything fails writes nothing`() async throws {
        let log = try WriteAheadLog(temporary).commitCount
        let results = await together([[.prioritizeTask(.id(1), 1)], [.prioritizeTask(.id(2), 1)]])
        #expect(results.count == 2)
        #expect(try WriteAheadLog(temporary).commitCount == log)
    }

    @Test func `relaxed requests are not waited for, unless another one is`() async throws {
        let session = try await store.openedSession()
        let before = try await synchronizedCommitCount()
        _ = await together(
            [[.insertTask(.waiting(1, session: session.id))]],
            durability: .relaxed
        )
        #expect(try await synchronizedCommitCount() == before)
        try await store.commit([.prioritizeTask(.id(1), 1)])
        #expect(try await synchronizedCommitCount() == before + 1)
        try await store.commit([.prioritizeTask(.id(1), 0)], durability: .relaxed)
        #expect(try await synchronizedCommitCount() == before + 1)
        #expect(try await store.task(id: 1)?.priority == 0)
    }

    @Test(
        arguments: [
            ([.synchronized], 2), ([.relaxed], 1), ([.relaxed, .synchronized], 2),
            ([.relaxed, .synchronized, .relaxed], 1),
        ] as [([Durability], Int64)]
    )
    func `SQLite itself is told what a commit must outlive`(
        durabilities: [Durability],
        level: Int64
    ) async throws {
        for durability in durabilities {
            try await store.commit([.open("session")], durability: durability)
        }
        let settings = try await store.read { database throws(StoreError) in
            var settings: [Int64] = []
            for name in ["synchronous", "foreign_keys", "auto_vacuum"] {
                let value = try database.connection.first("PRAGMA \(name)") { $0.integer() }
                settings.append(value ?? -1)
            }
            return settings
        }
        // Synchronous 2 is FULL, 1 NORMAL; auto_vacuum 2 is INCREMENTAL.
        #expect(settings == [level, 0, 2])
    }

    @Test func `completions come on the loop in the order of the calls`() async throws {
        let session = try await store.openedSession()
        let ids = await withCheckedContinuation { continuation in
            let done = Recorder<TaskID>()
            for id in TaskID(1)...50 {
                store.submit([.insertTask(.waiting(id, session: session.id))]) { result in
                    LoopActor.shared.assertIsolated()
                    done.append((try? result.get().taskIDs.first).flatMap(\.self) ?? -1)
                    if id == 50 { continuation.resume(returning: done.elements) }
                }
            }
        }
        #expect(ids == Array(1...50))
    }

    @Test func `a read sees what was submitted before it`() async throws {
        let session = try await store.openedSession()
        for id in TaskID(1)...20 {
            store.submit([.insertTask(.waiting(id, session: session.id))]) { _ in }
            #expect(try await store.task(id: id) != nil)
        }
    }

    @Test func `closing waits for what was submitted, and refuses what comes later`() async throws {
        let session = try await store.openedSession()
        let results = Recorder<Bool>()
        for id in TaskID(1)...20 {
            store.submit([.insertTask(.waiting(id, session: session.id))]) {
                results.append((try? $0.get()) != nil)
            }
        }
        await store.close()
        #expect(results.elements == Array(repeating: true, count: 20))
        let commit = try await failure { try await store.commit([.deleteTask(id: 1)]) }
        #expect(commit.code == .closed)
        let read = try await failure { _ = try await store.totals() }
        #expect(read.code == .closed)
        await store.close()
        let reopened = try Store(directory: temporary.directory)
        #expect(try await reopened.totals().waitingTasks == 20)
    }
}
