import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

// Equal downloads of a session that are under way at once are fetched once. The first one, the leader, has the transfer;
// the others follow it: they are told what it is told, and when its file is complete each gets a copy of its own, before
// anybody is told of the end. When the leader leaves early, for whatever reason, each of them goes on by itself.
// A leader has so many followers and no more: the next one has a transfer of its own, and followers of its own.
extension DaemonStateMachine {
    /// The task that has a transfer of the same, if there is one that may have another follower.
    func leader(for task: TaskRecord) -> RunningTask? {
        guard task.upload == nil, task.checkpoint == nil, task.replacement == nil else {
            return nil
        }
        let equal = running.values.filter { other in
            other.phase == .loading && other.record.sessionID == task.sessionID
                && other.record.host == task.host && other.record.upload == nil
                && other.record.replacement == nil && other.record.options == task.options
                && other.record.request == task.request
                && followers[other.record.id]?.count ?? 0 < policy.maximumFollowers
        }
        guard let leader = equal.min(by: { $0.record.id < $1.record.id }),
            let request = Stored.request(task.request), request.mayBeShared
        else { return nil }
        return leader
    }

    /// Has a task follow another one.
    mutating func follow(_ leader: RunningTask, by task: TaskRecord, at now: Date) -> [Effect] {
        var follower = RunningTask(task, at: now)
        follower.phase = .following
        follower.place = .none
        follower.leader = leader.record.id
        follower.mirror(leader)
        follower.hasUntoldResponse = leader.response != nil
        follower.hasUntoldProgress = leader.hasReported
        running[task.id] = follower
        followers[leader.record.id, default: []].append(task.id)
        return [
            .log(
                .info,
                "gets the bytes of task \(leader.record.id), which asks for the same",
                task: task.id
            ),
            .changed(task: task.id),
        ]
    }

    /// Tells the followers of a task what it has just been told.
    mutating func tellFollowers(of id: Int64, isResponse: Bool = false) {
        guard let own = followers[id], let leader = running[id] else { return }
        for follower in own {
            running[follower]?.mirror(leader)
            running[follower]?.hasUntoldProgress = true
            if isResponse { running[follower]?.hasUntoldResponse = true }
        }
    }

    /// A task has no transfer any more: its followers go on by themselves.
    mutating func releaseFollowers(of id: Int64) -> [Effect] {
        (followers.removeValue(forKey: id) ?? []).compactMap { follower in
            guard running[follower]?.phase == .following else { return nil }
            running[follower] = nil
            return .changed(task: follower)
        }
    }

    /// A task goes that may follow another.
    mutating func leave(_ leader: Int64?, _ id: Int64) {
        guard let leader else { return }
        followers[leader]?.removeAll { $0 == id }
        if followers[leader]?.isEmpty == true { followers[leader] = nil }
    }

    // MARK: The file

    /// Has the file of a task that is complete copied for its followers; `nil` where there are none.
    mutating func shareFile(of id: Int64, byteCount: Int64, path: String) -> [Effect]? {
        guard let own = followers.removeValue(forKey: id), !own.isEmpty else { return nil }
        let response = running[id]?.response
        for follower in own {
            running[follower]?.phase = .finishing
            running[follower]?.response = response
            running[follower]?.hasUnstoredResponse = true
            running[follower]?.hasUntoldProgress = false
            running[follower]?.receivedByteCount = byteCount
            running[follower]?.expectedByteCount = byteCount
            copying[follower] = false
        }
        operationCount += 1
        return [.shareFile(of: id, byteCount: byteCount, path: path, with: own)]
    }

    /// The file of a task was copied for its followers, as far as it could be; the paths are those of the copies.
    mutating func sharedFile(
        of id: Int64,
        byteCount: Int64,
        path: String,
        with copies: [Int64: Result<String, TransferError>],
        at now: Date
    ) -> [Effect] {
        operationCount -= 1
        var effects = storeEnd(of: id, byteCount: byteCount, path: path, at: now)
        for (follower, copy) in copies.sorted(by: { $0.key < $1.key }) {
            let hasEnded = copying.removeValue(forKey: follower) == true
            let isWaiting = running[follower]?.leader == id && ending[follower] == nil
            switch copy {
            case .success(let path) where isWaiting:
                ending[follower] = []
                effects += storeEnd(of: follower, byteCount: byteCount, path: path, at: now)
            case .success:
                // Its application has ended it meanwhile; one that it has suspended finds the file later.
                if hasEnded { effects.append(.discardFile(task: follower)) }
            case .failure(let error):
                let text =
                    "has no copy of the bytes of task \(id) and loads them itself: \(error.message)"
                effects.append(.log(.warning, text, task: follower))
                if isWaiting { running[follower] = nil }
            }
        }
        return effects + searchForTasks(at: now) + evaluateIdleness(at: now)
    }
}

extension DaemonStateMachine.RunningTask {
    /// Takes over what is known of another task's transfer.
    fileprivate mutating func mirror(_ leader: Self) {
        response = leader.response
        currentRequest = leader.currentRequest
        receivedByteCount = leader.receivedByteCount
        expectedByteCount = leader.expectedByteCount
        hasReported = leader.hasReported
    }
}

extension Wire.Request {
    /// Whether one answer does for several of it: it asks for the whole, and is not to get past all caches.
    fileprivate var mayBeShared: Bool {
        method == "GET" && body == nil
            && !fields.contains { ["range", "if-range"].contains($0.name.lowercased()) }
    }
}
