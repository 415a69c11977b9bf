import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

// Equal downloads of a session that are under way at the same time are loaded once. The first task, the leader, has the
// transfer. The others, its followers, report the same progress. When the leader's file is complete, the followers get
// their own copies, one after the other, before the leader ends: afterwards the file belongs to its application, which
// may change it. The end does not wait long, nor for slow copies. When the leader leaves early, for whatever reason,
// each follower without a copy continues by itself.
// The number of followers is limited: the next task has its own transfer and its own followers.
//
// Tasks share a transfer only while all that a client can set for a task is equal: a limit, a priority or a rule of one
// must not hold for another. Nor do they share a response that says no-store (RFC 9111 §5.2.2.5), or one that depends on
// what an application answers about one of them.
extension DaemonStateMachine {
    /// Returns a task that loads the same and may have another follower, if there is one.
    func leader(for task: TaskRecord) -> RunningTask? {
        guard task.upload == nil, task.checkpoint == nil, task.replacement == nil,
            !followings.isAlone(task.id)
        else { return nil }
        let options = task.validOptions
        let equal = running.tasks(requesting: task.request).filter { other in
            other.phase == .loading && other.record.sessionID == task.sessionID
                && other.record.host == task.host && other.record.upload == nil
                && other.record.replacement == nil && other.options == options
                && other.priority == task.priority && avoided(by: other) == avoided(by: task)
                && followings.followers(of: other.record.id).count < policy.maximumFollowers
                && !followings.isAlone(other.record.id) && !hasOwnResponse(other)
                && !isTooLargeToCopy(other)
        }
        let leader = equal.min { $0.record.id < $1.record.id }
        return leader?.request?.mayBeShared == true ? leader : nil
    }

    /// Makes a task follow another one.
    mutating func follow(_ leader: RunningTask, by task: TaskRecord) {
        var follower = RunningTask(task, at: now)
        follower.follow(leader)
        running.start(follower, of: application(of: task))
        followings.add(task.id, to: leader.record.id)
        turn.add(
            .log(
                .info,
                "gets the bytes of task \(leader.record.id), which asks for the same",
                task: task.id
            )
        )
        turn.add(.changed(task: task.id))
    }

    /// Passes the latest state of a task to its followers.
    mutating func notifyFollowers(of id: TaskID, isResponse: Bool = false) {
        guard followings.isFollowed(id), let leader = running[id] else { return }
        for follower in followings.followers(of: id) {
            running.update(follower) { $0.record(leader, hasAnswered: isResponse) }
        }
    }

    /// Releases the followers of a task that no longer has a transfer: they continue by themselves.
    mutating func releaseFollowers(of id: TaskID) {
        let isShared = followings.stopSharing(of: id)
        let released = followings.removeAll(from: id).filter { running[$0]?.phase == .following }
        let attempts = released.flatMap { storeAttempts(of: $0) }
        for follower in released {
            readings.record(follower)
            running.end(follower)
        }
        if isShared { turn.add(.setTimer(.sharing(task: id), nil)) }
        if !attempts.isEmpty { commit(attempts, .relaxed) }
        for follower in released { turn.add(.changed(task: follower)) }
    }

    /// Returns whether the response of a task's, also that of an earlier attempt, is for this task alone.
    private func hasOwnResponse(_ task: RunningTask) -> Bool {
        let response = task.response ?? task.record.response?.value
        return response?.isForOneRequest == true || task.question?.challenge != nil
    }

    /// Releases the followers of a task whose response is not for them: each of them asks for its own.
    mutating func loadAlone(insteadOfFollowing id: TaskID) {
        guard followings.isFollowed(id) else { return }
        followings.setAlone(followings.followers(of: id))
        releaseFollowers(of: id)
    }

    /// Ends the sharing of a task's transfer for which something else is set now than for the others.
    mutating func separate(_ id: TaskID) {
        guard let task = running[id] else { return }
        guard task.phase == .following, let leader = task.leader else {
            // Of a complete file there is nothing to load.
            guard followings.isFollowed(id), followings.sharing(of: id) == nil else { return }
            releaseFollowers(of: id)
            return
        }
        guard followings.sharing(of: leader) == nil else { return }
        let attempts = storeAttempts(of: id)
        leave(leader, id)
        readings.record(id)
        running.end(id)
        if !attempts.isEmpty { commit(attempts, .relaxed) }
        turn.add(.changed(task: id))
    }

    /// Releases the followers of a task whose file is now known to be too large to copy.
    mutating func releaseIfTooLarge(_ id: TaskID) {
        guard followings.isFollowed(id), let task = running[id], isTooLargeToCopy(task) else {
            return
        }
        releaseFollowers(of: id)
    }

    /// Returns whether a task's file is too large to copy, and the disk is known not to share blocks between files.
    private func isTooLargeToCopy(_ task: RunningTask) -> Bool {
        task.expectedByteCount ?? 0 > policy.greatestCopy
            && followings.lacksSharing(in: task.options?.directory)
    }

