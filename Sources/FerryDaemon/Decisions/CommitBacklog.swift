import FerryStore

/// Commits that the disk did not take and that are made again, in the order in which what they
/// tell of has happened.
struct CommitBacklog: Hashable, Sendable {
    /// A commit as the machine has asked for it.
    struct Commit: Hashable, Sendable {
        /// The changes.
        var mutations: [Mutation]
        /// What they must outlive.
        var durability: Durability
        /// What becomes of the receipt.
        var continuation: DaemonStateMachine.Continuation
        /// Which of all it is; 0 for one that nobody was asked to make.
        fileprivate(set) var number: UInt64 = 0

        /// Leaves out what is no longer so, as another commit that tells of something later is in the store.
        fileprivate mutating func leaveOut(replacedBy other: Commit, _ receipt: Receipt) {
            guard number < other.number else { return }
            let opened = receipt.openedSessions.map(\.session.id)
            mutations.removeAll { mutation in
                if case .setConfiguration(let session, _) = mutation, opened.contains(session) {
                    return true
                }
                return other.mutations.contains { $0.replaces(mutation) }
            }
        }
    }

    private static let maximumDelay = 60
    private var commits: [Commit] = []
    private var lastNumber: UInt64 = 0
    private var failureCount = 0
    private var isTimerSet = false

    /// Whether nothing waits.
    var isEmpty: Bool { commits.isEmpty }

    /// Numbers a commit, and enqueues one that must not overtake those that wait.
    ///
    /// - Returns: Whether it is enqueued; otherwise it is to be made now.
    mutating func enqueue(_ commit: inout Commit) -> Bool {
        if commit.number == 0 {
            lastNumber += 1
            commit.number = lastNumber
        }
        guard !commits.isEmpty, commit.continuation.isRetried else { return false }
        commits.append(commit)
        return true
    }

    /// Enqueues a commit that has failed, if it is to be made again.
    ///
    /// - Returns: Whether it is enqueued; otherwise its failure is final.
    mutating func enqueue(_ commit: Commit, after error: StoreError) -> Bool {
        guard error.isTransient, commit.continuation.isRetried else { return false }
        // One that was on its way comes before those that were kept meanwhile.
        let place = commits.firstIndex { $0.number > commit.number } ?? commits.endIndex
        commits.insert(commit, at: place)
        return true
    }

    /// When to make the commits that wait, if no timer is set for that.
    mutating func delay() -> Duration? {
        guard !commits.isEmpty, !isTimerSet else { return nil }
        isTimerSet = true
        defer { failureCount += 1 }
        return .seconds(min(Self.maximumDelay, 1 << min(failureCount, 6)))
    }

    /// Takes the commits that wait, to make them in their order.
    mutating func takeAll() -> [Commit] {
        isTimerSet = false
        defer { commits = [] }
        return commits
    }

    /// The disk has taken a commit, perhaps past others that wait.
    ///
    /// - Returns: What becomes of the commits that are not made any more, as nothing of what they tell is still so.
    mutating func succeeded(
        _ commit: Commit,
        _ receipt: Receipt
    ) -> [DaemonStateMachine.Continuation] {
        if commits.isEmpty { failureCount = 0 }
        for index in commits.indices { commits[index].leaveOut(replacedBy: commit, receipt) }
        let superseded = commits.filter(\.mutations.isEmpty).map(\.continuation)
        commits.removeAll(where: \.mutations.isEmpty)
        return superseded
    }
}

extension Mutation {
    /// Whether nothing is left of another change once this one is made.
    fileprivate func replaces(_ other: Mutation) -> Bool {
        switch (self, other) {
        case (.setCheckpoint(let task, _), .setCheckpoint(let otherTask, _)),
            (.setProgress(let task, _, _), .setProgress(let otherTask, _, _)),
            (.setExchange(let task, _, _), .setExchange(let otherTask, _, _)):
            task == otherTask
        case (.setConfiguration(let session, _), .setConfiguration(let otherSession, _)):
            session == otherSession
        default:
            false
        }
    }
}
