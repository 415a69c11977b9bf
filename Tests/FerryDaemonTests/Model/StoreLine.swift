import FerryStore

@testable import FerryDaemon

/// What is asked of the store, in the order in which the real one does it: commits share the next
/// transaction, and so may overtake a question.
struct StoreLine {
    typealias Commit = CommitBacklog.Commit
    typealias Answer = Result<DaemonStateMachine.Finding, StoreError>

    /// What came of a job.
    enum Outcome {
        case committed(Receipt, Commit)
        case failed(StoreError, Commit)
        case answered(DaemonStateMachine.Query, Answer)
    }

    private enum Job {
        case transactions
        case question(DaemonStateMachine.Query)
        case answer(DaemonStateMachine.Query, Answer)
    }

    private var jobs: [Job] = []
    private var commits: [Commit] = []

    /// Whether there is nothing to do.
    var isEmpty: Bool { jobs.isEmpty }

    mutating func submit(_ commit: Commit) {
        commits.append(commit)
        if commits.count == 1 { jobs.append(.transactions) }
    }

    mutating func submit(_ query: DaemonStateMachine.Query) { jobs.append(.question(query)) }

    /// Does the next job.
    ///
    /// - Parameters:
    ///   - database: What it is done to.
    ///   - failure: Why the disk fails, if it does.
    ///   - isSlow: Whether a question of several steps takes its last steps only behind the other
    ///     jobs.
    /// - Returns: What came of it.
    mutating func runNext(
        on database: inout ModelDatabase,
        failure: StoreError? = nil,
        isSlow: Bool = false
    ) -> [Outcome] {
        guard !jobs.isEmpty else { return [] }
        switch jobs.removeFirst() {
        case .transactions:
            let groups = Self.groups(commits)
            commits = []
            return groups.flatMap { database.transact($0, failure: failure) }
        case .question(let query):
            let result: Answer =
                failure.map { .failure($0) } ?? .success(database.current.find(query))
            guard isSlow, Self.canBeSlow(query) else { return [.answered(query, result)] }
            jobs.append(.answer(query, result))
            return []
        case .answer(let query, let result):
            return [.answered(query, result)]
        }
    }

    /// Whether the machine may be told something else between the question and its answer.
    private static func canBeSlow(_ query: DaemonStateMachine.Query) -> Bool {
        switch query {
        case .candidates, .task, .sweep, .overdue, .repeated, .secured, .revise, .dated: true
        case .events, .session, .earliestDeadline, .totals: false
        }
    }

    /// Deletions of unknown size have transactions of their own.
    private static func groups(_ commits: [Commit]) -> [[Commit]] {
        var groups: [[Commit]] = []
        var canJoin = false
        for commit in commits {
            let isUnbounded = commit.mutations.contains { mutation in
                switch mutation {
                case .deleteApplication, .deleteSession: true
                default: false
                }
            }
            if canJoin, !isUnbounded {
                groups[groups.count - 1].append(commit)
            } else {
                groups.append([commit])
            }
            canJoin = !isUnbounded
        }
        return groups
    }
}
