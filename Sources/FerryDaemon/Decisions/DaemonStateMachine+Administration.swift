import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    // MARK: Tasks of all applications

    /// A person pauses a task.
    mutating func pauseTask(_ id: Int64, from caller: Caller, at now: Date) -> [Effect] {
        [commit([.holdTask(id, at: now)], then: .call(caller.call, task: id))]
    }

    /// A person resumes a paused task, or has a task that backs off retry at once.
    ///
    /// - Parameters:
    ///   - id: The task.
    ///   - isOverriding: Whether it runs from now on whatever the conditions of the machine are.
    ///   - caller: The caller.
    ///   - now: The time.
    /// - Returns: The effects to perform.
    mutating func resumeTask(
        _ id: Int64,
        overridingConditions isOverriding: Bool = false,
        from caller: Caller,
        at now: Date
    ) -> [Effect] {
        breaker.tryAll()
        let release = Mutation.releaseTask(id, at: now)
        let change =
            isOverriding
            ? commit(
                [.avoidConditions(.id(id), nil), release],
                then: .overridden(caller.call, task: id)
            )
            : commit([release], then: .call(caller.call, task: id))
        // Other tasks of a host may start even if there is no such task.
        return [change] + searchForTasks(at: now)
    }

    /// The store knows that a task runs under all conditions.
    mutating func overridden(
        _ id: Int64,
        _ receipt: Receipt,
        for call: CallIdentifier,
        at now: Date
    ) -> [Effect] {
        running.update(id) { $0.avoid(nil) }
        return [.answer(call, .done)] + separate(id, at: now) + changed(receipt.changes, at: now)
    }

    /// A person cancels a task, or deletes an ended one that its application does not take.
    mutating func cancelTask(_ id: Int64, from caller: Caller) -> [Effect] {
        var ending = Ending.cancelled(for: .call(caller.call))
        ending.forgetsEnded = true
        return [query(.task(.id(id), ending))]
    }

    /// A person quits an application, so that its transfers end (BG-38).
    mutating func quitApplication(_ identifier: String, from caller: Caller) -> [Effect] {
        guard let id = applications[named: identifier]?.record.id else {
            return [.refuse(caller.call, .applicationNotFound(application: identifier))]
        }
        applications.update(id) { $0.beginObjection() }
        return [
            commit([.setQuit(application: id, true)], then: .quit(caller.call, application: id))
        ]
    }

    /// The store knows that an application was quit: it is not started, and its transfers end.
    mutating func quit(_ id: Int64, call: CallIdentifier) -> [Effect] {
        applications.update(id) { $0.quit() }
        var ending = Ending.cancelled(for: .sweep(call), producesResumeData: true)
        // NSURLErrorCancelledReasonUserForceQuitApplication
        ending.cancelReason = 0
        return [.setTimer(.relaunch(application: id), nil)]
            + sweep(.application(id), ending: ending, for: call)
    }

    /// A person no longer wants an application to be started.
    mutating func removeHook(_ identifier: String, from caller: Caller) -> [Effect] {
        guard let id = applications[named: identifier]?.record.id else {
            return [.refuse(caller.call, .applicationNotFound(application: identifier))]
        }
        applications.update(id) { $0.beginObjection() }
        return [
            commit(
                [.setLaunch(application: id, nil)],
                then: .hookRemoved(caller.call, application: id)
            )
        ]
    }

    /// The store knows that an application is no longer started.
    mutating func hookRemoved(_ id: Int64, call: CallIdentifier) -> [Effect] {
        applications.update(id) { $0.removeHook() }
        return [.answer(call, .done), .setTimer(.relaunch(application: id), nil)]
    }

    /// The store could not record that an application must not be started.
    mutating func objectionFailed(
        _ id: Int64,
        call: CallIdentifier,
        _ error: StoreError,
        at now: Date
    ) -> [Effect] {
        applications.update(id) { $0.endObjection() }
        return [.refuse(call, TransferInterfaceError(error, task: 0))]
            + evaluateRelaunch(of: id, at: now)
    }
}
