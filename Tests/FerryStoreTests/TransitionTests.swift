import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

/// What becomes of a task's place in the queue and of its time when it is stopped, held back, let go or
/// given another address.
@Suite(.timeLimit(.minutes(1)))
struct TransitionTests {
    private let temporary: TemporaryDirectory
    private let store: Store
    private let task = TaskKey.id(1)

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    /// Stores task 1, which its application has not resumed.
    private func insert(notBefore: Date? = nil) async throws {
        let session = try await store.openedSession()
        var record = TaskRecord.waiting(
            1,
            session: session.id,
            host: "old:80",
            notBefore: notBefore
        )
        record.state = .suspended
        try await store.commit([.insertTask(record)])
    }

    /// Stores task 1 and has it run from moment 0 on for 100 seconds at most.
    private func start(notBefore: Date? = nil) async throws {
        try await insert(notBefore: notBefore)
        try await store.commit([.resumeTask(task, at: moment(0), resourceTimeout: 100)])
    }

    private func deadline() async throws -> Date? { try await store.task(id: 1)?.deadline }

    /// The hosts in whose queues task 1 is, with the moment at which it is looked for.
    private func hosts(at now: Date = moment(0)) async throws -> [String] {
        var hosts: [String] = []
        for host in ["old:80", "new:80"] where try await store.nextIDs(host: host, at: now) == [1] {
            hosts.append(host)
        }
        return hosts
    }

    // MARK: - Another address

    @Test
    func `TEST-5: a task with another address is in the queue of its new host, and of no other`()
        async throws
    {
        try await start()
        #expect(try await hosts() == ["old:80"])
        try await store.commit([.relinkTask(task, host: "new:80", [1])])
        #expect(try await hosts() == ["new:80"])
        #expect(try await store.task(id: 1)?.host == "new:80")
        #expect(try await deadline() == moment(100))
        try await store.commit([.suspendTask(task, at: moment(1))])
        #expect(try await hosts() == [])
        try await store.commit([.resumeTask(task, at: moment(1), resourceTimeout: 100)])
        #expect(try await hosts() == ["new:80"])
        try await store.commit([.completeTask(task, NewEnd(event: []))])
        #expect(try await hosts() == [])
    }

    @Test(arguments: [Mutation.suspendTask(.id(1), at: moment(1)), .holdTask(1, at: moment(1))])
    func `TEST-5: a task that is stopped gets another address and goes on there`(
        stopping: Mutation
    ) async throws {
        try await start()
        try await store.commit([stopping, .relinkTask(task, host: "new:80", [1])])
        #expect(try await hosts() == [])
        try await store.commit([
            .resumeTask(task, at: moment(2), resourceTimeout: 100), .releaseTask(1, at: moment(2)),
        ])
        #expect(try await hosts() == ["new:80"])
        #expect(try await deadline() == moment(101))
    }

    @Test(arguments: [moment(50), TaskRecord.networkWait])
    func `TEST-5: a task that waits for its next attempt is tried at its new address at once`(
        notBefore: Date
    ) async throws {
        try await start()
        try await store.commit([
            .setRetry(task: 1, attempts: 1, notBefore: notBefore, lastError: [1])
        ])
        #expect(try await hosts() == [])
        try await store.commit([.relinkTask(task, host: "new:80", [1])])
        #expect(try await hosts() == ["new:80"])
    }

    @Test func `TEST-5: a task that is to begin later begins then, at its new address`()
        async throws
    {
        try await start(notBefore: moment(50))
        try await store.commit([.relinkTask(task, host: "new:80", [1])])
        #expect(try await hosts(at: moment(49)) == [])
        #expect(try await hosts(at: moment(50)) == ["new:80"])
    }

    @Test func `TEST-5: a task that has ended gets no other address`() async throws {
        try await start()
        let receipt = try await store.commit([
            .completeTask(task, NewEnd(event: [])), .relinkTask(task, host: "new:80", [1]),
        ])
        #expect(receipt.changes.count == 1)
        #expect(try await store.task(id: 1)?.link == nil)
        #expect(try await hosts() == [])
    }

    // MARK: - The time that is left

    /// Ways to stop a task and let it go again, in each of which 10 seconds of its time have passed.
    private static let pauses: [[Mutation]] = [
        [
            .suspendTask(.id(1), at: moment(10)),
            .resumeTask(.id(1), at: moment(40), resourceTimeout: 100),
        ],
        [.holdTask(1, at: moment(10)), .releaseTask(1, at: moment(40))],
        // Both, one inside the other.
        [
            .suspendTask(.id(1), at: moment(10)), .holdTask(1, at: moment(20)),
            .releaseTask(1, at: moment(30)),
            .resumeTask(.id(1), at: moment(40), resourceTimeout: 100),
        ],
        [
            .holdTask(1, at: moment(10)), .suspendTask(.id(1), at: moment(20)),
            .resumeTask(.id(1), at: moment(30), resourceTimeout: 100),
            .releaseTask(1, at: moment(40)),
        ],
        // And one over the other's end.
        [
            .suspendTask(.id(1), at: moment(10)), .holdTask(1, at: moment(20)),
            .resumeTask(.id(1), at: moment(30), resourceTimeout: 100),
            .releaseTask(1, at: moment(40)),
        ],
        [
            .holdTask(1, at: moment(10)), .suspendTask(.id(1), at: moment(20)),
            .releaseTask(1, at: moment(30)),
            .resumeTask(.id(1), at: moment(40), resourceTimeout: 100),
        ],
    ]