    /// Removes a task from its leader, if it has one.
    mutating func leave(_ leader: TaskID?, _ id: TaskID) {
        if let leader { followings.remove(id, from: leader) }
    }

    // MARK: The file

    /// Starts copying the file of a complete task for its followers.
    ///
    /// - Returns: Whether there are any.
    mutating func shareFile(of id: TaskID, byteCount: Int64, path: String) -> Bool {
        guard followings.isFollowed(id) else { return false }
        followings.share(Sharing(byteCount: byteCount, path: path), of: id)
        turn.add(.setTimer(.sharing(task: id), now + policy.copyTime))
        copyNext(of: id)
        return true
    }

    /// Makes the next copy of a file; if there is none to make, the task ends.
    private mutating func copyNext(of id: TaskID) {
        guard !isStopping, let sharing = followings.sharing(of: id) else { return }
        guard let follower = followings.followers(of: id).first, let task = running[follower] else {
            return endSharing(of: id)
        }
        followings.beginCopy(for: follower, of: id)
        work.begin(in: .applicationFile)
        let copy = FileCopy(
            leader: id,
            follower: follower,
            byteCount: sharing.byteCount,
            application: application(of: task.record),
            directory: task.options?.directory
        )
        turn.add(.copyFile(copy))
    }

    /// Ends a task whose file is no longer to be copied.
    private mutating func endSharing(of id: TaskID) {
        guard let sharing = followings.sharing(of: id) else { return }
        releaseFollowers(of: id)
        endings.begin(id)
        storeEnd(of: id, byteCount: sharing.byteCount, path: sharing.path)
    }

    /// The copies of a file have taken too long: its task ends, and followers without a copy load for themselves.
    mutating func copyTimePassed(of id: TaskID) {
        guard !isStopping, let sharing = followings.sharing(of: id) else { return }
        // Abandoned before its application may change the file that is being copied.
        if let follower = sharing.follower { turn.add(.abandonCopy(task: follower)) }
        endSharing(of: id)
    }

    /// The file of a task was copied for another, or could not be.
    mutating func copied(_ copy: FileCopy, _ result: FileCopy.Result) {
        let (id, follower) = (copy.leader, copy.follower)
        work.end(in: .applicationFile)
        let hasEnded = followings.endCopy(for: follower, of: id)
        let isWaiting = running[follower]?.leader == id && running[follower]?.phase == .following

        switch result {
        case .copied(let path):
            if isWaiting { endFollower(copy, path: path) }
            // A task that its application has suspended finds the file later.
            if hasEnded { turn.add(.discardFile(task: follower)) }
        case .tooLarge:
            tooLarge(copy)
        case .failed(let error):
            isLoadedAgain(copy, because: error.message)
            if isWaiting {
                leave(id, follower)
                running.end(follower)
                turn.add(.changed(task: follower))
            }
        }
        copyNext(of: id)
    }

    /// Ends a follower, which now has its own complete file.
    private mutating func endFollower(_ copy: FileCopy, path: String) {
        let (id, follower) = (copy.leader, copy.follower)
        let response = running[id]?.response
        leave(id, follower)
        running.update(follower) { $0.finish(byteCount: copy.byteCount, response: response) }
        endings.begin(follower)
        storeEnd(of: follower, byteCount: copy.byteCount, path: path)
    }

    /// Stops copying large files, now and later, on a disk that cannot have two files share blocks.
    private mutating func tooLarge(_ copy: FileCopy) {
        followings.recordLackOfSharing(in: copy.directory)
        let reason = "a copy of \(copy.byteCount) bytes would take too long"
        isLoadedAgain(copy, because: reason)
        endSharing(of: copy.leader)
    }

    private mutating func isLoadedAgain(_ copy: FileCopy, because reason: String) {
        let text =
            "has no copy of the bytes of task \(copy.leader) and loads them itself: \(reason)"
        turn.add(.log(.warning, text, task: copy.follower))
    }
}

extension DaemonStateMachine {
    /// A complete file that is being copied for the followers of its task.
    struct Sharing: Hashable, Sendable {
        /// The size of the file, in bytes.
        var byteCount: Int64
        /// The file's path.
        var path: String
        /// The task that a copy is being made for.
        var follower: TaskID?
    }

    /// A copy of a complete file for another task.
    struct FileCopy: Hashable, Sendable {
        /// The result of a copy.
        enum Result: Hashable, Sendable {
            /// It is on the disk, at this path.
            case copied(String)
            /// It would take too long.
            case tooLarge
            /// It could not be made.
            case failed(TransferError)
        }

        /// The task whose file it is.
        var leader: TaskID
        /// The task that gets the copy.
        var follower: TaskID
        /// The size of the copy, in bytes.
        var byteCount: Int64
        /// The application of the tasks.
        var application: ApplicationID
        /// The directory that the application wants the copy in, if any.
        var directory: String?
    }
}

extension Wire.Request {
    /// Whether one response serves several equal requests: they are a GET for the whole resource.
    fileprivate var mayBeShared: Bool {
        method == "GET" && body == nil
            && !fields.contains { ["range", "if-range"].contains($0.name.lowercased()) }
    }
}

