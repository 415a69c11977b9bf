import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// The origin of a call.
    struct Caller: Hashable, Sendable {
        /// The call to answer.
        var call: CallIdentifier
        /// The connection it came over.
        var connection: ConnectionIdentifier
        /// The process at its other end.
        var process: Int64
    }

    // MARK: Tasks of a session

    /// A client creates a download.
    mutating func createDownload(
        _ create: Wire.CreateDownload,
        from caller: Caller,
        at now: Date
    ) -> [Effect] {
        insert(NewTask(create), from: caller, at: now) { task in
            // The file of its resume data is taken over once the task is in the store.
            let unused = create.resumeData.map { ByteState(isFromResumeData: true, resumeData: $0) }
            let known = create.resumeData.flatMap { try? ResumeData(decoding: Array($0)) }
            task.receivedByteCount = known?.byteCount ?? 0
            task.expectedByteCount = known?.checkpoint.totalByteCount
            task.checkpoint = unused?.encoded
        }
    }

    /// A client creates an upload.
    ///
    /// - Parameters:
    ///   - create: The call's parameters.
    ///   - file: The file that was passed; `nil` if there was none that can be sent.
    ///   - caller: The caller.
    ///   - now: The time.
    /// - Returns: The effects to perform.
    mutating func createUpload(
        _ create: Wire.CreateUpload,
        of file: FileIdentity?,
        from caller: Caller,
        at now: Date
    ) -> [Effect] {
        guard let file, create.path.hasPrefix("/") else {
            let error = TransferInterfaceError.invalidRequest(
                parameter: "path",
                reason: "a file has to come along with the call, and its absolute path"
            )
            return [.refuse(caller.call, error)]
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
                return [
                    .refuse(
                        caller.call,
                        .invalidRequest(parameter: "resumeData", reason: reason)
                    )
                ]
            }
        }
        return insert(NewTask(create), from: caller, at: now) { task in
            task.upload = state.encoded
            task.uploadResource = resource
        }
    }

    private mutating func insert(
        _ new: NewTask,
        from caller: Caller,
        at now: Date,
        completing complete: (inout TaskRecord) -> Void
    ) -> [Effect] {
        if let refusal = refuseUnlessOpen(new.session, caller) { return refusal }
        if sessions[new.session]?.isClosing == true {
            // The session is deleted after its last task, and this task would be lost with it.
            return [.refuse(caller.call, .sessionNotOpen(session: new.session))]
        }
        guard new.identifier > 0 else {
            // No earlier task can have a number below the first.
            let reason = "a task's number is 1 or more, not \(new.identifier)"
            return [.refuse(caller.call, .invalidRequest(parameter: "identifier", reason: reason))]
        }
        guard let host = Origin(url: new.request.url)?.authority else {
            let reason =
                "not an http or https address: \(SecretText.masked(String(new.request.url.prefix(200))))"
            return [.refuse(caller.call, .invalidRequest(parameter: "request.url", reason: reason))]
        }
        if let refusal = refusal(of: new.options, call: caller.call) { return refusal }
        var task = record(of: new, host: host, at: now)
        complete(&task)
        let creation = Creations.Creation(
            session: new.session,
            task: task,
            method: new.request.method,
            url: new.request.url
        )
        creations.begin(creation, for: caller.call)
        return [commit([.insertTask(task)], then: .created(caller.call))]
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
            request: Stored.encode(new.request),
            description: new.description,
            notBefore: begin > now ? begin : nil,
            createdAt: now,
            startedAt: new.isResumed ? now : nil,
            deadline: new.isResumed && timeout > 0 ? begin.addingTimeInterval(timeout) : nil,
            delay: new.earliestBegin.flatMap { DelayState($0, at: clock.wall(at: now))?.encoded },
            options: new.options.map { Stored.encode($0) },
            avoids: avoided(by: new.options, inSession: new.session)
        )
    }

    /// A task is in the store; for a repeated call, it is the task of the first call.
    mutating func created(
        _ receipt: Receipt,
        call: CallIdentifier,
        at now: Date
    ) -> [Effect] {
        guard let creation = creations.end(call), let found = receipt.taskIDs.first
        else { return [] }
        guard let task = found else {
            // The task has ended, and its application has handled that; only the answer was lost.
            return [.answer(call, .created(task: 0))] + recount(creation.session)
        }
        var effects =
            task == creation.task.id
            ? secure(creation.task, for: call) : secureAgain(task, creation.task, for: call)
        let isSecure = effects.isEmpty
        // A long queue is created at once, so that what is done for each task is kept short.
        effects.reserveCapacity(effects.count + 4)
        if isSecure { effects.append(.answer(call, .created(task: task))) }
        effects.append(.changed(task: task))
        if task == creation.task.id {
            effects.append(log(creation))
            effects += adopt(creation.task)
            effects += madeTask(application(of: creation.task))
            effects += note(deadline: creation.task.deadline)
            // While a thousand tasks are created, the store is not searched each time for tasks that cannot run.
            let isAdmitted = admits(creation.task)
            effects += watch(for: creation.task)
            if watch.forbids(avoided(by: creation.task)) {
                // A search that is under way may not have seen what the task avoids.
                if search.isUnderWay { search.markStale() }
            } else if creation.task.state == .waiting, isAdmitted, isSecure {
                effects += searchForTasks(at: now)
            } else if creation.task.state == .waiting, !isAdmitted, !shares.hasReview {
                effects += reviewSharesSoon(at: now)
            }
            if creation.task.state == .waiting {
                effects += note(notBefore: creation.task.notBefore)
            }
        }
        effects += recount(creation.session)
        return effects
    }

    /// Logs what a task is, so that later lines with its number can be understood.
    private func log(_ creation: Creations.Creation) -> Effect {
        let session = sessions[creation.session]
        let application = session.flatMap { applications[$0.applicationID]?.record.identifier }
        let address = LoggedAddress.of(creation.url)
        return .log(
            .info,
            "\(creation.method) \(address) of \(application ?? "-"), session \(session?.identifier ?? "-")",
            task: creation.task.id
        )
    }

    /// A task could not be put into the store.
    mutating func creationFailed(_ call: CallIdentifier, _ error: StoreError) -> [Effect] {
        let refusal = Effect.refuse(call, TransferInterfaceError(error, task: 0))
        guard let creation = creations.end(call) else { return [refusal] }
        return [refusal] + recount(creation.session)
    }

    /// A client resumes a task.
    mutating func resume(_ resume: Wire.Resume, from caller: Caller, at now: Date) -> [Effect] {
        if let refusal = refuseUnlessOpen(resume.session, caller) { return refusal }
        let timeout = sessions[resume.session]?.configuration.resourceTimeout ?? 0
        let key = TaskKey.identifier(session: resume.session, resume.identifier)
        return [
            commit(
                [.resumeTask(key, at: now, resourceTimeout: timeout)],
                then: .call(caller.call, task: Int64(resume.identifier))
            )
        ]
    }

    /// A client suspends a task.
    mutating func suspend(_ suspend: Wire.Suspend, from caller: Caller, at now: Date) -> [Effect] {
        if let refusal = refuseUnlessOpen(suspend.session, caller) { return refusal }
        let key = TaskKey.identifier(session: suspend.session, suspend.identifier)
        return [
            commit(
                [.suspendTask(key, at: now)],
                then: .call(caller.call, task: Int64(suspend.identifier))
            )
        ]
    }

    /// A client cancels a task.
    mutating func cancel(_ cancel: Wire.Cancel, from caller: Caller) -> [Effect] {
        if let refusal = refuseUnlessOpen(cancel.session, caller) { return refusal }
        let key = TaskKey.identifier(session: cancel.session, cancel.identifier)
        return [query(.task(key, .cancelled(for: .call(caller.call))))]
    }

    /// A client cancels a task so that it can be resumed later.
    mutating func cancelProducingResumeData(
        _ cancel: Wire.CancelProducingResumeData,
        from caller: Caller
    ) -> [Effect] {
        if let refusal = refuseUnlessOpen(cancel.session, caller) { return refusal }
        let key = TaskKey.identifier(session: cancel.session, cancel.identifier)
        let ending = Ending.cancelled(for: .resumeDataCall(caller.call), producesResumeData: true)
        return [query(.task(key, ending))]
    }

    /// A client changes a task's description.
    mutating func setDescription(
        _ set: Wire.SetDescription,
        from caller: Caller
    ) -> [Effect] {
        if let refusal = refuseUnlessOpen(set.session, caller) { return refusal }
        let key = TaskKey.identifier(session: set.session, set.identifier)
        return [
            commit(
                [.describeTask(key, set.description)],
                then: .call(caller.call, task: Int64(set.identifier))
            )
        ]
    }
}
