import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TaskTests {
    private let temporary: TemporaryDirectory
    private let store: Store

    init() throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
    }

    private func complete(_ id: TaskID, session: SessionID) -> TaskRecord {
        TaskRecord(
            id: id,
            sessionID: session,
            identifier: 12,
            state: .waiting,
            host: "https://example.org:8443",
            priority: 0.75,
            request: [0, 255, 10],
            currentRequest: [],
            response: [1],
            description: "Lied Nr. 1 \u{0} – «ß»",
            receivedByteCount: 1 << 40,
            expectedByteCount: 1 << 41,
            checkpoint: [7, 7],
            attempts: 4,
            notBefore: moment(30),
            lastError: [3],
            createdAt: moment(0),
            startedAt: moment(1),
            deadline: moment(604_800),
            upload: [4],
            delay: [5],
            options: [6],
            link: [8]
        )
    }

    @Test func `a task comes back as it was inserted`() async throws {
        let session = try await store.openedSession()
        let full = complete(5, session: session.id)
        let plain = TaskRecord(
            id: 6,
            sessionID: session.id,
            identifier: 13,
            host: "h",
            request: [],
            createdAt: moment(0)
        )
        let receipt = try await store.commit([.insertTask(full), .insertTask(plain)])
        #expect(receipt.taskIDs == [5, 6])
        #expect(try await store.task(id: 5) == full)
        #expect(try await store.task(id: 6) == plain)
        #expect(try await store.task(session: session.id, identifier: 12) == full)
        #expect(try await store.task(session: session.id, identifier: 99) == nil)
    }

    @Test func `BG-27: a task and its numbers outlive a restart`() async throws {
        let session = try await store.openedSession()
        let task = complete(41, session: session.id)
        try await store.commit([.insertTask(task)])
        await store.close()
        let reopened = try Store(directory: temporary.directory)
        #expect(try await reopened.task(id: 41) == task)
        #expect(reopened.nextTaskID == 42)
        #expect(try await reopened.session(id: session.id)?.nextTaskIdentifier == 13)
    }

    @Test func `numbers of deleted tasks are not used again after a restart`() async throws {
        #expect(store.nextTaskID == 1)
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(9, session: session.id)), .deleteTask(id: 9),
        ])
        await store.close()
        let reopened = try Store(directory: temporary.directory)
        #expect(reopened.nextTaskID == 10)
        #expect(try await reopened.session(id: session.id)?.nextTaskIdentifier == 10)
    }

    @Test func `a task without a host or of no session is refused`() async throws {
        let session = try await store.openedSession()
        let hostless = TaskRecord.waiting(1, session: session.id, host: "")
        let orphan = TaskRecord.waiting(1, session: 77)
        let first = try await failure { try await store.commit([.insertTask(hostless)]) }
        #expect(first.code == .conflict)
        let second = try await failure { try await store.commit([.insertTask(orphan)]) }
        #expect(second.code == .notFound)
        #expect(try await store.totals() == SessionCounts())
    }

    @Test func `each change changes what it names and nothing else`() async throws {
        let session = try await store.openedSession()
        var task = complete(1, session: session.id)
        try await store.commit([.insertTask(task)])
        let changes: [(Mutation, (inout TaskRecord) -> Void)] = [
            (
                .suspendTask(.id(1), at: moment(5)),
                {
                    $0.state = .suspended
                    $0.deadline = nil
                }
            ),
            (
                .setProgress(task: 1, receivedByteCount: 12, expectedByteCount: nil),
                {
                    $0.receivedByteCount = 12
                    $0.expectedByteCount = nil
                }
            ),
            (.setCheckpoint(task: 1, nil), { $0.checkpoint = nil }),
            (.setUpload(task: 1, [3, 3]), { $0.upload = [3, 3] }),
            (
                .setRetry(task: 1, attempts: 5, notBefore: nil, lastError: [8, 8]),
                {
                    $0.attempts = 5
                    $0.notBefore = nil
                    $0.lastError = [8, 8]
                }
            ),
            (
                .postponeTask(1, attempts: 6, until: moment(9), lastError: nil),
                {
                    $0.attempts = 6
                    $0.notBefore = moment(9)
                    $0.lastError = nil
                }
            ),
            (
                .postponeTask(1, attempts: 7, until: moment(8), lastError: [7]),
                {
                    $0.attempts = 7
                    $0.lastError = [7]
                }
            ),
            (
                .setRetry(task: 1, attempts: 0, notBefore: nil, lastError: nil),
                {
                    $0.attempts = 0
                    $0.notBefore = nil
                    $0.lastError = nil
                }
            ),
            (
                .setExchange(task: 1, currentRequest: [1, 1], response: nil),
                {
                    $0.currentRequest = [1, 1]
                    $0.response = nil
                }
            ),
            (
                .beginTask(.id(1), [4, 4], at: moment(5)),
                { $0.delay = [4, 4] }
            ),
            (.setOptions(.id(1), [5, 5]), { $0.options = [5, 5] }),
            (.describeTask(.id(1), nil), { $0.description = nil }),
            (.prioritizeTask(.id(1), 0.25), { $0.priority = 0.25 }),
            (
                .completeTask(
                    .id(1),
                    NewEnd(event: [7], receivedByteCount: 7, expectedByteCount: 8)
                ),
                {
                    $0.state = .completed
                    $0.event = [7]
                    $0.receivedByteCount = 7
                    $0.expectedByteCount = 8
                }
            ),
        ]
        for (mutation, change) in changes {
            try await store.commit([mutation])
            change(&task)
            #expect(try await store.task(id: 1) == task, "after \(mutation)")
        }
    }

    @Test func `a completed task stays completed`() async throws {
        let session = try await store.openedSession()
        try await store.commit([
            .insertTask(.waiting(1, session: session.id)), .completeTask(.id(1), NewEnd(event: [])),
        ])
        let receipt = try await store.commit([
            .resumeTask(.id(1), at: moment(0), resourceTimeout: 9),
            .suspendTask(.id(1), at: moment(0)), .holdTask(1, at: moment(0)),
            .releaseTask(1, at: moment(0)), .completeTask(.id(1), NewEnd(event: [])),
        ])
        #expect(receipt.changes == [])
        #expect(try await store.task(id: 1)?.state == .completed)
    }

    @Test(arguments: [
        Mutation.resumeTask(.id(99), at: moment(0), resourceTimeout: 0),
        .suspendTask(.identifier(session: 1, 99), at: moment(0)),
        .setProgress(task: 99, receivedByteCount: 1, expectedByteCount: nil),
        .setCheckpoint(task: 99, nil),
        .setUpload(task: 99, [1]),
        .setRetry(task: 99, attempts: 1, notBefore: nil, lastError: nil),
        .postponeTask(99, attempts: 1, until: moment(0), lastError: nil),
        .setExchange(task: 99, currentRequest: nil, response: nil),
        .delayTask(.id(99), notBefore: nil, nil, at: moment(0)),
        .beginTask(.id(99), nil, at: moment(0)),
        .setOptions(.id(99), nil),
        .describeTask(.id(99), nil),
        .prioritizeTask(.id(99), 0.5),
        .completeTask(.id(99), NewEnd(event: [])),
    ])
    func `a change to a task that is not there is an error`(mutation: Mutation) async throws {
        let error = try await failure { try await store.commit([mutation]) }
        #expect(error.code == .notFound)
        #expect(error.message.contains("99"))
    }

    @Test func `deleting what is not there is no error`() async throws {
        try await store.commit([
            .deleteTask(id: 1), .deleteSession(id: 1), .deleteApplication(id: 1),
            .acknowledge(session: 1, sequence: 1),
        ])
    }

    @Test func `pages hold the tasks that pass the filter, by number`() async throws {
        let first = try await store.openedSession("one", of: "a")
        let second = try await store.openedSession("two", of: "a")
        let third = try await store.openedSession("one", of: "b")
        let sessions = [first, second, third]
        for id in TaskID(1)...30 {
            var task = TaskRecord.waiting(id, session: sessions[Int(id.rawValue % 3)].id)
            task.state = try #require(TaskRecord.State(rawValue: Int(id.rawValue / 3) % 3))
            try await store.commit([.insertTask(task)])
        }
        let everything = try await store.tasks(limit: 100)
        #expect(everything.map(\.id) == Array(1...30))
        let filters: [(TaskFilter, (TaskRecord) -> Bool)] = [
            (TaskFilter(), { _ in true }),
            (TaskFilter(states: [.suspended]), { $0.state == .suspended }),
            (
                TaskFilter(scope: .application(first.applicationID)),
                { $0.sessionID != third.id }
            ),
            (
                TaskFilter(
                    scope: .application(first.applicationID),
                    states: [.waiting, .completed]
                ),
                { $0.sessionID != third.id && $0.state != .suspended }
            ),
            (TaskFilter(scope: .session(third.id)), { $0.sessionID == third.id }),
            (
                TaskFilter(scope: .session(third.id), states: [.waiting]),
                { $0.sessionID == third.id && $0.state == .waiting }
            ),
            (TaskFilter(states: []), { _ in false }),
            (TaskFilter(scope: .session(1000)), { _ in false }),
        ]
        for (filter, passes) in filters {
            var pages: [[TaskRecord]] = []
            repeat {
                let last = pages.last?.last?.id ?? 0
                pages.append(try await store.tasks(filter, after: last, limit: 4))
            } while pages.last?.count == 4
            #expect(pages.flatMap { $0 } == everything.filter(passes), "\(filter)")
        }
    }

    @Test func `a page ends early with the task that makes it too large`() async throws {
        let session = try await store.openedSession()
        try await store.commit(
            (TaskID(1)...200).map { id in
                var task = TaskRecord.waiting(id, session: session.id)
                task.request = Encoded(text: [UInt8](repeating: 1, count: id == 150 ? 5000 : 100))
                return .insertTask(task)
            }
        )
        var sizes: [Int] = []
        var next: TaskID? = 0
        while let after = next {
            let page = try await store.page(after: after, limit: 90, byteLimit: 5000)
            sizes.append(page.tasks.count)
            #expect(page.tasks.map(\.id) == Array(after + 1...after + page.tasks.count))
            next = page.next
        }
        #expect(sizes == [51, 51, 48, 50])
        let one = try await store.page(after: 149, limit: 90, byteLimit: 0)
        #expect(one.tasks.map(\.id) == [150])
        #expect(one.next == 150)
        let last = try await store.page(after: 199, limit: 90, byteLimit: 0)
        #expect(last.next == nil)
    }

    @Test func `tasks are found by their numbers, many at a time, in the order given`() async throws
    {
        let session = try await store.openedSession()
        try await store.commit(
            (TaskID(1)...100).map { .insertTask(.waiting($0, session: session.id)) }
        )
        let wanted = Array((TaskID(-5)...120).reversed())
        let page = try await store.page(ids: wanted, byteLimit: .max)
        #expect(page.tasks.map(\.id) == Array((TaskID(1)...100).reversed()))
        #expect(page.next == nil)
        let cut = try await store.page(ids: wanted, byteLimit: 0)
        #expect(cut.tasks.map(\.id) == [100])
        #expect(cut.next == 100)
        #expect(try await store.page(ids: [], byteLimit: 0) == TaskPage(tasks: []))
    }

    @Test func `what has become of tasks is told without what they consist of`() async throws {
        let session = try await store.openedSession()
        try await store.commit(
            (TaskID(1)...70).map { .insertTask(.waiting($0, session: session.id)) }
        )
        try await store.commit([
            .completeTask(.id(1), NewEnd(event: [])),
            .setRetry(task: 2, attempts: 1, notBefore: nil, lastError: [1]),
        ])
        let standings = try await store.standings(ofTasks: Array(1...80)).sorted { $0.id < $1.id }
        #expect(standings.map(\.id) == Array(1...70))
        #expect(standings.allSatisfy { $0.sessionID == session.id })
        #expect(standings.filter { $0.state == .completed }.map(\.id) == [1])
        #expect(standings.filter(\.hasFailed).map(\.id) == [2])
    }

    @Test func `BG-17: tasks past their deadline are found, the earliest first`() async throws {
        let session = try await store.openedSession()
        #expect(try await store.earliestDeadline() == nil)
        let deadlines: [Double?] = [50, 20, nil, 30, 10]
        for (index, deadline) in deadlines.enumerated() {
            var task = TaskRecord.waiting(TaskID(index + 1), session: session.id)
            task.deadline = deadline.map(moment)
            try await store.commit([.insertTask(task)])
        }
        try await store.commit([
            .completeTask(.id(5), NewEnd(event: [])), .suspendTask(.id(4), at: moment(0)),
        ])
        #expect(try await store.earliestDeadline() == moment(20))
        let overdue = try await store.overdueTasks(at: moment(50), limit: 10)
        #expect(overdue.map(\.id) == [2, 1])
        #expect(try await store.overdueTasks(at: moment(50), limit: 1).map(\.id) == [2])
        #expect(try await store.overdueTasks(at: moment(19.5), limit: 10) == [])
    }
}