    @Test(arguments: pauses)
    func `TEST-5: while a task is stopped, by whomever, its time does not run`(
        pause: [Mutation]
    ) async throws {
        try await start()
        #expect(try await deadline() == moment(100))
        for mutation in pause.dropLast() {
            try await store.commit([mutation])
            #expect(try await deadline() == nil, "after \(mutation)")
            #expect(try await store.earliestDeadline() == nil, "after \(mutation)")
        }
        try await store.commit([pause[pause.count - 1]])
        #expect(try await deadline() == moment(130))
        #expect(try await store.overdueTasks(at: moment(130), limit: 9).map(\.id) == [1])
    }

    /// Ways of a task that runs at moment 40 for the first time, for which it is to have 100 seconds.
    private static let beginnings: [[Mutation]] = [
        [
            .holdTask(1, at: moment(10)),
            .resumeTask(.id(1), at: moment(20), resourceTimeout: 100),
            .releaseTask(1, at: moment(40)),
        ],
        [
            .suspendTask(.id(1), at: moment(5)), .holdTask(1, at: moment(10)),
            .resumeTask(.id(1), at: moment(20), resourceTimeout: 100),
            .suspendTask(.id(1), at: moment(25)),
            .resumeTask(.id(1), at: moment(30), resourceTimeout: 100),
            .releaseTask(1, at: moment(40)),
        ],
        [
            .holdTask(1, at: moment(10)),
            .resumeTask(.id(1), at: moment(20), resourceTimeout: 100),
            .suspendTask(.id(1), at: moment(25)), .releaseTask(1, at: moment(30)),
            .resumeTask(.id(1), at: moment(40), resourceTimeout: 100),
        ],
        [
            .holdTask(1, at: moment(10)), .releaseTask(1, at: moment(30)),
            .resumeTask(.id(1), at: moment(40), resourceTimeout: 100),
        ],
    ]

    @Test(arguments: beginnings)
    func `TEST-5: a task that is held before it has begun has all its time when it is let go`(
        beginning: [Mutation]
    ) async throws {
        try await insert()
        for mutation in beginning.dropLast() {
            try await store.commit([mutation])
            #expect(try await deadline() == nil, "after \(mutation)")
        }
        try await store.commit([beginning[beginning.count - 1]])
        #expect(try await deadline() == moment(140))
        #expect(try await store.overdueTasks(at: moment(140), limit: 9).map(\.id) == [1])
    }

    @Test func `TEST-5: a task without a limit of time never gets one`() async throws {
        try await insert()
        try await store.commit([
            .resumeTask(task, at: moment(0), resourceTimeout: 0),
            .suspendTask(task, at: moment(1)), .holdTask(1, at: moment(2)),
            .releaseTask(1, at: moment(3)), .resumeTask(task, at: moment(4), resourceTimeout: 9),
        ])
        #expect(try await deadline() == nil)
    }

    @Test func `TEST-5: a task's time runs from the moment at which it is to begin`() async throws {
        try await start(notBefore: moment(50))
        #expect(try await deadline() == moment(150))
        try await store.commit([.holdTask(1, at: moment(20)), .releaseTask(1, at: moment(30))])
        #expect(try await deadline() == moment(150))
        try await store.commit([.delayTask(task, notBefore: moment(70), nil, at: moment(40))])
        #expect(try await deadline() == moment(170))
        // Let go before its moment, it begins at once.
        try await store.commit([.releaseTask(1, at: moment(60))])
        #expect(try await deadline() == moment(160))
        #expect(try await hosts(at: moment(60)) == ["old:80"])
    }

    @Test func `TEST-5: the time runs on while a task waits for its next attempt`() async throws {
        try await start()
        try await store.commit([
            .setRetry(task: 1, attempts: 1, notBefore: moment(50), lastError: [1]),
            .holdTask(1, at: moment(10)), .releaseTask(1, at: moment(40)),
        ])
        #expect(try await deadline() == moment(130))
        #expect(try await hosts(at: moment(40)) == ["old:80"])
    }

    @Test func `TEST-5: a network that comes lets those go that wait for it, and no others`()
        async throws
    {
        let session = try await store.openedSession()
        try await store.commit((1...3).map { .insertTask(.waiting($0, session: session.id)) })
        try await store.commit([
            .setRetry(task: 1, attempts: 1, notBefore: TaskRecord.networkWait, lastError: nil),
            .setRetry(task: 2, attempts: 1, notBefore: moment(50), lastError: nil),
        ])
        #expect(try await store.nextIDs() == [3])
        try await store.commit([.endNetworkWait])
        #expect(try await store.nextIDs() == [1, 3])
    }

    /// Ways to stop a task, each of which leaves it in another state.
    private static let stops: [[Mutation]] = [
        [.suspendTask(.id(1), at: moment(10))],
        [.holdTask(1, at: moment(10))],
        [.suspendTask(.id(1), at: moment(10)), .holdTask(1, at: moment(10))],
    ]

    @Test(arguments: stops)
    func `TEST-5: a network that comes lets those go that are stopped, too, once they go on`(
        stopping: [Mutation]
    ) async throws {
        try await start(notBefore: TaskRecord.networkWait)
        try await store.commit(stopping)
        try await store.commit([.endNetworkWait])
        #expect(try await hosts(at: moment(20)) == [])
        try await store.commit([
            .releaseTask(1, at: moment(20)),
            .resumeTask(task, at: moment(20), resourceTimeout: 100),
        ])
        #expect(try await hosts(at: moment(20)) == ["old:80"])
    }

    @Test func `TEST-5: a task that has ended is overdue no more`() async throws {
        try await start()
        try await store.commit([.completeTask(task, NewEnd(event: []))])
        #expect(try await store.earliestDeadline() == nil)
        #expect(try await store.overdueTasks(at: moment(500), limit: 9) == [])
    }
}
