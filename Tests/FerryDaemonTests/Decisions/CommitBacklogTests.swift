import FerryStore
import FerryWireTestSupport
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct CommitBacklogTests {
    private static let full = StoreError.model(.diskFull)

    private static func commit(
        _ task: TaskID,
        _ continuation: DaemonStateMachine.Continuation = .nothing
    ) -> CommitBacklog.Commit {
        CommitBacklog.Commit(
            mutations: [.deleteTask(id: task)],
            durability: .relaxed,
            continuation: continuation
        )
    }

    /// A backlog in which some commits wait that have failed.
    private static func backlog(_ tasks: TaskID...) -> CommitBacklog {
        var backlog = CommitBacklog()
        for task in tasks { _ = backlog.enqueue(commit(task), after: full) }
        return backlog
    }

    @Test func `without failures every commit is made at once`() {
        var backlog = CommitBacklog()
        var commit = Self.commit(1)
        let isKept = backlog.enqueue(&commit)
        let delay = backlog.delay()
        #expect(!isKept && delay == nil && backlog.isEmpty)
    }

    @Test func `a commit that fails is kept and made again`() {
        var backlog = CommitBacklog()
        let isKept = backlog.enqueue(Self.commit(1), after: Self.full)
        let delay = backlog.delay()
        let again = backlog.takeAll()
        #expect(isKept && delay == .seconds(1))
        #expect(again.map(\.mutations) == [Self.commit(1).mutations])
        #expect(backlog.isEmpty)
    }

    @Test func `what has happened later is stored later`() {
        var backlog = Self.backlog(1)
        var second = Self.commit(2)
        let isKept = backlog.enqueue(&second)
        #expect(isKept)
        #expect(backlog.takeAll().map(\.mutations) == [1, 2].map { Self.commit($0).mutations })
    }

    @Test func `one that was on its way comes before those that were kept meanwhile`() {
        var backlog = CommitBacklog()
        var commits = [1, 2].map { Self.commit($0) }
        let isOnItsWay = commits.indices.map { !backlog.enqueue(&commits[$0]) }
        #expect(isOnItsWay == [true, true])
        _ = backlog.enqueue(commits[0], after: Self.full)
        var third = Self.commit(3)
        let isKept = backlog.enqueue(&third)
        #expect(isKept)
        _ = backlog.enqueue(commits[1], after: Self.full)
        let expected = [1, 2, 3].map { Self.commit($0).mutations }
        #expect(backlog.takeAll().map(\.mutations) == expected)
    }

    /// Commits of which the second comes past the first, which waits as the third does.
    private static func overtaken(
        _ commits: [[Mutation]]
    ) -> (backlog: CommitBacklog, commits: [CommitBacklog.Commit]) {
        var backlog = CommitBacklog()
        var commits = commits.map { mutations in
            CommitBacklog.Commit(
                mutations: mutations,
                durability: .relaxed,
                continuation: .nothing
            )
        }
        for index in commits.indices { _ = backlog.enqueue(&commits[index]) }
        _ = backlog.enqueue(commits[0], after: full)
        _ = backlog.enqueue(commits[2], after: full)
        return (backlog, commits)
    }

    @Test(arguments: [
        [Mutation.setCheckpoint(task: 1, [1]), .setCheckpoint(task: 1, [2])],
        [
            .setProgress(task: 1, receivedByteCount: 1, expectedByteCount: nil),
            .setProgress(task: 1, receivedByteCount: 2, expectedByteCount: 9),
        ],
        [
            .setExchange(task: 1, currentRequest: nil, response: [1]),
            .setExchange(task: 1, currentRequest: [1], response: [2]),
        ],
        [.setConfiguration(session: 1, [1]), .setConfiguration(session: 1, [2])],
    ])
    func `what is so is not overwritten by what was so`(_ mutations: [Mutation]) {
        var (backlog, commits) = Self.overtaken([[mutations[0]], [mutations[1]], [mutations[0]]])
        let superseded = backlog.succeeded(commits[1], Receipt())
        #expect(superseded == [.nothing])
        let waiting = backlog.takeAll()
        #expect(waiting == [commits[2]])
    }

    @Test func `what else a commit tells of is still made`() {
        let rest = Mutation.setRetry(task: 1, attempts: 1, notBefore: nil, lastError: nil)
        var (backlog, commits) = Self.overtaken([
            [.setCheckpoint(task: 1, [1]), rest], [.setCheckpoint(task: 1, [2])], [rest],
        ])
        let superseded = backlog.succeeded(commits[1], Receipt())
        #expect(superseded.isEmpty)
        let waiting = backlog.takeAll().map(\.mutations)
        #expect(waiting == [[rest], [rest]])
    }

    @Test func `what is so of one task or session says nothing of another`() {
        let changes: [Mutation] = [
            .setCheckpoint(task: 1, [1]), .setConfiguration(session: 1, [1]),
        ]
        let others: [Mutation] = [
            .setCheckpoint(task: 2, [2]), .setConfiguration(session: 2, [2]),
        ]
        var (backlog, commits) = Self.overtaken([changes, others, changes])
        let superseded = backlog.succeeded(commits[1], Receipt())
        #expect(superseded.isEmpty)
        let waiting = backlog.takeAll().map(\.mutations)
        #expect(waiting == [changes, changes])
    }

    @Test func `a session that was opened anew is as its application wants it`() {
        let change = Mutation.setConfiguration(session: 1, [1])
        var (backlog, commits) = Self.overtaken([[change], [.deleteTask(id: 9)], [change]])
        var receipt = Receipt()
        receipt.openedSessions = [
            Receipt.OpenedSession(
                application: ApplicationRecord(id: 1, identifier: "app"),
                session: SessionRecord(
                    id: 1,
                    applicationID: 1,
                    identifier: "session",
                    configuration: [2]
                ),
                isNew: false
            )
        ]
        let superseded = backlog.succeeded(commits[1], receipt)
        #expect(superseded == [.nothing])
    }

    @Test(arguments: [
        DaemonStateMachine.Continuation.call(1, about: .id(2)), .created(1), .closed(session: 1),
    ])
    func `what a client waits for, or what may be in use again, does not wait`(
        _ continuation: DaemonStateMachine.Continuation
    ) {
        var backlog = Self.backlog(1)
        var commit = Self.commit(2, continuation)
        let isKept = backlog.enqueue(&commit)
        let isKeptLater = backlog.enqueue(Self.commit(2, continuation), after: Self.full)
        #expect(!isKept && !isKeptLater)
    }

    @Test(arguments: [StoreError.Code.notFound, .conflict, .corrupt, .closed])
    func `what cannot succeed later is not kept`(_ code: StoreError.Code) {
        var backlog = CommitBacklog()
        let isKept = backlog.enqueue(Self.commit(1), after: .model(code))
        #expect(!isKept && backlog.isEmpty)
    }

    @Test func `there is one timer, and each attempt in vain waits longer`() {
        var backlog = CommitBacklog()
        var delays: [Duration?] = []
        for _ in 1...8 {
            for task in [1, 2] as [TaskID] {
                _ = backlog.enqueue(Self.commit(task), after: Self.full)
                delays.append(backlog.delay())
            }
            _ = backlog.takeAll()
        }
        let expected = [1, 2, 4, 8, 16, 32, 60, 60].flatMap { [Duration.seconds($0), nil] }
        #expect(delays == expected)
    }

    @Test func `a commit that is taken begins the delays anew`() {
        var backlog = CommitBacklog()
        var delays: [Duration?] = []
        for isLast in [false, false, true] {
            _ = backlog.enqueue(Self.commit(1), after: Self.full)
            // One that was on its way when the disk was full proves nothing.
            _ = backlog.succeeded(Self.commit(2), Receipt())
            delays.append(backlog.delay())
            _ = backlog.takeAll()
            if isLast { _ = backlog.succeeded(Self.commit(2), Receipt()) }
        }
        _ = backlog.enqueue(Self.commit(1), after: Self.full)
        delays.append(backlog.delay())
        #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(1)])
    }
}
