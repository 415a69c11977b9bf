import FerryWire

/// What a person has done to transfers or applications, in the words of the log.
struct PersonalAction {
    /// The task that it was done to; nil where it was to all, or to an application.
    let task: Int64?
    private let deed: String

    /// What a call does.
    init(_ call: Wire.PauseTask) { self.init(call.id, "paused it") }

    /// What a call does.
    init(_ call: Wire.ResumeTask) { self.init(call.id, "resumed it") }

    /// What a call does.
    init(_ call: Wire.CancelTask) { self.init(call.id, "cancelled it") }

    /// What a call does.
    init(_ call: Wire.RelinkTask) {
        self.init(call.id, "relinked it to \(LoggedAddress.of(call.url))")
    }

    /// What a call does.
    init(_ call: Wire.SetTaskPriority) {
        // A client has it as a Float, of whose digits no more mean anything.
        self.init(call.id, "given it priority \(Float(call.priority))")
    }

    /// What a call does.
    init(_ call: Wire.SetTaskRates) {
        self.init(call.id, "limited it: \(Self.text(call.rates))")
    }

    /// What a call does.
    init(_ call: Wire.SetRates) {
        self.init(nil, "limited all transfers: \(Self.text(call.rates))")
    }

    /// What a call does.
    init(_ call: Wire.RemoveHook) { self.init(nil, "removed the hook of \(call.application)") }

    /// What a call does.
    init(_ call: Wire.QuitApplication) { self.init(nil, "quit \(call.application)") }

    private init(_ task: Int64?, _ deed: String) {
        self.task = task
        self.deed = deed
    }

    /// The line for when it is done.
    func text(by process: Int32, _ answer: DaemonStateMachine.Answer) -> String {
        guard case .cancelled(let count) = answer else { return "process \(process) has \(deed)" }
        return "process \(process) has \(deed): \(count) transfers cancelled"
    }

    private static func text(_ rates: SharedRates) -> String {
        "\(text(rates.receive)) in, \(text(rates.send)) out"
    }

    private static func text(_ rate: Int64?) -> String {
        rate.map { "\($0) bytes/s" } ?? "as many bytes as can"
    }
}
