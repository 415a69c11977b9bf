import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A change to how a task is carried out.
    enum TaskSetting: Hashable, Sendable {
        /// The options; `nil` for the default.
        case options(Wire.TransferOptions?)
        /// The priority.
        case priority(Double)
    }

    /// A client changes a task's options.
    mutating func setOptions(_ set: Wire.SetOptions, from caller: Caller) -> [Effect] {
        if let refusal = refuseUnlessOpen(set.session, caller) { return refusal }
        if let refusal = refusal(of: set.options, call: caller.call) { return refusal }
        let key = TaskKey.identifier(session: set.session, set.identifier)
        return [self.set(.options(set.options), of: key, for: caller.call)]
    }

    /// A client changes a task's priority.
    mutating func setPriority(_ set: Wire.SetPriority, from caller: Caller) -> [Effect] {
        if let refusal = refuseUnlessOpen(set.session, caller) { return refusal }
        let key = TaskKey.identifier(session: set.session, set.identifier)
        return [self.set(.priority(clamping: set.priority), of: key, for: caller.call)]
    }

    /// Stores how a task is to be carried out.
    mutating func set(
        _ setting: TaskSetting,
        of key: TaskKey,
        for call: CallIdentifier
    ) -> Effect {
        commit([setting.mutation(of: key)], then: .taskSet(call, key, setting))
    }

    /// The store has the change: a transfer that is under way follows it as far as it can.
    mutating func taskSet(
        _ setting: TaskSetting,
        of key: TaskKey,
        for call: CallIdentifier,
        at now: Date
    ) -> [Effect] {
        let answer = Effect.answer(call, .done)
        guard let id = running[key]?.record.id else { return [answer] }
        switch setting {
        case .options(let options):
            running.update(id) { $0.set(options) }
            return [answer, .limitRate(task: id, options?.rates ?? SharedRates())]
                + reviewInhibitionSoon(at: now)
        case .priority(let priority):
            return [answer, .prioritize(task: id, priority)]
        }
    }

    /// Returns the refusal of a call with invalid options; `nil` if they are valid.
    func refusal(of options: Wire.TransferOptions?, call: CallIdentifier) -> [Effect]? {
        guard let (member, reason) = options?.contradiction else { return nil }
        let error = TransferInterfaceError.invalidRequest(
            parameter: "options.\(member)",
            reason: reason
        )
        return [.refuse(call, error)]
    }
}

extension DaemonStateMachine.TaskSetting {
    /// A priority from 0 to 1.
    static func priority(clamping value: Double) -> Self { .priority(min(max(value, 0), 1)) }

    func mutation(of key: TaskKey) -> Mutation {
        switch self {
        case .options(let options): .setOptions(key, options.map { Stored.encode($0) })
        case .priority(let priority): .prioritizeTask(key, priority)
        }
    }
}
