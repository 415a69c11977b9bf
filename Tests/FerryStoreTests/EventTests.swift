import FerryStore
import FerrySystem
import FerryTestSupport
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

    /// Ends a task with an event of each kind.
    private func end(_ task: Int64, _ kinds: Int...) -> Mutation {
        .completeTask(
            .id(task),
            kinds.map { NewEvent(kind: $0, payload: [UInt8($0)]) },
            at: moment(3)
        )
    }

    @Test func `BG-33: events wait, in order and across restarts, until acknowledged`() async throws
    {
        let session = try await store.openedSession()
        let receipt = try await store.commit([
            .insertTask(.waiting(10, session: session.id)),
            .insertTask(.waiting(11, session: session.id)),
            end(10, 4), end(11, 5, 6),
        ])
        #expect(receipt.sequences == [1, 2, 3])
        await store.close()
        let reopened = try Store(directory: temporary.directory)
        let events = try await reopened.events(session: session.id, limit: 10)
        #expect(events.map(\.sequence) == [1, 2, 3])
        #expect(events.map(\.kind) == [4, 5, 6])
        #expect(
            events.first
                == EventRecord(
                    sessionID: session.id,
                    sequence: 1,
                    taskID: 10,
                    taskIdentifier: 10,
                    kind: 4,
                    payload: [4],
                    createdAt: moment(3)
                )
        )
        let rest = try await reopened.events(session: session.id, after: 1, limit: 1)
        #expect(rest.map(\.sequence) == [2])
        #expect(try await reopened.session(id: session.id)?.nextSequence == 4)
    }

    @Test func `each session counts its own events`() async throws {
        let first = try await store.openedSession("one")
        let second = try await store.openedSession("two")
        let receipt = try await store.commit([
            .insertTask(.waiting(1, session: first.id)),
            .insertTask(.waiting(2, session: second.id)),
            end(1, 1, 1), end(2, 1),
        ])
        #expect(receipt.sequences == [1, 2, 1])
        #expect(try await store.session(id: first.id)?.counts.events == 2)
        #expect(try await store.session(id: second.id)?.counts.events == 1)
    }

    @Test func `sequence numbers are not used again`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id)), end(1, 1)])
        try await store.commit([.acknowledge(session: session.id, sequence: 1)])
        try await store.commit([.insertTask(.waiting(2, session: session.id))])
        #expect(try await store.commit([end(2, 1)]).sequences == [2])
    }

    @Test func `a completed task goes with its last event`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)), end(1, 1, 1),
        ])
        let first = try await store.commit([.acknowledge(session: session.id, sequence: 1)])
        #expect(first.removedTaskIDs == [])
        #expect(try await store.task(id: 1) != nil)
        let second = try await store.commit([.acknowledge(session: session.id, sequence: 2)])
        #expect(second.removedTaskIDs == [1])
        #expect(try await store.task(id: 1) == nil)
        #expect(try await store.session(id: session.id)?.counts == SessionCounts())
    }

    @Test func `acknowledging twice is no error and removes nothing else`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)), end(1, 1, 1),
        ])
        for _ in 1...2 {
            let receipt = try await store.commit([
                .acknowledge(session: session.id, sequence: 1)
            ])
            #expect(receipt.removedTaskIDs == [])
        }
        #expect(try await store.events(session: session.id, limit: 10).map(\.sequence) == [2])
    }

    @Test func `another session's acknowledgement touches nothing`() async throws {
        let session = try await store.openedSession("one")
        let other = try await store.openedSession("two")
        try await store.commit([.insertTask(.waiting(1, session: session.id)), end(1, 1)])
        try await store.commit([.acknowledge(session: other.id, sequence: 1)])
        #expect(try await store.events(session: session.id, limit: 10).count == 1)
    }

    @Test func `a deleted task takes its events with it`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)),
            .insertTask(.waiting(2, session: session.id)),
            end(1, 1, 1), end(2, 1),
        ])
        try await store.commit([.deleteTask(id: 1)])
        #expect(try await store.events(session: session.id, limit: 10).map(\.taskID) == [2])
        #expect(try await store.session(id: session.id)?.counts.events == 1)
    }

    @Test func `a task ends once: its second end adds no event`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
        try await store.commit([end(1, 1)])
        #expect(try await store.commit([end(1, 1)]) == Receipt())
        #expect(try await store.events(session: session.id, limit: 10).count == 1)
        #expect(try await store.session(id: session.id)?.nextSequence == 2)
    }
}
