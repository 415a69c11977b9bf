import FerrySystem
import FerryWire

// Requests by a person.
extension Daemon {
    /// Returns the caller of a person's request, which is answered with "done" and then logged.
    private func caller<Method: TransferMethod>(
        awaiting reply: Reply<Method>,
        over connection: VarlinkConnection,
        _ action: PersonalAction
    ) -> DaemonStateMachine.Caller where Method.Reply == Wire.Empty {
        let caller = caller(awaiting: reply, over: connection)
        actions[caller.call] = (action, connection.peer.processIdentifier)
        return caller
    }

    /// Pauses a task.
    func pauseTask(
        _ call: Wire.PauseTask,
        _ reply: Reply<Wire.PauseTask>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection, PersonalAction(call))
        input { $0.pauseTask(call.id, from: caller) }
    }

    /// Resumes a paused task.
    func resumeTask(
        _ call: Wire.ResumeTask,
        _ reply: Reply<Wire.ResumeTask>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection, PersonalAction(call))
        input {
            $0.resumeTask(
                call.id,
                overridingConditions: call.now == true,
                from: caller
            )
        }
    }

    /// Ends a task.
    func cancelTask(
        _ call: Wire.CancelTask,
        _ reply: Reply<Wire.CancelTask>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection, PersonalAction(call))
        input { $0.cancelTask(call.id, from: caller) }
    }

    /// Gives a task another address.
    func relinkTask(
        _ call: Wire.RelinkTask,
        _ reply: Reply<Wire.RelinkTask>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection, PersonalAction(call))
        input { $0.relinkTask(call.id, to: call.url, from: caller) }
    }

    /// Changes a task's rate limits.
    func setTaskRates(
        _ call: Wire.SetTaskRates,
        _ reply: Reply<Wire.SetTaskRates>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection, PersonalAction(call))
        input { $0.setRates(call.rates, ofTask: call.id, from: caller) }
    }

    /// Changes a task's priority.
    func setTaskPriority(
        _ call: Wire.SetTaskPriority,
        _ reply: Reply<Wire.SetTaskPriority>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection, PersonalAction(call))
        input { $0.setPriority(call.priority, ofTask: call.id, from: caller) }
    }

    /// Changes the rate limits of all tasks together.
    func setRates(
        _ call: Wire.SetRates,
        _ reply: Reply<Wire.SetRates>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection, PersonalAction(call))
        input { $0.setRates(call.rates, from: caller) }
    }

    /// Forgets how to start an application.
    func removeHook(
        _ call: Wire.RemoveHook,
        _ reply: Reply<Wire.RemoveHook>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection, PersonalAction(call))
        input { $0.removeHook(call.application, from: caller) }
    }

    /// Cancels an application's tasks, and no longer starts it.
    func quitApplication(
        _ call: Wire.QuitApplication,
        _ reply: Reply<Wire.QuitApplication>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection) { answer in
            guard case .cancelled(let count) = answer else { return nil }
            return Wire.QuitApplication.Reply(cancelled: count)
        }
        actions[caller.call] = (PersonalAction(call), connection.peer.processIdentifier)
        input { $0.quitApplication(call.application, from: caller) }
    }

    /// Stops the daemon.
    func stop(_ call: Wire.Stop, _ reply: Reply<Wire.Stop>, from connection: VarlinkConnection) {
        let caller = caller(awaiting: reply, over: connection)
        log.write(.info, "process \(caller.process) has asked to stop")
        input { $0.stopDaemon(call: caller.call) }
    }
}
