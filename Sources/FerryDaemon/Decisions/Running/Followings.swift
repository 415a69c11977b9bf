/// The tasks that get the bytes of another, and the copies of its file for them.
///
/// A task is a leader while it has followers. When its file is complete, copies are made one after the other.
struct Followings: Hashable, Sendable {
    typealias Sharing = DaemonStateMachine.Sharing

    /// The maximum number of directories that are remembered for not sharing blocks between files.
    private static let maximumDirectoryCount = 64

    private var followers: [Int64: [Int64]] = [:]
    private var sharings: [Int64: Sharing] = [:]
    /// The tasks whose files are being copied from another's, and whether they have ended meanwhile.
    private var copying: [Int64: Bool] = [:]
    /// The directories of downloads in which files cannot share blocks; "" for the daemon's own.
    private var directoriesWithoutSharing: Set<String> = []

    /// Whether no task follows another, and nothing is copied.
    var isEmpty: Bool { followers.isEmpty && sharings.isEmpty && copying.isEmpty }

    // MARK: Followers

    /// Returns the tasks that follow another, in the order in which they came.
    func followers(of leader: Int64) -> [Int64] { followers[leader] ?? [] }

    /// Whether a task is followed.
    func isFollowed(_ leader: Int64) -> Bool { followers[leader] != nil }

    /// A task follows another.
    mutating func add(_ follower: Int64, to leader: Int64) {
        followers[leader, default: []].append(follower)
    }

    /// A task no longer follows another.
    mutating func remove(_ follower: Int64, from leader: Int64) {
        followers[leader]?.removeAll { $0 == follower }
        if followers[leader]?.isEmpty == true { followers[leader] = nil }
    }

    /// A task is no longer followed.
    ///
    /// - Returns: The tasks that have followed it.
    mutating func removeAll(from leader: Int64) -> [Int64] {
        followers.removeValue(forKey: leader) ?? []
    }

    // MARK: The file of a leader

    /// Returns the file that is copied for the followers of a task.
    func sharing(of leader: Int64) -> Sharing? { sharings[leader] }

    /// The file of a task is copied from now on.
    mutating func share(_ sharing: Sharing, of leader: Int64) { sharings[leader] = sharing }

    /// The file of a task is no longer copied.
    ///
    /// - Returns: Whether it was.
    mutating func stopSharing(of leader: Int64) -> Bool {
        sharings.removeValue(forKey: leader) != nil
    }

    // MARK: Copies

    /// The tasks that copies are made for.
    var copyingTasks: some Sequence<Int64> { copying.keys }

    /// Whether a copy is made for a task.
    func isCopying(for task: Int64) -> Bool { copying[task] != nil }

    /// A copy is made for a task.
    mutating func beginCopy(for follower: Int64, of leader: Int64) {
        sharings[leader]?.follower = follower
        copying[follower] = false
    }

    /// A copy was made for a task, or could not be.
    ///
    /// - Returns: Whether the task has ended meanwhile.
    mutating func endCopy(for follower: Int64, of leader: Int64) -> Bool {
        if sharings[leader]?.follower == follower { sharings[leader]?.follower = nil }
        return copying.removeValue(forKey: follower) == true
    }

    /// A task has ended.
    ///
    /// - Returns: Whether a copy is being made for it.
    mutating func noteEnd(of task: Int64) -> Bool {
        guard isCopying(for: task) else { return false }
        copying[task] = true
        return true
    }

    // MARK: What a disk can do

    /// Returns whether files in a directory are known not to share blocks.
    func lacksSharing(in directory: String?) -> Bool {
        directoriesWithoutSharing.contains(directory ?? "")
    }

    /// Records that files in a directory cannot share blocks.
    mutating func noteLackOfSharing(in directory: String?) {
        if directoriesWithoutSharing.count >= Self.maximumDirectoryCount {
            directoriesWithoutSharing = []
        }
        directoriesWithoutSharing.insert(directory ?? "")
    }
}
