import FerryStore
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

/// Tasks that may begin only later, that pause after a failure, or that must be done in time.
@Suite(.timeLimit(.minutes(1)))
struct TimedTaskTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    /// Adds the first task, which has until 100 seconds after the fixed moment.
    private func insert(
        attempts: Int = 0,
        notBefore: Date? = nil,
        deadline: Date? = moment(100)
    ) async throws {
        let session = try await store.openedSession()
        var task = TaskRecord.waiting(1, session: session.id, notBefore: notBefore)
        task.attempts = attempts
        task.startedAt = moment(0)
        task.deadline = deadline
        try await store.commit([.insertTask(task)])
    }

    private func task() async throws -> TaskRecord {
        try #require(try await store.task(id: 1))
    }

    @Test(arguments: [(1, moment(50)), (0, TaskRecord.networkWait)])
    func `BG-17: neither a pause after a failure nor the lack of a network puts a deadline off`(
        attempts: Int,
        notBefore: Date
    ) async throws {
        try await insert(attempts: attempts, notBefore: notBefore)
        try await store.commit([.suspendTask(.id(1), at: moment(10))])
        try await store.commit([.resumeTask(.id(1), at: moment(20), resourceTimeout: 1)])
        #expect(try await task().deadline == moment(110))
    }

    @Test func `BG-17: a task that may begin only later has its time from then on`() async throws {
        try await insert(notBefore: moment(50), deadline: moment(150))
        try await store.commit([.suspendTask(.id(1), at: moment(10))])
        try await store.commit([.resumeTask(.id(1), at: moment(20), resourceTimeout: 1)])
        #expect(try await task().deadline == moment(150))
        try await store.commit(
            [.delayTask(.id(1), notBefore: moment(500), [7], at: moment(20))]
        )
        #expect(try await task().notBefore == moment(500))
        #expect(try await task().deadline == moment(600))
        #expect(try await task().delay == [7])
        try await store.commit([.delayTask(.id(1), notBefore: nil, nil, at: moment(30))])
        #expect(try await task().deadline == moment(130))
    }

    @Test func `a task that has been tried is not put off by its app`() async throws {
        try await insert(attempts: 1, notBefore: moment(50))
        let receipt = try await store.commit(
            [.delayTask(.id(1), notBefore: moment(500), [7], at: moment(20))]
        )
        #expect(receipt.changes.isEmpty)
        #expect(try await task().notBefore == moment(50))
        #expect(try await task().delay == nil)
    }

    @Test(arguments: [(0, moment(50)), (1, nil)])
    func `a person who lets a task go on ends its pause, but not the wait that its app wants`(
        attempts: Int,
        notBefore: Date?
    ) async throws {
        try await insert(attempts: attempts, notBefore: moment(50))
        try await store.commit([.holdTask(1, at: moment(5))])
        try await store.commit([.releaseTask(1, at: moment(10))])
        #expect(try await task().state == .waiting)
        #expect(try await task().notBefore == notBefore)
    }

    @Test(arguments: [(0, moment(50)), (1, nil)])
    func `another address ends a pause, but not the wait that its app wants`(
        attempts: Int,
        notBefore: Date?
    ) async throws {
        try await insert(attempts: attempts, notBefore: moment(50))
        try await store.commit([.relinkTask(.id(1), host: "other", [9])])
        #expect(try await task().notBefore == notBefore)
        #expect(try await task().host == "other")
        #expect(try await task().deadline == moment(100))
    }

    @Test func `a task was started when it was resumed for the first time`() async throws {
        let session = try await store.openedSession()
        var task = TaskRecord.waiting(1, session: session.id)
        task.state = .suspended
        try await store.commit([.insertTask(task)])
        for seconds in [1.0, 5, 9] {
            try await store.commit(
                [.resumeTask(.id(1), at: moment(seconds), resourceTimeout: 100)]
            )
            try await store.commit([.suspendTask(.id(1), at: moment(seconds + 1))])
        }
        #expect(try await self.task().startedAt == moment(1))
    }

    @Test func `what is due at this very moment is due`() async throws {
        try await insert(notBefore: moment(50))
        #expect(try await store.nextIDs(at: moment(49.5)) == [])
        #expect(try await store.nextIDs(at: moment(50)) == [1])
        #expect(try await store.overdueTasks(at: moment(99.5), limit: 9).isEmpty)
        #expect(try await store.overdueTasks(at: moment(100), limit: 9).map(\.id) == [1])
    }

    @Test func `a list has a next page as long as there is more`() async throws {
        let session = try await store.openedSession()
        try await store.commit(
            (1...5).map { .insertTask(.waiting($0, session: session.id)) }
        )
        var found: [[TaskID]] = []
        var last: TaskID? = 0
        while let after = last, found.count < 9 {
            let page = try await store.page(after: after, limit: 2, byteLimit: 1 << 20)
            found.append(page.tasks.map(\.id))
            last = page.next
        }
        #expect(found == [[1, 2], [3, 4], [5]])
    }

    // MARK: A clock that is set

    private func retime(from earlier: Date) async throws -> Receipt {
        try await store.commit(
            [.retimeTask(1, from: earlier, to: moment(500), at: moment(10))]
        )
    }

    @Test func `REL-5: a date moves with the time that its task has`() async throws {
        try await insert(notBefore: moment(50), deadline: moment(150))
        #expect(try await retime(from: moment(50)).changes.map(\.deadline) == [moment(600)])
        #expect(try await task().notBefore == moment(500))
        #expect(try await task().deadline == moment(600))
    }

    @Test(arguments: [(0, moment(40)), (1, moment(50))])
    func `REL-5: neither a date that was set meanwhile moves nor a pause`(
        attempts: Int,
        read: Date
    ) async throws {
        try await insert(attempts: attempts, notBefore: moment(50), deadline: moment(150))
        #expect(try await retime(from: read).changes.isEmpty)
        #expect(try await task().notBefore == moment(50))
        #expect(try await task().deadline == moment(150))
    }

    @Test func `REL-5: of waits that are longer than any, dates of applications are believed`()
        async throws
    {
        try await insert(notBefore: moment(500))
        let distrust = Mutation.distrustTimes(at: moment(0), longestWait: 60)
        try await store.commit(
            [.delayTask(.id(1), notBefore: moment(500), [7], at: moment(0)), distrust]
        )
        #expect(try await task().notBefore == moment(500))
        try await store.commit([.delayTask(.id(1), notBefore: moment(500), nil, at: moment(0))])
        try await store.commit([distrust])
        #expect(try await task().notBefore == nil)
    }

    @Test func `REL-5: a pause after a failure is not believed because there was a date before`()
        async throws
    {
        try await insert(attempts: 1, notBefore: moment(500))
        try await store.commit([
            .beginTask(.id(1), [7], at: moment(0)),
            .setRetry(task: 1, attempts: 1, notBefore: moment(500), lastError: nil),
            .distrustTimes(at: moment(0), longestWait: 60),
        ])
        #expect(try await task().notBefore == nil)
    }

    @Test func `REL-5: a task that began in the future has no more time than it had`() async throws
    {
        try await insert()
        try await store.commit([.distrustTimes(at: moment(-1000), longestWait: 60)])
        #expect(try await task().startedAt == moment(-1000))
        #expect(try await task().deadline == moment(-900))
    }

    @Test func `REL-5: tasks with a date are listed by pages`() async throws {
        let session = try await store.openedSession()
        for id in 1...3 as ClosedRange<TaskID> {
            try await store.commit([
                .insertTask(.waiting(id, session: session.id)),
                .delayTask(.id(id), notBefore: moment(50), [7], at: moment(0)),
            ])
        }
        #expect(try await store.datedTasks(after: 0, limit: 2).map(\.id) == [1, 2])
        #expect(try await store.datedTasks(after: 2, limit: 2).map(\.id) == [3])
        #expect(try await store.datedTasks(after: 3, limit: 2).isEmpty)
    }
}
