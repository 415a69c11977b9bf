import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// Does not take an upload, of whose file the system has not told what it is: that is not to be blamed
    /// on the application, which may try again.
    func refuseUpload(after error: SystemCallError, from caller: Caller) -> [Effect] {
        let reason = "the file to be sent cannot be looked at: \(error)"
        return [.refuse(caller.call, .storeUnavailable(reason: reason))]
    }

    /// Has the daemon make sure of the file that an upload sends; only then the call that creates it is
    /// answered, and its application may do with the file what it likes.
    ///
    /// The task is in the store before, with the file as it was handed over: what a task that is there says
    /// is asked is not lost, and a daemon that dies in between leaves a task that can be carried out.
    ///
    /// - Parameters:
    ///   - task: The task as it is in the store.
    ///   - call: The call.
    /// - Returns: What to do; nothing for a download.
    mutating func secure(_ task: TaskRecord, for call: CallIdentifier) -> [Effect] {
        guard let upload = UploadState.decode(task.upload) else { return [] }
        adoptions.insert(task.id)
        work.begin(in: .applicationFile)
        return [.secure(task: task.id, upload, for: call)]
    }

    /// A call is repeated that has created a task.
    ///
    /// The first one's daemon may have died before it had made sure of the file. What is sent is the file as it
    /// was then.
    ///
    /// - Parameters:
    ///   - number: The task's number.
    ///   - task: The task as the call describes it.
    ///   - call: The call.
    /// - Returns: What to do; nothing for a download.
    mutating func secureAgain(
        _ number: Int64,
        _ task: TaskRecord,
        for call: CallIdentifier
    ) -> [Effect] {
        task.upload == nil ? [] : [query(.repeated(task: number, call))]
    }

    /// The task that a repeated call has created, as just read; `nil` when it is gone.
    mutating func found(
        _ task: TaskRecord?,
        repeated number: Int64,
        for call: CallIdentifier,
        at now: Date
    ) -> [Effect] {
        guard let task, task.state != .completed,
            UploadState.decode(task.upload)?.place == .original
        else { return known(task: number, for: call, at: now) }
        return secure(task, for: call)
    }

    /// The daemon has done for a file what it can.
    ///
    /// - Parameters:
    ///   - task: The task that sends it.
    ///   - upload: What is known of the file now, if that is something else than before.
    ///   - call: The call that has brought it.
    ///   - now: The time.
    /// - Returns: What to do.
    mutating func secured(
        task: Int64,
        _ upload: UploadState?,
        for call: CallIdentifier,
        at now: Date
    ) -> [Effect] {
        work.end(in: .applicationFile)
        guard let upload else {
            return known(task: task, for: call, at: now) + evaluateIdleness(at: now)
        }
        // A call that is made again may find a task that has come on meanwhile.
        return [query(.secured(task: task, upload, call))]
    }

    /// The task whose file was made sure of, as just read; `nil` when it is gone.
    mutating func found(
        _ task: TaskRecord?,
        secured upload: UploadState,
        _ number: Int64,
        for call: CallIdentifier,
        at now: Date
    ) -> [Effect] {
        guard let task, task.state != .completed else {
            // The answer to an upload that has ended meanwhile may still be fetched; its copy is of no use.
            let copy: Effect = task == nil ? .discardFile(task: number) : .seal(task: number)
            return [copy] + known(task: number, for: call, at: now)
        }
        return [
            commit(
                [.setUpload(task: number, upload.encoded)],
                then: .secured(call, task: number)
            )
        ]
    }

    /// The store knows that a file is copied, and its application may do with its own what it likes.
    ///
    /// A repeated call may find an attempt that reads the application's own: that one goes on with the copy.
    mutating func copied(task: Int64, for call: CallIdentifier, at now: Date) -> [Effect] {
        guard let attempt = running[task], attempt.phase == .loading,
            UploadState.decode(attempt.record.upload)?.place == .original
        else { return known(task: task, for: call, at: now) }
        return stop(task: task, at: now) + known(task: task, for: call, at: now)
    }

    /// What was made sure of could not be stored.
    mutating func notSecured(
        task: Int64,
        for call: CallIdentifier,
        _ error: StoreError,
        at now: Date
    ) -> [Effect] {
        // A task that has gone meanwhile would leave its copy behind; of one that is there, the store knows
        // the file as it was handed over.
        let copy: [Effect] = error.code == .notFound ? [.discardFile(task: task)] : []
        return copy + known(task: task, for: call, at: now)
    }

    /// A server has told where an upload can go on, or how far it has come, or has forgotten it.
    ///
    /// A place is stored at once: whoever dies next, the next attempt goes on there. That there is none any
    /// more is stored with the failure that follows: else whoever dies in between would send everything anew,
    /// even what the server has all of.
    mutating func moved(task id: Int64, to resource: UploadResource?, at now: Date) -> [Effect] {
        guard let task = running[id], task.phase == .loading,
            task.resource != resource
        else { return [] }
        // An upload that comes forward is tried again as soon as after its first failure; what a server has lost and
        // gets again is no way forward.
        if let resource, resource.acknowledgedByteCount > task.mostByteCount {
            running[id]?.mostByteCount = resource.acknowledgedByteCount
            running[id]?.attempts = 0
        }
        let isSamePlace = task.resource?.url == resource?.url
        running[id]?.resource = resource
        readings.move(id, to: resource)
        guard let resource else { return [] }
        // Where it goes on must not be lost; how far it is, the server says again.
        return [
            store(
                storeAttempts(of: id) + [.setUploadResource(task: id, resource)],
                isSamePlace ? .relaxed : .synchronized,
                of: id,
                then: .moved(task: id)
            )
        ]
    }

    /// What an application can continue an upload from; `nil` where its server cannot.
    mutating func uploadResumeData(of task: TaskRecord, _ ending: Ending) -> Data? {
        let failure = ending.failure.flatMap { TransferError.Code(rawValue: $0.code) }
        guard failure != .fileChanged, failure != .fileMissing,
            let upload = UploadState.decode(task.upload), let resource = task.uploadResource,
            let request = task.uploadRequest
        else { return nil }
        let resumeData = UploadResumeData(
            request: request,
            resource: resource,
            content: .file(path: upload.path, identity: upload.identity, boot: upload.boot),
            identifier: makeIdentifier()
        )
        return (try? resumeData.encoded()).map { Data($0) }
    }

    private mutating func makeIdentifier() -> UUID {
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// What the store does not know of an upload that has failed: that its server has forgotten it.
    func storeLoss(of id: Int64) -> [Mutation] {
        guard let task = running[id], task.resource == nil, task.record.upload != nil else {
            return []
        }
        return [.setUploadResource(task: id, nil)]
    }

    /// Whether the server is to forget what a task has sent, once that has ended.
    func isGivenUp(_ task: TaskRecord, _ ending: Ending) -> Bool {
        ending.failure?.code == TransferError.Code.cancelled.rawValue && !ending.producesResumeData
            && task.uploadResource != nil
    }

    /// Has the server forget an upload that was given up.
    func termination(after ending: Ending) -> [Effect] {
        guard let task = ending.abandonedUpload, let resource = task.uploadResource else {
            return []
        }
        return [.terminate(task, resource)]
    }

    /// What an upload sends is in the store.
    mutating func known(task: Int64, for call: CallIdentifier, at now: Date) -> [Effect] {
        adoptions.remove(task)
        readings.note(task)
        return [.answer(call, .created(task: task)), .changed(task: task)]
            + searchForTasks(at: now)
    }

    /// Where an upload goes on that was just read: the store may have been told since.
    func latestResource(of task: TaskRecord) -> UploadResource? {
        guard let running = running[task.id] else { return readings.resource(of: task) }
        return running.resource
    }
}

extension TaskRecord {
    /// The request that an upload is continued with; one that was put in its place may not be good for that.
    fileprivate var uploadRequest: TransferRequest? {
        [replacement, Stored.request(request)].compactMap { $0.map { request($0) } }
            .first(where: \.allowsResumableUpload)
    }
}
