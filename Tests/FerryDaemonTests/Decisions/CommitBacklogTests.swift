import FerryStore
import Testing

@testable import FerryDaemon

@Suite struct CommitBacklogTests {
    private static let full = StoreError.model(.diskFull)

    private static func commit(
        _ task: Int64,
        _ continuation: DaemonStateMachine.Continuation = .nothing
    ) -> CommitBacklog.Commit {
        CommitBacklog.Commit(
            mutations: [.deleteTask(id: task)],
            durability: .relaxed,
            continuation: continuation
        )
    }

    /// A backlog in which some commits wait that have failed.
    private static func backlog(_ tasks: Int64...) -> CommitBacklog {
        var backlog = CommitBacklog()
        for task in tasks { _ = backlog.keeps(commit(task), after: full) }
        return backlog
    }

    @Test func `without failures every commit is made at once`() {
        var backlog = CommitBacklog()
        var commit = Self.commit(1)
        let isKept = backlog.keeps(&commit)
        let delay = backlog.delay()
        #expect(!isKept && delay == nil && backlog.isEmpty)
    }

    @Test func `a commit that fails is kept and made again`() {
        var backlog = CommitBacklog()
        let isKept = backlog.keeps(Self.commit(1), after: Self.full)
        let delay = backlog.delay()
        let again = backlog.takeAll()
        #expect(isKept && delay == .seconds(1))
        #expect(again.map(\.mutations) == [Self.commit(1).mutations])
        #expect(backlog.isEmpty)
    }

    @Test func `what has happened later is stored later`() {
        var backlog = Self.backlog(1)
        var second = Self.commit(2)
        let isKept = backlog.keeps(&second)
        #expect(isKept)
        #expect(backlog.takeAll().map(\.mutations) == [1, 2].map { Self.commit($0).mutations })
    }

    @Test func `one that was on its way comes before those that were kept meanwhile`() {
        var backlog = CommitBacklog()
        var commits = [1, 2].map { Self.commit($0) }
        let isOnItsWay = commits.indices.map { !backlog.keeps(&commits[$0]) }
        #expect(isOnItsWay == [true, true])
        _ = backlog.keeps(commits[0], after: Self.full)
        var third = Self.commit(3)
        let isKept = backlog.keeps(&third)
        #expect(isKept)
        _ = backlog.keeps(commits[1], after: Self.full)
        let expected = [1, 2, 3].map { Self.commit($0).mutations }
        #expect(backlog.takeAll().map(\.mutations) == expected)
    }

    @Test(arguments: [DaemonStateMachine.Continuation.moved(task: 1), .secured(7, task: 1)])
    func `where an upload goes on is not overwritten by where it was`(
        _ later: DaemonStateMachine.Continuation
    ) {
        var backlog = CommitBacklog()
        var commits = [(1, .moved(task: 1)), (1, later), (2, .moved(task: 2))].map {
            (task: Int64, continuation: DaemonStateMachine.Continuation) in
            CommitBacklog.Commit(
                mutations: [.setUpload(task: task, [])],
                durability: .relaxed,
                continuation: continuation
            )
        }
        for index in commits.indices { _ = backlog.keeps(&commits[index]) }
        _ = backlog.keeps(commits[0], after: Self.full)
        _ = backlog.keeps(commits[2], after: Self.full)
        let superseded = backlog.succeeded(commits[1])
        #expect(superseded == [commits[0]])
        let waiting = backlog.takeAll()
        #expect(waiting == [commits[2]])
    }

    @Test(arguments: [
        DaemonStateMachine.Continuation.call(1, task: 2), .created(1), .closed(session: 1),
    ])
    func `what a client waits for, or what may be in use again, does not wait`(
        _ continuation: DaemonStateMachine.Continuation
    ) {
        var backlog = Self.backlog(1)
        var commit = Self.commit(2, continuation)
        let isKept = backlog.keeps(&commit)
        let isKeptLater = backlog.keeps(Self.commit(2, continuation), after: Self.full)
        #expect(!isKept && !isKeptLater)
    }

    @Test(arguments: [StoreError.Code.notFound, .conflict, .corrupt, .closed])
    func `what cannot succeed later is not kept`(_ code: StoreError.Code) {
        var backlog = CommitBacklog()
        let isKept = backlog.keeps(Self.commit(1), after: .model(code))
        #expect(!isKept && backlog.isEmpty)
    }

    @Test func `there is one timer, and each attempt in vain waits longer`() {
        var backlog = CommitBacklog()
        var delays: [Duration?] = []
        for _ in 1...8 {
            for task: Int64 in 1...2 {
                _ = backlog.keeps(Self.commit(task), after: Self.full)
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
            _ = backlog.keeps(Self.commit(1), after: Self.full)
            // One that was on its way when the disk was full proves nothing.
            _ = backlog.succeeded(Self.commit(2))
            delays.append(backlog.delay())
            _ = backlog.takeAll()
            if isLast { _ = backlog.succeeded(Self.commit(2)) }
        }
        _ = backlog.keeps(Self.commit(1), after: Self.full)
        delays.append(backlog.delay())
        #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(1)])
    }
}
