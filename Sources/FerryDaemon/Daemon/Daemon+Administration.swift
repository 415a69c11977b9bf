import FerryStore
import FerrySystem
import FerryWire

// Requests by a person, which are logged when they have been carried out.
extension Daemon {
    /// Pauses a task.
    func pauseTask(_ call: MethodCall<Wire.PauseTask>) {
        let deed = deed(call, "paused it", task: call.parameters.taskID)
        decide(call, deed: deed) { $0.pauseTask($1.taskID, from: $2) }
    }

    /// Resumes a paused task.
    func resumeTask(_ call: MethodCall<Wire.ResumeTask>) {
        let isOverriding = call.parameters.now == true
        let words = "resumed it" + (isOverriding ? ", whatever the conditions are" : "")
        decide(call, deed: deed(call, words, task: call.parameters.taskID)) {
            $0.resumeTask($1.taskID, overridingConditions: isOverriding, from: $2)
        }
    }

    /// Ends a task.
    func cancelTask(_ call: MethodCall<Wire.CancelTask>) {
        let deed = deed(call, "cancelled it", task: call.parameters.taskID)
        decide(call, deed: deed) { $0.cancelTask($1.taskID, from: $2) }
    }

    /// Gives a task another address.
    func relinkTask(_ call: MethodCall<Wire.RelinkTask>) {
        let words = "relinked it to \(LoggedAddress.of(call.parameters.url))"
        decide(call, deed: deed(call, words, task: call.parameters.taskID)) {
            $0.relinkTask($1.taskID, to: $1.url, from: $2)
        }
    }

    /// Changes a task's rate limits.
    func setTaskRates(_ call: MethodCall<Wire.SetTaskRates>) {
        let words = "limited it: \(call.parameters.rates.logText)"
        decide(call, deed: deed(call, words, task: call.parameters.taskID)) {
            $0.setRates($1.rates, ofTask: $1.taskID, from: $2)
        }
    }

    /// Changes a task's priority.
    func setTaskPriority(_ call: MethodCall<Wire.SetTaskPriority>) {
        // Clients use a Float, so that further digits mean nothing.
        let words = "given it priority \(Float(call.parameters.priority))"
        decide(call, deed: deed(call, words, task: call.parameters.taskID)) {
            $0.setPriority($1.priority, ofTask: $1.taskID, from: $2)
        }
    }

    /// Changes the rate limits of all tasks together.
    func setRates(_ call: MethodCall<Wire.SetRates>) {
        let words = "limited all transfers: \(call.parameters.rates.logText)"
        decide(call, deed: deed(call, words)) { $0.setRates($1.rates, from: $2) }
    }

    /// Forgets how to start an application.
    func removeHook(_ call: MethodCall<Wire.RemoveHook>) {
        let deed = deed(call, "removed the hook of \(call.parameters.application)")
        decide(call, deed: deed) { $0.removeHook($1.application, from: $2) }
    }

    /// Cancels an application's tasks, and no longer starts it.
    func quitApplication(_ call: MethodCall<Wire.QuitApplication>) {
        decide(call, deed: deed(call, "quit \(call.parameters.application)")) {
            $0.quitApplication($1.application, from: $2)
        } answering: { answer in
            guard case .cancelled(let count) = answer else { return nil }
            return Wire.QuitApplication.Reply(cancelled: count)
        }
    }

    /// Stops the daemon.
    func stop(_ call: MethodCall<Wire.Stop>) {
        log.write(.info, "process \(call.connection.peer.process) has asked to stop")
        decide(call) { $0.stopDaemon(call: $2.call) }
    }

    private func deed<Method: TransferMethod>(
        _ call: MethodCall<Method>,
        _ words: String,
        task: TaskID? = nil
    ) -> PersonalDeed {
        PersonalDeed(words: words, task: task, process: call.connection.peer.processIdentifier)
    }
}
