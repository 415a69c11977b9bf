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

        /// Whether what another one tells of is no longer so.
        fileprivate func supersedes(_ other: Commit) -> Bool {
            guard case .moved(let task) = other.continuation, number > other.number else {
                return false
            }
            return mutations.contains { mutation in
                if case .setUpload(task, _) = mutation { true } else { false }
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

    /// Numbers a commit, and keeps one that must not overtake those that wait.
    ///
    /// - Returns: Whether it is kept; otherwise it is to be made now.
    mutating func keeps(_ commit: inout Commit) -> Bool {
        if commit.number == 0 {
            lastNumber += 1
            commit.number = lastNumber
        }
        guard !commits.isEmpty, commit.continuation.isRetried else { return false }
        commits.append(commit)
        return true
    }

    /// Keeps a commit that has failed, if it is to be made again.
    ///
    /// - Returns: Whether it is kept; otherwise its failure is final.
    mutating func keeps(_ commit: Commit, after error: StoreError) -> Bool {
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

    /// The disk has taken a commit.
    ///
    /// - Returns: The commits that are not made any more, as it came past them and tells of something later.
    mutating func succeeded(_ commit: Commit) -> [Commit] {
        if commits.isEmpty { failureCount = 0 }
        let superseded = commits.filter { commit.supersedes($0) }
        commits.removeAll { commit.supersedes($0) }
        return superseded
    }
}
