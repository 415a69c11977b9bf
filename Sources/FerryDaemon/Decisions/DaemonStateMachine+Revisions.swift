import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A change to an existing task.
    enum Revision: Hashable, Sendable {
        /// The rate limits.
        case rates(SharedRates)
        /// The request to send.
        case link(Wire.Request, isAsked: Bool)
        /// The address of the request, which otherwise stays the same.
        case address(String)
    }

    /// The store has returned a task that is to be changed.
    mutating func found(
        _ task: TaskRecord?,
        _ key: TaskKey,
        for revision: Revision,
        call: CallID,
        readBy reading: Readings.Reading?
    ) {
        guard let task, task.state != .completed else {
            return turn.add(.refuse(call, .taskNotFound(key)))
        }
        guard !readings.hasChanged(task, since: reading) else {
            return query(.revise(key, revision, call))
        }
        switch revision {
        case .link(let request, let isAsked):
            if isAsked {
                expiredLinks.replaced(task.id)
            } else {
                expiredLinks.forget(task.id)
            }
            relink(task, key, to: request, call: call)
        case .address(let url):
            guard let request = task.requestToSend else {
                turn.add(
                    .refuse(call, .internalFailure(reason: "the task's request is unreadable"))
                )
                return
            }
            let relinked = RedirectPolicy.request(
                TransferRequest(request),
                movedTo: url
            )
            expiredLinks.forget(task.id)
            relink(task, key, to: Wire.Request(relinked), call: call)
        case .rates(let rates):
            var options = task.validOptions ?? Wire.TransferOptions()
            options.receiveRate = rates.receive
            options.sendRate = rates.send
            set(.rates(options), of: key, for: call)
        }
    }
}
