import FerryWire

/// A person's action on transfers or applications, in the words of the log.
struct PersonalAction {
    /// The task that it affects; `nil` if it affects all, or an application.
    let task: Int64?
    private let deed: String

    /// The action of a call.
    init(_ call: Wire.PauseTask) { self.init(call.id, "paused it") }

    /// The action of a call.
    init(_ call: Wire.ResumeTask) {
        let suffix = call.now == true ? ", whatever the conditions are" : ""
        self.init(call.id, "resumed it" + suffix)
    }

    /// The action of a call.
    init(_ call: Wire.CancelTask) { self.init(call.id, "cancelled it") }

    /// The action of a call.
    init(_ call: Wire.RelinkTask) {
        self.init(call.id, "relinked it to \(LoggedAddress.of(call.url))")
    }

    /// The action of a call.
    init(_ call: Wire.SetTaskPriority) {
        // Clients use a Float, so that further digits mean nothing.
        self.init(call.id, "given it priority \(Float(call.priority))")
    }

    /// The action of a call.
    init(_ call: Wire.SetTaskRates) {
        self.init(call.id, "limited it: \(call.rates.logText)")
    }

    /// The action of a call.
    init(_ call: Wire.SetRates) {
        self.init(nil, "limited all transfers: \(call.rates.logText)")
    }

    /// The action of a call.
    init(_ call: Wire.RemoveHook) { self.init(nil, "removed the hook of \(call.application)") }

    /// The action of a call.
    init(_ call: Wire.QuitApplication) { self.init(nil, "quit \(call.application)") }

    private init(_ task: Int64?, _ deed: String) {
        self.task = task
        self.deed = deed
    }

    /// Returns the line for the completed action.
    func text(by process: Int32, _ answer: DaemonStateMachine.Answer) -> String {
        guard case .cancelled(let count) = answer else { return "process \(process) has \(deed)" }
        return "process \(process) has \(deed): \(count) transfers cancelled"
    }
}
