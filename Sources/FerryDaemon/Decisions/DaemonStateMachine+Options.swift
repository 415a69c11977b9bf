import FerryStore
import FerryTransfer
import FerryWire

extension DaemonStateMachine {
    /// A client changes how a task is carried out.
    mutating func setOptions(_ set: Wire.SetOptions, from caller: Caller) -> [Effect] {
        if let refusal = refuseUnlessOpen(set.session, caller) { return refusal }
        if let refusal = refusal(of: set.options, call: caller.call) { return refusal }
        let key = TaskKey.identifier(session: set.session, set.identifier)
        let change = commit(
            [.setOptions(key, set.options.map { Stored.encode($0) })],
            then: .call(caller.call, task: Int64(set.identifier))
        )
        return [change] + apply(set.options, toTask: set.identifier, of: set.session)
    }

    /// Has a transfer that is under way go on with other options, as far as it can.
    private mutating func apply(
        _ options: Wire.TransferOptions?,
        toTask identifier: Int,
        of session: Int64
    ) -> [Effect] {
        let task = running.values.first {
            $0.record.sessionID == session && $0.record.identifier == identifier
        }
        guard let id = task?.record.id else { return [] }
        running[id]?.options = options
        return [.limitRate(task: id, options?.rates ?? SharedRates())]
    }

    /// The answer to a call whose options make no sense; nothing where they do.
    func refusal(of options: Wire.TransferOptions?, call: CallIdentifier) -> [Effect]? {
        guard let (member, reason) = options?.contradiction else { return nil }
        let error = TransferInterfaceError.invalidRequest(
            parameter: "options.\(member)",
            reason: reason
        )
        return [.refuse(call, error)]
    }
}