extension Wire.Response {
    /// Whether the response answers no request but the one that it was made for (RFC 9111 §5.2.2.5).
    var isForOneRequest: Bool {
        CacheControl(fields: fields.map { HTTPField(name: $0.name, value: $0.value) }).isNoStore
    }
}

/// The tasks that get the bytes of another, and the copies of its file for them.
///
/// A task is a leader while it has followers. When its file is complete, copies are made one after the other.
struct Followings: Hashable, Sendable {
    typealias Sharing = DaemonStateMachine.Sharing

    /// The maximum number of directories that are remembered for not sharing blocks between files.
    private static let maximumDirectoryCount = 64
    /// The maximum number of tasks that are remembered for loading alone; one that is forgotten is told once more.
    private static let maximumAloneCount = 1024

    private var followers: [TaskID: [TaskID]] = [:]
    private var sharings: [TaskID: Sharing] = [:]
    /// The tasks whose files are being copied from another's, and whether they have ended meanwhile.
    private var copying: [TaskID: Bool] = [:]
    /// The directories of downloads in which files cannot share blocks; "" for the daemon's own.
    private var directoriesWithoutSharing: Set<String> = []
    /// The tasks that need a response of their own.
    private var alone: Set<TaskID> = []
    /// Whether a task no longer waits for its copy.
    private var copyEnd = Mark()

    /// Whether no task follows another, and nothing is copied.
    var isEmpty: Bool { followers.isEmpty && sharings.isEmpty && copying.isEmpty }

    // MARK: Followers

    /// Returns the tasks that follow another, in the order in which they came.
    func followers(of leader: TaskID) -> [TaskID] { followers[leader] ?? [] }

    /// Whether a task is followed.
    func isFollowed(_ leader: TaskID) -> Bool { followers[leader] != nil }

    /// A task follows another.
    mutating func add(_ follower: TaskID, to leader: TaskID) {
        followers[leader, default: []].append(follower)
    }

    /// A task no longer follows another.
    mutating func remove(_ follower: TaskID, from leader: TaskID) {
        followers[leader]?.removeAll { $0 == follower }
        if followers[leader]?.isEmpty == true { followers[leader] = nil }
    }

    /// A task is no longer followed.
    ///
    /// - Returns: The tasks that have followed it.
    mutating func removeAll(from leader: TaskID) -> [TaskID] {
        followers.removeValue(forKey: leader) ?? []
    }

    /// Whether a task needs a response of its own.
    func isAlone(_ task: TaskID) -> Bool { alone.contains(task) }

    /// Tasks need responses of their own.
    mutating func setAlone(_ tasks: [TaskID]) {
        if alone.count + tasks.count > Self.maximumAloneCount { alone = [] }
        alone.formUnion(tasks)
    }

    // MARK: The file of a leader

    /// Returns the file that is copied for the followers of a task.
    func sharing(of leader: TaskID) -> Sharing? { sharings[leader] }

    /// The file of a task is copied from now on.
    mutating func share(_ sharing: Sharing, of leader: TaskID) { sharings[leader] = sharing }

    /// The file of a task is no longer copied.
    ///
    /// - Returns: Whether it was.
    mutating func stopSharing(of leader: TaskID) -> Bool {
        sharings.removeValue(forKey: leader) != nil
    }

    // MARK: Copies

    /// The tasks that copies are made for.
    var copyingTasks: some Sequence<TaskID> { copying.keys }

    /// Whether a copy is made for a task.
    func isCopying(for task: TaskID) -> Bool { copying[task] != nil }

    /// A copy is made for a task.
    mutating func beginCopy(for follower: TaskID, of leader: TaskID) {
        sharings[leader]?.follower = follower
        copying[follower] = false
    }

    /// A copy was made for a task, or could not be.
    ///
    /// - Returns: Whether the task has ended meanwhile.
    mutating func endCopy(for follower: TaskID, of leader: TaskID) -> Bool {
        if sharings[leader]?.follower == follower { sharings[leader]?.follower = nil }
        guard let hasEnded = copying.removeValue(forKey: follower) else { return false }
        copyEnd.set()
        return hasEnded
    }

    /// A task has ended.
    ///
    /// - Returns: Whether a copy is being made for it.
    mutating func recordEnd(of task: TaskID) -> Bool {
        alone.remove(task)
        guard isCopying(for: task) else { return false }
        copying[task] = true
        return true
    }

    /// Returns whether a task no longer waits for its copy, since this was last called.
    mutating func takeEnd() -> Bool { copyEnd.take() }

    // MARK: What a disk can do

    /// Returns whether files in a directory are known not to share blocks.
    func lacksSharing(in directory: String?) -> Bool {
        directoriesWithoutSharing.contains(directory ?? "")
    }

    /// Records that files in a directory cannot share blocks.
    mutating func recordLackOfSharing(in directory: String?) {
        if directoriesWithoutSharing.count >= Self.maximumDirectoryCount {
            directoriesWithoutSharing = []
        }
        directoriesWithoutSharing.insert(directory ?? "")
    }
}
