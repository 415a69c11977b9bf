import FerryStore
import FerryWire

extension DaemonStateMachine {
    /// A person changes the rate limits of all tasks together.
    mutating func setRates(_ rates: SharedRates, from caller: Caller) {
        if let refusal = rates.refusal { return turn.add(.refuse(caller.call, refusal)) }
        commit([.set(.rates(Encoded(rates)))], then: .ratesSet(caller.call, rates))
    }

    /// A client changes the rate limits of its session's tasks together.
    mutating func setRates(_ rates: SharedRates, ofSession session: SessionID, from caller: Caller)
    {
        guard hasOpen(session, caller) else { return }
        if let refusal = rates.refusal { return turn.add(.refuse(caller.call, refusal)) }
        sessions.update(session) { $0.limit(rates) }
        guard let configuration = sessions[session]?.configuration else { return }
        turn.add(.limitRates(rates, session: session))
        commit(
            [.setConfiguration(session: session, Encoded(configuration))],
            then: .call(caller.call, about: nil)
        )
    }

    /// A person changes a task's rate limits.
    mutating func setRates(_ rates: SharedRates, ofTask id: TaskID, from caller: Caller) {
        if let refusal = rates.refusal { return turn.add(.refuse(caller.call, refusal)) }
        query(.revise(.id(id), .rates(rates), caller.call))
    }

    /// A person changes a task's priority.
    mutating func setPriority(_ priority: Double, ofTask id: TaskID, from caller: Caller) {
        set(.priority(clamping: priority), of: .id(id), for: caller.call)
    }
}
