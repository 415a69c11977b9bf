import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    // MARK: Ending a task

    /// The store has returned the task that a caller wants to end.
    mutating func found(
        _ task: TaskRecord?,
        _ key: TaskKey,
        for ending: Ending,
        readBy reading: Readings.Reading?
    ) {
        if task == nil, case .id(let id) = key, case .call = ending.caller {
            // A person has mistaken the number, or is too late.
            refuse(ending.caller, .taskNotFound(.id(id)))
            return
        }
        guard let task, task.state != .completed else {
            if let task, ending.forgetsEnded, case .call(let call) = ending.caller,
                !isAwaited(session: task.sessionID)
            {
                let forget = Continuation.forgotten(call, task: task.id, session: task.sessionID)
                commit([.deleteTask(id: task.id)], then: forget)
                return
            }
            // A task that has already ended is no error: the end has overtaken the call.
            answer(ending.caller, resumeData: nil)
            return
        }
        end(task, key, ending, readBy: reading)
    }

    /// Ends a task, unless it has changed since it was read: then it is read again.
    private mutating func end(
        _ task: TaskRecord,
        _ key: TaskKey,
        _ ending: Ending,
        readBy reading: Readings.Reading?
    ) {
        guard readings.hasChanged(task, since: reading), !endings.contains(task.id) else {
            return end(task, ending)
        }
        query(.task(key, ending))
    }

    /// Returns whether a client takes a session's events, or is about to.
    private func isAwaited(session id: SessionID) -> Bool {
        guard let session = sessions[id], let application = applications[session.applicationID]
        else { return false }
        return session.attachment != nil || application.isLaunching || application.isLaunched
            || isOpening(session.applicationID, session: session.identifier)
    }

    /// A task that had ended was deleted from the store, and its file is deleted.
    mutating func forgotten(_ task: TaskID, of session: SessionID, for call: CallID) {
        turn.add(.log(.info, "is removed with its file, as the user requested", task: task))
        turn.add(.discardFile(task: task))
        turn.add(.removed(task: task))
        turn.add(.answer(call, .done))
        turn.recount(session)
    }

    /// Ends a task: stops its transfer, completes it in the store, then keeps or drops its bytes.
    mutating func end(_ task: TaskRecord, _ ending: Ending) {
        guard !endings.contains(task.id) else {
            // The task is already ending; the caller is answered when it has ended.
            endings.join(task.id, ending.caller)
            return
        }
        endings.begin(task.id)
        var task = task
        let sentByteCount = running[task.id]?.sentByteCount ?? (task.upload == nil ? nil : 0)
        var ending = ending
        ending.metrics = metrics(of: task, running[task.id], at: now)
        if task.upload != nil { task.uploadResource = latestResource(of: task) }
        // The bytes that a follower has reported are not its own.
        if let running = running[task.id], running.phase != .following {
            task.receivedByteCount = running.receivedByteCount
            task.expectedByteCount = running.expectedByteCount
            task.response = running.response.map { Encoded($0) } ?? task.response
            task.currentRequest =
                running.currentRequest.map { Encoded($0) } ?? task.currentRequest
        }
        let response = storeResponse(of: task.id)
        stop(task: task.id)
        if !response.isEmpty { commit(response, .relaxed) }
        guard ending.producesResumeData, task.upload == nil else {
            let data = ending.producesResumeData ? uploadResumeData(of: task, ending) : nil
            if isGivenUp(task, ending) { ending.abandonedUpload = task }
            complete(task, ending, sentByteCount: sentByteCount, resumeData: data)
            return
        }
        work.begin(in: .partialFile)
        turn.add(.makeResumeData(task, ending))
    }

    /// Resume data was made of what a task has loaded, or could not be made for some reason.
    mutating func madeResumeData(
        _ result: Result<Data, ResumeData.Unavailable>,
        of task: TaskRecord,
        _ ending: Ending
    ) {
        work.end(in: .partialFile)
        var ending = ending
        if case .failure(let reason) = result { ending.resumeDataRefusal = reason }
        complete(task, ending, resumeData: try? result.get())
    }

    private mutating func complete(
        _ task: TaskRecord,
        _ ending: Ending,
        sentByteCount: Int64? = nil,
        resumeData: Data?
    ) {
        let event = Wire.Event(
            kind: .completed,
            task: task.identifier,
            response: task.response,
            request: task.currentRequest?.value
                ?? task.replacement,
            receivedByteCount: task.receivedByteCount,
            expectedByteCount: task.expectedByteCount,
            sentByteCount: sentByteCount,
            failure: ending.failure,
            resumeData: resumeData,
            resumeDataRefusal: ending.resumeDataRefusal?.rawValue,
            cancelReason: ending.cancelReason,
            metrics: ending.metrics.map { Encoded($0) }
        )
        let end = end(
            of: task,
            task.request.value,
            event,
            status: event.response?.value?.status
        )
        commit(
            [
                // A list that is requested before the application takes the event shows why the task ended.
                .setRetry(
                    task: task.id,
                    attempts: task.attempts,
                    notBefore: nil,
                    lastError: ending.failure.map { Encoded(AttemptFailure($0)) }
                ),
                .completeTask(.id(task.id), end),
            ],
            then: .ended(task: task.id, ending, resumeData: resumeData, end)
        )
    }

    /// A task has ended in the store, unless it had ended before.
    mutating func ended(
        task: TaskID,
        _ ending: Ending,
        resumeData: Data?,
        _ end: NewEnd,
        _ receipt: Receipt
    ) {
        expiredLinks.forget(task)
        shares.forget(task: task)
        let others = endings.finish(task)
        readings.record(task)
        creations.endAdoption(for: task)
        // A task that has ended has no transfer, whatever has ended it.
        stop(task: task)
        if followings.recordEnd(of: task) { turn.add(.abandonCopy(task: task)) }
        for change in receipt.changes where change.to == .completed {
            log(ending, of: task)
            settleFile(of: task, ending, resumeData: resumeData)
            terminateUpload(after: ending)
            turn.add(.changed(task: task))
            turn.recount(change.sessionID)
            deliver(end, receipt.sequences.first, of: task, session: change.sessionID)
        }
        for caller in [ending.caller] + others {
            answer(caller, resumeData: resumeData)
        }
    }

    /// Logs why a task has ended; a success was logged before.
    private mutating func log(_ ending: Ending, of task: TaskID) {
        guard let failure = ending.failure else { return }
        if failure.errorCode == .cancelled {
            turn.add(.log(.info, "cancelled", task: task))
        } else {
            turn.add(.log(.error, "failed: \(failure.message)", task: task))
        }
    }

    /// A task could not be ended in the store.
    mutating func endFailed(task: TaskID, _ ending: Ending, _ error: StoreError) {
        let others = endings.finish(task)
        stop(task: task)
        for caller in [ending.caller] + others { refuse(caller, error) }
    }

    /// Reports to the caller that waits for a task to end that it could not be ended.
    mutating func refuse(_ caller: Ending.Caller, _ error: StoreError) {
        refuse(caller, TransferInterfaceError(error))
    }

    /// Reports to the caller that waits for a task to end that it could not be ended.
    mutating func refuse(_ caller: Ending.Caller, _ error: TransferInterfaceError) {
        switch caller {
        case .nobody:
            break
        case .call(let call), .resumeDataCall(let call):
            turn.add(.refuse(call, error))
        case .sweep(let call):
            guard let sweep = endings.endSweep(of: call) else { return }
            // A session that could not be closed is still open.
            if case .session(let session) = sweep.scope {
                sessions.update(session) { $0.endClosing() }
            }
            turn.add(.refuse(call, error))
        }
    }

    /// Keeps or deletes the file of a task that has ended; no client has received its resume data yet.
    private mutating func settleFile(of task: TaskID, _ ending: Ending, resumeData: Data?) {
        if let resumeData {
            turn.add(.keepFile(task: task, resumeData: resumeData))
        } else if ending.failure == nil {
            turn.add(.seal(task: task))
        } else {
            turn.add(.discardFile(task: task))
        }
    }

    private mutating func answer(_ caller: Ending.Caller, resumeData: Data?) {
        switch caller {
        case .nobody: break
        case .call(let call): turn.add(.answer(call, .done))
        case .resumeDataCall(let call): turn.add(.answer(call, .resumeData(resumeData)))
        case .sweep(let call): sweptOne(call)
        }
    }

    // MARK: Ending many tasks

    /// Ends all unfinished tasks of an application or a session, a page at a time.
    mutating func sweep(_ scope: Sweep.Scope, ending: Ending, for call: CallID) {
        endings.begin(Sweep(scope: scope, ending: ending), for: call)
        query(.sweep(call, scope, after: 0))
    }

    /// The store has returned the next unfinished tasks of a sweep; none when it is over.
    mutating func found(
        _ tasks: [TaskRecord],
        ofSweep call: CallID,
        readBy reading: Readings.Reading?
    ) {
        guard let sweep = endings.continue(call, with: tasks) else {
            if let sweep = endings.endSweep(of: call) { finish(sweep, call) }
            return
        }
        for task in tasks { end(task, .id(task.id), sweep.ending, readBy: reading) }
    }

    private mutating func sweptOne(_ call: CallID) {
        guard let sweep = endings.endedOne(of: call) else { return }
        query(.sweep(call, sweep.scope, after: sweep.lastTask))
    }

    private mutating func finish(_ sweep: Sweep, _ call: CallID) {
        switch sweep.scope {
        case .application:
            turn.add(.answer(call, .cancelled(count: sweep.count)))
        case .session(let session):
            turn.add(.answer(call, .done))
            turn.recount(session)
        }
    }
}

