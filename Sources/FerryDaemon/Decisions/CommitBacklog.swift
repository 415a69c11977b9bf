import FerryStore

/// Commits that the disk did not take and that are retried, in the order of the events that they record.
struct CommitBacklog: Hashable, Sendable {
    /// A commit as requested by the machine.
    struct Commit: Hashable, Sendable {
        /// The changes.
        var mutations: [Mutation]
        /// The durability of the changes.
        var durability: Durability
        /// How the machine continues with the receipt.
        var continuation: DaemonStateMachine.Continuation
        /// The commit's position among all commits; 0 before it is numbered.
        fileprivate(set) var number: UInt64 = 0

        /// Leaves out changes that a later commit, which is in the store, has replaced.
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

    /// Whether no commit waits.
    var isEmpty: Bool { commits.isEmpty }

    /// Numbers a commit, and enqueues it if it must not overtake those that wait.
    ///
    /// - Returns: Whether it is enqueued; otherwise it must be made now.
    mutating func enqueue(_ commit: inout Commit) -> Bool {
        if commit.number == 0 {
            lastNumber += 1
            commit.number = lastNumber
        }
        guard !commits.isEmpty, commit.continuation.isRetried else { return false }
        commits.append(commit)
        return true
    }

    /// Enqueues a commit that has failed, if it is to be retried.
    ///
    /// - Returns: Whether it is enqueued; otherwise its failure is final.
    mutating func enqueue(_ commit: Commit, after error: StoreError) -> Bool {
        guard error.isTransient, commit.continuation.isRetried else { return false }
        // A commit that was under way goes before those that were enqueued meanwhile.
        let place = commits.firstIndex { $0.number > commit.number } ?? commits.endIndex
        commits.insert(commit, at: place)
        return true
    }

    /// Returns the delay before the waiting commits are made, if no timer is set for that.
    mutating func delay() -> Duration? {
        guard !commits.isEmpty, !isTimerSet else { return nil }
        isTimerSet = true
        defer { failureCount += 1 }
        return .seconds(min(Self.maximumDelay, 1 << min(failureCount, 6)))
    }

    /// Removes and returns the waiting commits, to be made in order.
    mutating func takeAll() -> [Commit] {
        isTimerSet = false
        defer { commits = [] }
        return commits
    }

    /// Records that the disk has taken a commit, perhaps ahead of others that wait.
    ///
    /// - Returns: The continuations of commits that are dropped, because later ones have replaced all their changes.
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
    /// Returns whether this change replaces another one entirely.
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
