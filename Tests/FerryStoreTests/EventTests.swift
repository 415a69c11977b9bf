import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EventTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    private func end(_ task: TaskID, _ event: UInt8 = 1) -> Mutation {
        .completeTask(.id(task), NewEnd(event: [event]))
    }

    @Test func `BG-33: events wait, in order and across restarts, until acknowledged`() async throws
    {
        let session = try await store.openedSession()
        let receipt = try await store.commit([
            .insertTask(.waiting(10, session: session.id)),
            .insertTask(.waiting(11, session: session.id)),
            .insertTask(.waiting(12, session: session.id)),
            end(12, 4), end(10, 5), end(11, 6),
        ])
        #expect(receipt.sequences == [1, 2, 3])
        await store.close()
        let reopened = try Store(directory: temporary.directory)
        #expect(
            try await reopened.events(session: session.id, limit: 10) == [
                EventRecord(sequence: 1, taskID: 12, event: [4]),
                EventRecord(sequence: 2, taskID: 10, event: [5]),
                EventRecord(sequence: 3, taskID: 11, event: [6]),
            ]
        )
        let rest = try await reopened.events(session: session.id, after: 1, limit: 1)
        #expect(rest.map(\.sequence) == [2])
        #expect(try await reopened.session(id: session.id)?.nextSequence == 4)
    }

    @Test func `each session numbers its own events`() async throws {
        let first = try await store.openedSession("one")
        let second = try await store.openedSession("two")
        let receipt = try await store.commit([
            .insertTask(.waiting(1, session: first.id)),
            .insertTask(.waiting(2, session: second.id)),
            .insertTask(.waiting(3, session: first.id)), end(1), end(3), end(2),
        ])
        #expect(receipt.sequences == [1, 2, 1])
        #expect(try await store.session(id: first.id)?.counts.completedTasks == 2)
        #expect(try await store.session(id: second.id)?.counts.completedTasks == 1)
    }

    @Test func `sequence numbers are not used again`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id)), end(1)])
        try await store.commit([.acknowledge(session: session.id, sequence: 1)])
        try await store.commit([.insertTask(.waiting(2, session: session.id))])
        #expect(try await store.commit([end(2)]).sequences == [2])
    }

    @Test func `a completed task goes with its event`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id)), end(1)])
        #expect(try await store.task(id: 1)?.event == [1])
        let receipt = try await store.commit([.acknowledge(session: session.id, sequence: 1)])
        #expect(receipt.removedTaskIDs == [1])
        #expect(try await store.task(id: 1) == nil)
        #expect(try await store.session(id: session.id)?.counts == SessionCounts())
    }

    @Test func `acknowledging twice is no error and removes nothing else`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)),
            .insertTask(.waiting(2, session: session.id)), end(1), end(2),
        ])
        for removed in [[1], []] as [[TaskID]] {
            let receipt = try await store.commit([
                .acknowledge(session: session.id, sequence: 1)
            ])
            #expect(receipt.removedTaskIDs == removed)
        }
        #expect(try await store.events(session: session.id, limit: 10).map(\.sequence) == [2])
    }

    @Test func `another session's acknowledgement touches nothing`() async throws {
        let session = try await store.openedSession("one")
        let other = try await store.openedSession("two")
        try await store.commit([.insertTask(.waiting(1, session: session.id)), end(1)])
        try await store.commit([.acknowledge(session: other.id, sequence: 1)])
        #expect(try await store.events(session: session.id, limit: 10).count == 1)
    }

    @Test func `a deleted task takes its event with it`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)),
            .insertTask(.waiting(2, session: session.id)), end(1), end(2),
        ])
        try await store.commit([.deleteTask(id: 1)])
        #expect(try await store.events(session: session.id, limit: 10).map(\.taskID) == [2])
        #expect(try await store.session(id: session.id)?.counts.completedTasks == 1)
    }

    @Test func `a task ends once: its second end adds no event`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
        try await store.commit([end(1)])
        #expect(try await store.commit([end(1)]) == Receipt())
        #expect(try await store.events(session: session.id, limit: 10).count == 1)
        #expect(try await store.session(id: session.id)?.nextSequence == 2)
    }

    @Test func `the end of a task has the figures of its body`() async throws {
        let session = try await store.openedSession()
        let end = NewEnd(event: [1], receivedByteCount: 7, expectedByteCount: 9)
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)), .completeTask(.id(1), end),
        ])
        let task = try #require(try await store.task(id: 1))
        #expect(task.receivedByteCount == 7 && task.expectedByteCount == 9)
    }
}