/// The tasks that are ending, and the callers that wait for that.
struct TaskEndings: Hashable, Sendable {
    typealias Caller = DaemonStateMachine.Ending.Caller
    typealias Sweep = DaemonStateMachine.Sweep

    private var callers: [TaskID: [Caller]] = [:]
    private var sweeps: [CallID: Sweep] = [:]
    /// Whether a task that could not be ended may be found again.
    private var end = Mark()

    /// Whether no task ends.
    var isEmpty: Bool { callers.isEmpty && sweeps.isEmpty }

    // MARK: One task

    /// The tasks that end.
    var tasks: some Sequence<TaskID> { callers.keys }

    /// Whether a task ends.
    func contains(_ task: TaskID) -> Bool { callers[task] != nil }

    /// A task ends from now on.
    mutating func begin(_ task: TaskID) { callers[task] = [] }

    /// Another caller waits for the end of a task.
    mutating func join(_ task: TaskID, _ caller: Caller) {
        if caller != .nobody { callers[task]?.append(caller) }
    }

    /// A task has ended, or could not be ended; returns the other callers that have waited for that.
    mutating func finish(_ task: TaskID) -> [Caller] {
        guard let others = callers.removeValue(forKey: task) else { return [] }
        end.set()
        return others
    }

    /// Returns whether a task no longer ends, since this was last called.
    mutating func takeEnd() -> Bool { end.take() }

