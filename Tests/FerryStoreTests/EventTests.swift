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

    private func append(_ task: Int64, kind: Int = 1) -> Mutation {
        .appendEvent(task: task, kind: kind, payload: [UInt8(kind)], createdAt: moment(3))
    }

    @Test func `BG-33: events wait, in order and across restarts, until acknowledged`() async throws
    {
        let session = try await store.openedSession()
        let receipt = try await store.commit([
            .insertTask(.waiting(10, session: session.id)),
            .insertTask(.waiting(11, session: session.id)),
            append(10, kind: 4), append(11, kind: 5), append(10, kind: 6),
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
            append(1), append(2), append(1),
        ])
        #expect(receipt.sequences == [1, 1, 2])
        #expect(try await store.session(id: first.id)?.counts.events == 2)
        #expect(try await store.session(id: second.id)?.counts.events == 1)
    }

    @Test func `sequence numbers are not used again`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id)), append(1)])
        try await store.commit([.acknowledge(session: session.id, sequence: 1)])
        #expect(try await store.commit([append(1)]).sequences == [2])
    }

    @Test func `a completed task goes with its last event`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)), append(1), append(1),
            .setState(task: 1, .completed),
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
            .insertTask(.waiting(1, session: session.id)), append(1), append(1),
            .setState(task: 1, .completed),
        ])
        for _ in 1...2 {
            let receipt = try await store.commit([
                .acknowledge(session: session.id, sequence: 1)
            ])
            #expect(receipt.removedTaskIDs == [])
        }
        #expect(try await store.events(session: session.id, limit: 10).map(\.sequence) == [2])
    }

    @Test func `an unfinished task stays when its event is acknowledged`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id)), append(1)])
        try await store.commit([.acknowledge(session: session.id, sequence: 1)])
        #expect(try await store.task(id: 1)?.state == .waiting)
        #expect(try await store.session(id: session.id)?.counts.events == 0)
    }

    @Test func `another session's acknowledgement touches nothing`() async throws {
        let session = try await store.openedSession("one")
        let other = try await store.openedSession("two")
        try await store.commit([.insertTask(.waiting(1, session: session.id)), append(1)])
        try await store.commit([.acknowledge(session: other.id, sequence: 1)])
        #expect(try await store.events(session: session.id, limit: 10).count == 1)
    }

    @Test func `a deleted task takes its events with it`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)),
            .insertTask(.waiting(2, session: session.id)),
            append(1), append(2), append(1),
        ])
        try await store.commit([.deleteTask(id: 1)])
        #expect(try await store.events(session: session.id, limit: 10).map(\.taskID) == [2])
        #expect(try await store.session(id: session.id)?.counts.events == 1)
    }

    @Test func `a task ends once: the second end and its event are refused together`() async throws
    {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
        try await store.commit([.setState(task: 1, .completed), append(1)])
        let error = try await failure {
            try await store.commit([append(1), .setState(task: 1, .completed)])
        }
        #expect(error.code == .conflict)
        #expect(try await store.events(session: session.id, limit: 10).count == 1)
        #expect(try await store.session(id: session.id)?.nextSequence == 2)
    }
}
