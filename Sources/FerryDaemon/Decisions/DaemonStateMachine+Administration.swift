import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    // MARK: Tasks of all applications

    /// A person pauses a task.
    mutating func pauseTask(_ id: TaskID, from caller: Caller) {
        commit([.holdTask(id, at: now)], then: .call(caller.call, about: .id(id)))
    }

    /// A person resumes a paused task, or has a task that backs off retry at once.
    ///
    /// - Parameters:
    ///   - id: The task.
    ///   - isOverriding: Whether it runs from now on whatever the conditions of the machine are.
    ///   - caller: The caller.
    mutating func resumeTask(
        _ id: TaskID,
        overridingConditions isOverriding: Bool = false,
        from caller: Caller
    ) {
        breaker.tryAll()
        let release = Mutation.releaseTask(id, at: now)
        if isOverriding {
            commit(
                [.avoidConditions(.id(id), nil), release],
                then: .overridden(caller.call, task: id)
            )
        } else {
            commit([release], then: .call(caller.call, about: .id(id)))
        }
    }

    /// The store knows that a task runs under all conditions.
    mutating func overridden(_ id: TaskID, _ receipt: Receipt, for call: CallID) {
        running.update(id) { $0.avoid(nil) }
        turn.add(.answer(call, .done))
        separate(id)
        changed(receipt.changes)
    }

    /// A person cancels a task, or deletes an ended one that its application does not take.
    mutating func cancelTask(_ id: TaskID, from caller: Caller) {
        var ending = Ending.cancelled(for: .call(caller.call))
        ending.forgetsEnded = true
        query(.task(.id(id), ending))
    }

    /// A person quits an application, so that its transfers end (BG-38).
    mutating func quitApplication(_ identifier: String, from caller: Caller) {
        guard let id = applications[named: identifier]?.record.id else {
            return turn.add(.refuse(caller.call, .applicationNotFound(application: identifier)))
        }
        applications.update(id) { $0.beginObjection() }
        commit([.setQuit(application: id, true)], then: .quit(caller.call, application: id))
    }

    /// The store knows that an application was quit: it is not started, and its transfers end.
    mutating func quit(_ id: ApplicationID, call: CallID) {
        applications.update(id) { $0.quit() }
        var ending = Ending.cancelled(for: .sweep(call), producesResumeData: true)
        // NSURLErrorCancelledReasonUserForceQuitApplication
        ending.cancelReason = 0
        sweep(.application(id), ending: ending, for: call)
    }

    /// A person no longer wants an application to be started.
    mutating func removeHook(_ identifier: String, from caller: Caller) {
        guard let id = applications[named: identifier]?.record.id else {
            return turn.add(.refuse(caller.call, .applicationNotFound(application: identifier)))
        }
        applications.update(id) { $0.beginObjection() }
        commit(
            [.setLaunch(application: id, nil)],
            then: .hookRemoved(caller.call, application: id)
        )
    }

    /// The store knows that an application is no longer started.
    mutating func hookRemoved(_ id: ApplicationID, call: CallID) {
        applications.update(id) { $0.removeHook() }
        turn.add(.answer(call, .done))
    }

    /// The store could not record that an application must not be started.
    mutating func objectionFailed(_ id: ApplicationID, call: CallID, _ error: StoreError) {
        applications.update(id) { $0.endObjection() }
        turn.add(.refuse(call, TransferInterfaceError(error)))
    }
}