    // MARK: Many tasks

    /// A pass over many tasks, which a call waits for, begins.
    mutating func begin(_ sweep: Sweep, for call: CallID) { sweeps[call] = sweep }

    /// The next tasks of a pass end.
    ///
    /// - Returns: The pass; `nil` when it is over.
    mutating func `continue`(_ call: CallID, with tasks: [TaskRecord]) -> Sweep? {
        guard var sweep = sweeps[call], let last = tasks.last else { return nil }
        sweep.lastTask = last.id
        sweep.outstanding = tasks.count
        sweep.count += tasks.count
        sweeps[call] = sweep
        return sweep
    }

    /// Whether a pass over the tasks of an owner is not over.
    func hasSweep(of scope: Sweep.Scope) -> Bool { sweeps.values.contains { $0.scope == scope } }

    /// A task of a pass has ended.
    ///
    /// - Returns: The pass if all tasks that were found have ended, so that it continues.
    mutating func endedOne(of call: CallID) -> Sweep? {
        sweeps[call]?.outstanding -= 1
        return sweeps[call].flatMap { $0.outstanding == 0 ? $0 : nil }
    }

    /// A pass is over.
    mutating func endSweep(of call: CallID) -> Sweep? { sweeps.removeValue(forKey: call) }
}

extension DaemonStateMachine {
    /// A pass over all unfinished tasks of an application or a session.
    struct Sweep: Hashable, Sendable {
        /// The owner of the tasks.
        enum Scope: Hashable, Sendable {
            /// An application's.
            case application(ApplicationID)
            /// A session's.
            case session(SessionID)
        }

        /// The owner of the tasks.
        let scope: Scope
        /// How they end.
        let ending: Ending
        /// The last task that was seen.
        fileprivate(set) var lastTask: TaskID = 0
        /// The number of tasks of the current page that have not ended yet.
        fileprivate var outstanding = 0
        /// The number of tasks that have ended.
        fileprivate(set) var count = 0

        init(scope: Scope, ending: Ending) {
            self.scope = scope
            self.ending = ending
        }
    }
}
