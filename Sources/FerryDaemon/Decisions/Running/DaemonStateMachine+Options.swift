import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A change to how a task is carried out.
    enum TaskSetting: Hashable, Sendable {
        /// The options, `nil` for the default, and the conditions that the task avoids with them.
        case options(Wire.TransferOptions?, avoids: Conditions)
        /// The options without the conditions.
        case rates(Wire.TransferOptions)
        /// The priority.
        case priority(Double)
    }

    /// A client changes a task's options.
    mutating func setOptions(_ set: Wire.SetOptions, from caller: Caller) {
        guard hasOpen(set.sessionID, caller) else { return }
        guard accepts(set.options, call: caller.call) else { return }
        let key = set.key
        let avoids = avoided(by: set.options, inSession: set.sessionID)
        self.set(.options(set.options, avoids: avoids), of: key, for: caller.call)
    }

    /// A client changes a task's priority.
    mutating func setPriority(_ set: Wire.SetPriority, from caller: Caller) {
        guard hasOpen(set.sessionID, caller) else { return }
        let key = set.key
        self.set(.priority(clamping: set.priority), of: key, for: caller.call)
    }

    /// Stores how a task is to be carried out.
    mutating func set(_ setting: TaskSetting, of key: TaskKey, for call: CallID) {
        commit(setting.mutations(of: key), then: .taskSet(call, key, setting))
    }

    /// The store has the change: a transfer that is under way follows it as far as it can.
    mutating func taskSet(_ setting: TaskSetting, of key: TaskKey, for call: CallID) {
        turn.add(.answer(call, .done))
        guard let id = running[key]?.record.id else {
            // A task that avoids other conditions than before may start.
            if case .options = setting { turn.searchForTasks() }
            return
        }
        switch setting {
        case .options(let options, let avoids):
            let formerly = running[id]?.avoids
            running.update(id) { $0.avoid(avoids) }
            let isChanged = running[id]?.avoids != formerly
            limit(id, by: options)
            if isChanged {
                separate(id)
                avoidedAnew()
            }
        case .rates(let options):
            limit(id, by: options)
        case .priority(let priority):
            let isChanged = running[id]?.priority != priority
            running.update(id) { $0.prioritize(priority) }
            turn.add(.prioritize(task: id, priority))
            if isChanged { separate(id) }
        }
    }

    private mutating func limit(_ id: TaskID, by options: Wire.TransferOptions?) {
        let isChanged = running[id]?.options != options
        running.update(id) { $0.set(options) }
        turn.add(.limitRate(task: id, options?.rates ?? SharedRates()))
        if isChanged { separate(id) }
    }

    /// Refuses a call with a request that could not be sent, to a task that may have bytes to lose.
    ///
    /// - Returns: Whether the request can be sent.
    mutating func accepts(_ request: Wire.Request, call: CallID) -> Bool {
        guard let (member, reason) = request.contradiction else { return true }
        let error = TransferInterfaceError.invalidRequest(
            parameter: "request.\(member)",
            reason: reason
        )
        turn.add(.refuse(call, error))
        return false
    }

    /// Refuses a call with invalid options.
    ///
    /// - Returns: Whether they are valid.
    mutating func accepts(_ options: Wire.TransferOptions?, call: CallID) -> Bool {
        guard let (member, reason) = options?.contradiction else { return true }
        let error = TransferInterfaceError.invalidRequest(
            parameter: "options.\(member)",
            reason: reason
        )
        turn.add(.refuse(call, error))
        return false
    }
}

extension DaemonStateMachine.TaskSetting {
    /// A priority from 0 to 1.
    static func priority(clamping value: Double) -> Self { .priority(min(max(value, 0), 1)) }

    func mutations(of key: TaskKey) -> [Mutation] {
        switch self {
        case .options(let options, let avoids):
            [.setOptions(key, options.map { Encoded($0) }), .avoidConditions(key, avoids)]
        case .rates(let options): [.setOptions(key, Encoded(options))]
        case .priority(let priority): [.prioritizeTask(key, priority)]
        }
    }
}
