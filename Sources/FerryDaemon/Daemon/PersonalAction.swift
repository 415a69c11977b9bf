import FerryWire

/// What a person has done to transfers or applications, in the words of the log.
struct PersonalAction {
    /// The task that it was done to; nil where it was to all, or to an application.
    let task: Int64?
    private let deed: String

    /// The action of a call; nil for a call that is none.
    init?(_ call: TransferCall) {
        switch call {
        case .pauseTask(let parameters, _): self.init(parameters.id, "paused it")
        case .resumeTask(let parameters, _): self.init(parameters.id, "resumed it")
        case .cancelTask(let parameters, _): self.init(parameters.id, "cancelled it")
        case .relinkTask(let parameters, _):
            self.init(parameters.id, "relinked it to \(LoggedAddress.of(parameters.url))")
        case .setTaskPriority(let parameters, _):
            self.init(parameters.id, "given it priority \(parameters.priority)")
        case .setTaskRates(let parameters, _):
            self.init(parameters.id, "limited it: \(Self.text(parameters.rates))")
        case .setRates(let parameters, _):
            self.init(nil, "limited all transfers: \(Self.text(parameters.rates))")
        case .removeHook(let parameters, _):
            self.init(nil, "removed the hook of \(parameters.application)")
        case .quitApplication(let parameters, _):
            self.init(nil, "quit \(parameters.application)")
        default: return nil
        }
    }

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
