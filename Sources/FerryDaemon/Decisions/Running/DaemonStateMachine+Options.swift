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
    mutating func setOptions(_ set: Wire.SetOptions, from caller: Caller) -> [Effect] {
        if let refusal = refuseUnlessOpen(set.session, caller) { return refusal }
        if let refusal = refusal(of: set.options, call: caller.call) { return refusal }
        let key = TaskKey.identifier(session: set.session, set.identifier)
        let avoids = avoided(by: set.options, inSession: set.session)
        return [self.set(.options(set.options, avoids: avoids), of: key, for: caller.call)]
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
        commit(setting.mutations(of: key), then: .taskSet(call, key, setting))
    }

    /// The store has the change: a transfer that is under way follows it as far as it can.
    mutating func taskSet(
        _ setting: TaskSetting,
        of key: TaskKey,
        for call: CallIdentifier,
        at now: Date
    ) -> [Effect] {
        let answer = Effect.answer(call, .done)
        guard let id = running[key]?.record.id else {
            // A task that avoids other conditions than before may start.
            if case .options = setting { return [answer] + searchForTasks(at: now) }
            return [answer]
        }
        switch setting {
        case .options(let options, let avoids):
            let formerly = running[id]?.avoids
            running.update(id) { $0.avoid(avoids) }
            let isChanged = running[id]?.avoids != formerly
            return [answer] + limit(id, by: options, at: now)
                + (isChanged ? separate(id, at: now) : []) + (isChanged ? avoidedAnew(at: now) : [])
                + reviewInhibitionSoon(at: now)
        case .rates(let options):
            return [answer] + limit(id, by: options, at: now)
        case .priority(let priority):
            let isChanged = running[id]?.priority != priority
            running.update(id) { $0.prioritize(priority) }
            return [answer, .prioritize(task: id, priority)]
                + (isChanged ? separate(id, at: now) : [])
        }
    }

    private mutating func limit(
        _ id: Int64,
        by options: Wire.TransferOptions?,
        at now: Date
    ) -> [Effect] {
        let isChanged = running[id]?.options != options
        running.update(id) { $0.set(options) }
        return [.limitRate(task: id, options?.rates ?? SharedRates())]
            + (isChanged ? separate(id, at: now) : [])
    }

    /// Returns the refusal of a call with a request that could not be sent, to a task that may have bytes to lose; `nil`
    /// if it can.
    func refusal(of request: Wire.Request, call: CallIdentifier) -> [Effect]? {
        guard let (member, reason) = request.contradiction else { return nil }
        let error = TransferInterfaceError.invalidRequest(
            parameter: "request.\(member)",
            reason: reason
        )
        return [.refuse(call, error)]
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

    func mutations(of key: TaskKey) -> [Mutation] {
        switch self {
        case .options(let options, let avoids):
            [.setOptions(key, options.map { Stored.encode($0) }), .avoidConditions(key, avoids)]
        case .rates(let options): [.setOptions(key, Stored.encode(options))]
        case .priority(let priority): [.prioritizeTask(key, priority)]
        }
    }
}
