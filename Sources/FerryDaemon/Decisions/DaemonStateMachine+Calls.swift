import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// The origin of a call.
    struct Caller: Hashable, Sendable {
        /// The call to answer.
        var call: CallID
        /// The connection it came over.
        var connection: ConnectionID
        /// The process at its other end.
        var process: Int64
    }

    // MARK: Tasks of a session

    /// A client creates a download.
    mutating func createDownload(_ create: Wire.CreateDownload, from caller: Caller) {
        insert(NewTask(create), from: caller) { task in
            // The file of its resume data is taken over once the task is in the store.
            let unused = create.resumeData.map { ByteState(isFromResumeData: true, resumeData: $0) }
            let known = create.resumeData.flatMap { try? ResumeData(decoding: Array($0)) }
            task.receivedByteCount = known?.byteCount ?? 0
            task.expectedByteCount = known?.checkpoint.totalByteCount
            task.checkpoint = unused.map { Encoded($0) }
        }
    }

    /// A client creates an upload.
    ///
    /// - Parameters:
    ///   - create: The call's parameters.
    ///   - file: The file that was passed; `nil` if there was none that can be sent.
    ///   - caller: The caller.
    mutating func createUpload(
        _ create: Wire.CreateUpload,
        of file: FileIdentity?,
        from caller: Caller
    ) {
        guard let file, create.path.hasPrefix("/") else {
            let error = TransferInterfaceError.invalidRequest(
                parameter: "path",
                reason: "a file has to come along with the call, and its absolute path"
            )
            turn.add(.refuse(caller.call, error))
            return
        }
        var state = UploadState(path: create.path, identity: file, boot: .current)
        var resource: UploadResource?
        if let blob = create.resumeData {
            do throws(TransferError) {
                let earlier = try UploadResumeData(decoding: Array(blob))
                state.continueUpload(earlier)
                resource = earlier.resource
            } catch {
                let reason = error.message
                turn.add(
                    .refuse(
                        caller.call,
                        .invalidRequest(parameter: "resumeData", reason: reason)
                    )
                )
                return
            }
        }
        insert(NewTask(create), from: caller) { task in
            task.upload = Encoded(state)
            task.uploadResource = resource
        }
    }

    private mutating func insert(
        _ new: NewTask,
        from caller: Caller,
        completing complete: (inout TaskRecord) -> Void
    ) {
        guard hasOpen(new.session, caller) else { return }
        if sessions[new.session]?.isClosing == true {
            // The session is deleted after its last task, and this task would be lost with it.
            turn.add(.refuse(caller.call, .sessionNotOpen(new.session)))
            return
        }
        guard new.identifier > 0 else {
            // No earlier task can have a number below the first.
            let reason = "a task's number is 1 or more, not \(new.identifier)"
            turn.add(.refuse(caller.call, .invalidRequest(parameter: "identifier", reason: reason)))
            return
        }
        guard let host = Origin(url: new.request.url)?.authority else {
            let reason =
                "not an http or https address: \(SecretText.masked(String(new.request.url.prefix(200))))"
            turn.add(
                .refuse(caller.call, .invalidRequest(parameter: "request.url", reason: reason))
            )
            return
        }
        guard accepts(new.options, call: caller.call) else { return }
        var task = record(of: new, host: host, at: now)
        complete(&task)
        let creation = Creations.Creation(
            session: new.session,
            task: task,
            method: new.request.method,
            url: new.request.url
        )
        creations.begin(creation, for: caller.call)
        commit([.insertTask(task)], then: .created(caller.call))
    }

    private func record(of new: NewTask, host: String, at now: Date) -> TaskRecord {
        let timeout = sessions[new.session]?.configuration.resourceTimeout ?? 0
        let begin = max(new.earliestBegin.map { clock.moment(ofWall: $0.date) } ?? now, now)
        return TaskRecord(
            id: creations.nextTaskID,
            sessionID: new.session,
            identifier: new.identifier,
            state: new.isResumed ? .waiting : .suspended,
            host: host,
            priority: min(max(new.priority, 0), 1),
            request: Encoded(new.request),
            description: new.description,
            notBefore: begin > now ? begin : nil,
            createdAt: now,
            startedAt: new.isResumed ? now : nil,
            deadline: new.isResumed && timeout > 0 ? begin.addingTimeInterval(timeout) : nil,
            delay: new.earliestBegin.flatMap {
                DelayState($0, at: clock.wall(at: now)).map { Encoded($0) }
            },
            options: new.options.map { Encoded($0) },
            avoids: avoided(by: new.options, inSession: new.session)
        )
    }

    /// A task is in the store; for a repeated call, it is the task of the first call.
    mutating func created(_ receipt: Receipt, call: CallID) {
        guard let creation = creations.end(call), let found = receipt.taskIDs.first
        else { return }
        guard let task = found else {
            // The task has ended, and its application has handled that; only the answer was lost.
            turn.add(.answer(call, .created(task: 0)))
            turn.recount(creation.session)
            return
        }
        let isSecure =
            task == creation.task.id
            ? !secure(creation.task, for: call) : !secureAgain(task, creation.task, for: call)
        if isSecure { turn.add(.answer(call, .created(task: task))) }
        turn.add(.changed(task: task))
        if task == creation.task.id {
            log(creation)
            adopt(creation.task)
            madeTask(application(of: creation.task))
            record(deadline: creation.task.deadline)
            // While a thousand tasks are created, the store is not searched each time for tasks that cannot run.
            let isAdmitted = admits(creation.task)
            watch(for: creation.task)
            if watch.forbids(avoided(by: creation.task)) {
                // A search that is under way may not have seen what the task avoids.
                if search.isUnderWay { search.markStale() }
            } else if creation.task.state == .waiting, isAdmitted, isSecure {
                turn.searchForTasks()
            } else if creation.task.state == .waiting, !isAdmitted, !shares.hasReview {
                reviewSharesSoon()
            }
            if creation.task.state == .waiting { record(notBefore: creation.task.notBefore) }
        }
        turn.recount(creation.session)
    }

    /// Logs what a task is, so that later lines with its number can be understood.
    private mutating func log(_ creation: Creations.Creation) {
        let session = sessions[creation.session]
        let application = session.flatMap { applications[$0.applicationID]?.record.identifier }
        let address = LoggedAddress.of(creation.url)
        turn.add(
            .log(
                .info,
                "\(creation.method) \(address) of \(application ?? "-"), session \(session?.identifier ?? "-")",
                task: creation.task.id
            )
        )
    }

    /// A task could not be put into the store.
    mutating func creationFailed(_ call: CallID, _ error: StoreError) {
        turn.add(.refuse(call, TransferInterfaceError(error)))
        if let creation = creations.end(call) { turn.recount(creation.session) }
    }

    /// A client resumes a task.
    mutating func resume(_ resume: Wire.Resume, from caller: Caller) {
        guard hasOpen(resume.sessionID, caller) else { return }
        let timeout = sessions[resume.sessionID]?.configuration.resourceTimeout ?? 0
        let key = resume.key
        commit(
            [.resumeTask(key, at: now, resourceTimeout: timeout)],
            then: .call(caller.call, about: key)
        )
    }

    /// A client suspends a task.
    mutating func suspend(_ suspend: Wire.Suspend, from caller: Caller) {
        guard hasOpen(suspend.sessionID, caller) else { return }
        let key = suspend.key
        commit(
            [.suspendTask(key, at: now)],
            then: .call(caller.call, about: key)
        )
    }

    /// A client cancels a task.
    mutating func cancel(_ cancel: Wire.Cancel, from caller: Caller) {
        guard hasOpen(cancel.sessionID, caller) else { return }
        let key = cancel.key
        query(.task(key, .cancelled(for: .call(caller.call))))
    }

    /// A client cancels a task so that it can be resumed later.
    mutating func cancelProducingResumeData(
        _ cancel: Wire.CancelProducingResumeData,
        from caller: Caller
    ) {
        guard hasOpen(cancel.sessionID, caller) else { return }
        let key = cancel.key
        let ending = Ending.cancelled(for: .resumeDataCall(caller.call), producesResumeData: true)
        query(.task(key, ending))
    }

    /// A client changes a task's description.
    mutating func setDescription(_ set: Wire.SetDescription, from caller: Caller) {
        guard hasOpen(set.sessionID, caller) else { return }
        let key = set.key
        commit(
            [.describeTask(key, set.description)],
            then: .call(caller.call, about: key)
        )
    }
}
