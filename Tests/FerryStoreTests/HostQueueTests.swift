import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HostQueueTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    @Test func `the next tasks come by priority, then by number`() async throws {
        let session = try await store.openedSession("one")
        let other = try await store.openedSession("two")
        try await store.commit([
            .insertTask(.waiting(1, session: session.id, priority: 0.25)),
            .insertTask(.waiting(2, session: other.id, priority: 0.5)),
            .insertTask(.waiting(3, session: session.id, priority: 0.5)),
            .insertTask(.waiting(4, session: other.id, priority: 0.75)),
            .insertTask(.waiting(5, session: other.id, host: "elsewhere", priority: 1)),
        ])
        #expect(try await store.nextIDs() == [4, 2, 3, 1])
        #expect(try await store.nextIDs(limit: 2) == [4, 2])
        #expect(try await store.nextIDs(host: "nowhere") == [])
        try await store.commit([.prioritizeTask(.id(1), 1)])
        #expect(try await store.nextIDs(limit: 2) == [1, 4])
    }

    @Test func `running tasks and sessions at their limit are left out`() async throws {
        let session = try await store.openedSession("one")
        let other = try await store.openedSession("two")
        try await store.commit(
            (1...6).map { .insertTask(.waiting($0, session: session.id)) }
                + (7...9).map { .insertTask(.waiting($0, session: other.id)) }
        )
        #expect(try await store.nextIDs(excludingTasks: [1, 2, 4], limit: 3) == [3, 5, 6])
        let left = try await store.nextIDs(
            excludingSessions: [session.id],
            excludingTasks: [7],
            limit: 3
        )
        #expect(left == [8, 9])
        #expect(try await store.nextIDs(excludingSessions: [session.id, other.id]) == [])
    }

    @Test func `only waiting tasks are in the queue`() async throws {
        let session = try await store.openedSession()
        try await store.commit((1...3).map { .insertTask(.waiting($0, session: session.id)) })
        try await store.commit([
            .suspendTask(.id(1), at: moment(0)), .completeTask(.id(2), NewEnd(event: [])),
        ])
        #expect(try await store.nextIDs() == [3])
        try await store.commit([
            .resumeTask(.id(1), at: moment(0), resourceTimeout: 0), .deleteTask(id: 3),
        ])
        #expect(try await store.nextIDs() == [1])
    }

    @Test func `a task that waits for a moment is left out until then`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id, notBefore: moment(20))),
            .insertTask(.waiting(2, session: session.id)),
            .insertTask(.waiting(3, session: session.id, priority: 1, notBefore: moment(10))),
        ])
        #expect(try await store.nextMoment(at: moment(9)) == moment(10))
        #expect(try await store.nextIDs(at: moment(9)) == [2])
        #expect(try await store.nextIDs(at: moment(10)) == [3, 2])
        #expect(try await store.nextMoment(at: moment(10)) == moment(20))
        #expect(try await store.nextIDs(at: moment(25)) == [3, 1, 2])
        #expect(try await store.nextMoment(at: moment(25)) == nil)
        #expect(try await store.task(id: 1)?.notBefore == nil)
    }

    @Test func `a task that must wait again leaves the ready ones`() async throws {
        let session = try await store.openedSession()
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
        try await store.commit([
            .setRetry(task: 1, attempts: 1, notBefore: moment(5), lastError: [1])
        ])
        #expect(try await store.nextIDs(at: moment(4)) == [])
        try await store.commit([
            .setRetry(task: 1, attempts: 1, notBefore: nil, lastError: [1])
        ])
        #expect(try await store.nextIDs(at: moment(4)) == [1])
    }

    @Test func `a suspended task's moment does not count`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id, notBefore: moment(5))),
            .suspendTask(.id(1), at: moment(0)),
        ])
        #expect(try await store.nextMoment() == nil)
        #expect(try await store.nextIDs(at: moment(9)) == [])
        try await store.commit([.resumeTask(.id(1), at: moment(0), resourceTimeout: 0)])
        #expect(try await store.nextMoment() == moment(5))
    }

    @Test func `however many tasks become ready at once, all are considered`() async throws {
        let session = try await store.openedSession()
        try await store.commit(
            (1...700).map { .insertTask(.waiting($0, session: session.id, notBefore: moment(1))) }
        )
        // Last by its moment, but first by its priority.
        try await store.commit([
            .insertTask(.waiting(701, session: session.id, priority: 1, notBefore: moment(2)))
        ])
        #expect(try await store.nextIDs(at: moment(2), limit: 2) == [701, 1])
        #expect(try await store.nextIDs(at: moment(2), limit: 1000).count == 701)
    }

    @Test func `hosts take turns, from the one behind the last that was served`() async throws {
        let session = try await store.openedSession("one")
        let other = try await store.openedSession("two")
        try await store.commit([
            .insertTask(.waiting(1, session: session.id, host: "b")),
            .insertTask(.waiting(2, session: other.id, host: "b")),
            .insertTask(.waiting(3, session: other.id, host: "c", notBefore: moment(8))),
            .insertTask(.waiting(4, session: other.id, host: "a")),
            .insertTask(.waiting(5, session: other.id, host: "d")),
        ])
        var search = CandidateSearch(now: moment(0), limit: 10, limitPerHost: 1)
        #expect(try await store.candidates(search).tasks.map(\.id) == [4, 1, 5])
        search.turns[1] = CandidateSearch.Turn(lastHost: "b")
        #expect(try await store.candidates(search).tasks.map(\.id) == [5, 4, 1])
        search.limit = 2
        #expect(try await store.candidates(search).tasks.map(\.id) == [5, 4])
        search.saturatedHosts = ["d"]
        search.now = moment(8)
        #expect(try await store.candidates(search).tasks.map(\.id) == [3, 4])
    }

    @Test func `however many hosts there are, all are considered`() async throws {
        let session = try await store.openedSession()
        let hosts = (101...450).map { "host\($0)" }
        try await store.commit(
            hosts.enumerated().map { index, host in
                .insertTask(.waiting(TaskID(index + 1), session: session.id, host: host))
            }
        )
        var search = CandidateSearch(now: moment(0), limit: 1000, limitPerHost: 1)
        search.saturatedHosts = Set(hosts.dropLast())
        #expect(try await store.candidates(search).tasks.map(\.host) == ["host450"])
        search.turns[1] = CandidateSearch.Turn(lastHost: "host300")
        search.saturatedHosts = ["host250"]
        let round = hosts.dropFirst(200) + hosts.prefix(149) + hosts[150..<200]
        #expect(try await store.candidates(search).tasks.map(\.host) == Array(round))
    }

    /// Three tasks of each of two applications, and a search for some of them.
    private func searchOfTwoApplications(
        limit: Int,
        limitPerHost: Int,
        hosts: [String]
    ) async throws -> CandidateSearch {
        for (index, host) in hosts.enumerated() {
            let session = try await store.openedSession(of: "app\(index)")
            let first = TaskID(index * 3 + 1)
            try await store.commit(
                (first...first + 2).map {
                    .insertTask(.waiting($0, session: session.id, host: host))
                }
            )
        }
        return CandidateSearch(now: moment(0), limit: limit, limitPerHost: limitPerHost)
    }

    @Test func `REL-3: applications take turns, from the one that was served longest ago`()
        async throws
    {
        var search = try await searchOfTwoApplications(
            limit: 4,
            limitPerHost: 9,
            hosts: ["a", "b"]
        )
        #expect(try await store.candidates(search).tasks.map(\.id) == [1, 4, 2, 5])
        search.turns[1] = CandidateSearch.Turn(lastServed: 2)
        search.turns[2] = CandidateSearch.Turn(lastServed: 1)
        #expect(try await store.candidates(search).tasks.map(\.id) == [4, 1, 5, 2])
        search.turns[1]?.slots = 3
        #expect(try await store.candidates(search).tasks.map(\.id) == [4, 5, 6, 1])
    }

    @Test func `REL-3: a host's limit is one of all applications together`() async throws {
        let search = try await searchOfTwoApplications(
            limit: 9,
            limitPerHost: 3,
            hosts: ["a", "a"]
        )
        #expect(try await store.candidates(search).tasks.map(\.id) == [1, 4, 2])
    }
}
