import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// Refuses an upload whose file the system could not examine: the application is not at fault, and may try again.
    mutating func refuseUpload(after error: SystemCallError, from caller: Caller) {
        let reason = "the file to be sent cannot be looked at: \(error)"
        let refusal: TransferInterfaceError =
            error.isShortage
            ? .resourceUnavailable(reason: reason) : .storeUnavailable(reason: reason)
        turn.add(.refuse(caller.call, refusal))
    }

    /// Secures the file that an upload sends; only then is the call that creates it answered, and its application may
    /// do with the file what it likes.
    ///
    /// The task is stored first, with the file as it was passed: it is not lost, and a daemon that dies in between
    /// leaves a task that can be carried out.
    ///
    /// - Parameters:
    ///   - task: The task as it is in the store.
    ///   - call: The call.
    /// - Returns: Whether the call is answered later; a download sends no file.
    @discardableResult
    mutating func secure(_ task: TaskRecord, for call: CallID) -> Bool {
        guard let upload = task.upload?.value else { return false }
        creations.beginAdoption(for: task.id)
        work.begin(in: .applicationFile)
        turn.add(.secure(task: task.id, upload, for: call))
        return true
    }

    /// A call that has created a task is repeated.
    ///
    /// The first call's daemon may have died before it had secured the file. The file is sent as it was then.
    ///
    /// - Parameters:
    ///   - number: The task's number.
    ///   - task: The task as the call describes it.
    ///   - call: The call.
    /// - Returns: Whether the call is answered later; a download sends no file.
    mutating func secureAgain(
        _ number: TaskID,
        _ task: TaskRecord,
        for call: CallID
    ) -> Bool {
        guard task.upload != nil else { return false }
        query(.repeated(task: number, call))
        return true
    }

    /// The store has returned the task that a repeated call has created; `nil` if it is gone.
    mutating func found(_ task: TaskRecord?, repeated number: TaskID, for call: CallID) {
        guard let task, task.state != .completed,
            task.upload?.value?.place == .original
        else { return known(task: number, for: call) }
        secure(task, for: call)
    }

    /// The daemon has secured a file as far as it can.
    ///
    /// - Parameters:
    ///   - task: The task that sends it.
    ///   - upload: The file's new state, if it has changed.
    ///   - call: The call that has passed it.
    mutating func secured(task: TaskID, _ upload: UploadState?, for call: CallID) {
        work.end(in: .applicationFile)
        guard let upload else { return known(task: task, for: call) }
        // A repeated call may find a task that has progressed meanwhile.
        query(.secured(task: task, upload, call))
    }

    /// The store has returned the task whose file was secured; `nil` if it is gone.
    mutating func found(
        _ task: TaskRecord?,
        secured upload: UploadState,
        _ number: TaskID,
        for call: CallID
    ) {
        guard let task, task.state != .completed else {
            // The response to an upload that has ended meanwhile may still be fetched; its copy is no longer needed.
            turn.add(task == nil ? .discardFile(task: number) : .seal(task: number))
            known(task: number, for: call)
            return
        }
        commit(
            [.setUpload(task: number, Encoded(upload))],
            then: .secured(call, task: number)
        )
    }

    /// The store knows that a file is copied: its application may do with its own what it likes.
    ///
    /// A repeated call may find an attempt that reads the application's own file: it continues with the copy.
    mutating func copied(task: TaskID, for call: CallID) {
        if let attempt = running[task], attempt.phase == .loading,
            attempt.record.upload?.value?.place == .original
        {
            stop(task: task)
        }
        known(task: task, for: call)
    }

    /// The state of a secured file could not be stored.
    mutating func notSecured(task: TaskID, for call: CallID, _ error: StoreError) {
        // A task that is gone would leave its copy behind; of an existing one, the store knows the file as it was
        // passed.
        if error.code == .notFound { turn.add(.discardFile(task: task)) }
        known(task: task, for: call)
    }

    /// A server has reported where an upload can resume or how far it is, or has lost it.
    ///
    /// A resource is stored at once, so that the next attempt resumes there after any crash. Its loss is stored with
    /// the failure that follows: otherwise a crash in between would send everything again, even an upload that the
    /// server has completely.
    mutating func moved(task id: TaskID, to resource: UploadResource?) {
        guard let task = running[id], task.phase == .loading,
            task.resource != resource
        else { return }
        let isSamePlace = task.resource?.url == resource?.url
        running.update(id) { $0.moved(to: resource) }
        readings.move(id, to: resource)
        guard let resource else { return }
        // The resource must not be lost; the server reports the progress again.
        store(
            storeAttempts(of: id) + [.setUploadResource(task: id, resource)],
            isSamePlace ? .relaxed : .synchronized,
            of: id,
            then: .moved(task: id)
        )
    }

    /// Returns the resume data of an upload; `nil` if it cannot be resumed.
    mutating func uploadResumeData(of task: TaskRecord, _ ending: Ending) -> Data? {
        let failure = ending.failure?.errorCode
        guard failure != .fileChanged, failure != .fileMissing,
            let upload = task.upload?.value, let resource = task.uploadResource,
            let request = task.uploadRequest
        else { return nil }
        let resumeData = UploadResumeData(
            request: request,
            resource: resource,
            content: .file(path: upload.path, identity: upload.identity, boot: upload.boot),
            identifier: random.makeIdentifier()
        )
        return (try? resumeData.encoded()).map { Data($0) }
    }

    /// Returns the change that records that a failed upload's server has lost it.
    func storeLoss(of id: TaskID) -> [Mutation] {
        guard let task = running[id], task.resource == nil, task.record.upload != nil else {
            return []
        }
        return [.setUploadResource(task: id, nil)]
    }

    /// Returns whether the server is to delete what a task has sent, once the task has ended.
    func isGivenUp(_ task: TaskRecord, _ ending: Ending) -> Bool {
        ending.failure?.errorCode == .cancelled && !ending.producesResumeData
            && task.uploadResource != nil
    }

    /// Asks the server to delete an abandoned upload.
    mutating func terminateUpload(after ending: Ending) {
        guard let task = ending.abandonedUpload, let resource = task.uploadResource else {
            return
        }
        turn.add(.terminate(task, resource))
    }

    /// The store knows what an upload sends.
    mutating func known(task: TaskID, for call: CallID) {
        creations.endAdoption(for: task)
        readings.record(task)
        turn.add(.answer(call, .created(task: task)))
        turn.add(.changed(task: task))
    }

    /// Returns the resource of an upload that was just read: a newer one may have been stored since.
    func latestResource(of task: TaskRecord) -> UploadResource? {
        guard let running = running[task.id] else { return readings.resource(of: task) }
        return running.resource
    }
}

extension TaskRecord {
    /// The request that an upload is resumed with; a replacement may not be suitable for that.
    fileprivate var uploadRequest: TransferRequest? {
        [replacement, request.value].compactMap { $0.map { request($0) } }
            .first(where: \.allowsResumableUpload)
    }
}
