/// Which tasks get the bytes of another, and what is made of its file for them.
///
/// A leader has followers as long as there are any. When its file is complete, copies are made one after the other.
struct Followings: Hashable, Sendable {
    typealias Sharing = DaemonStateMachine.Sharing

    /// Of how many directories it is known at once that no two files there can share their bytes.
    private static let maximumDirectoryCount = 64

    private var followers: [Int64: [Int64]] = [:]
    private var sharings: [Int64: Sharing] = [:]
    /// The tasks whose files are being copied from another's, and whether they have ended meanwhile.
    private var copying: [Int64: Bool] = [:]
    /// The directories that downloads are for, "" for the daemon's own, where no two files can share their bytes.
    private var directoriesWithoutSharing: Set<String> = []

    /// Whether no task follows another, and nothing is copied.
    var isEmpty: Bool { followers.isEmpty && sharings.isEmpty && copying.isEmpty }

    // MARK: Followers

    /// The tasks that follow another, in the order in which they came.
    func followers(of leader: Int64) -> [Int64] { followers[leader] ?? [] }

    /// Whether a task is followed.
    func isFollowed(_ leader: Int64) -> Bool { followers[leader] != nil }

    /// A task follows another.
    mutating func add(_ follower: Int64, to leader: Int64) {
        followers[leader, default: []].append(follower)
    }

    /// A task does not follow another any more.
    mutating func remove(_ follower: Int64, from leader: Int64) {
        followers[leader]?.removeAll { $0 == follower }
        if followers[leader]?.isEmpty == true { followers[leader] = nil }
    }

    /// A task is not followed any more.
    ///
    /// - Returns: The tasks that have followed it.
    mutating func removeAll(from leader: Int64) -> [Int64] {
        followers.removeValue(forKey: leader) ?? []
    }

    // MARK: The file of a leader

    /// The file that is copied for those who follow a task.
    func sharing(of leader: Int64) -> Sharing? { sharings[leader] }

    /// The file of a task is copied from now on.
    mutating func share(_ sharing: Sharing, of leader: Int64) { sharings[leader] = sharing }

    /// The file of a task is not copied any more.
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

    /// Whether no two files of a directory can share their bytes, as far as that is known.
    func lacksSharing(in directory: String?) -> Bool {
        directoriesWithoutSharing.contains(directory ?? "")
    }

    /// No two files of a directory can share their bytes.
    mutating func noteLackOfSharing(in directory: String?) {
        if directoriesWithoutSharing.count >= Self.maximumDirectoryCount {
            directoriesWithoutSharing = []
        }
        directoriesWithoutSharing.insert(directory ?? "")
    }
}
