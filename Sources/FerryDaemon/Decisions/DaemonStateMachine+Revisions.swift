import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// What is to be different about a task that is there.
    enum Revision: Hashable, Sendable {
        /// How fast it may load and send.
        case rates(SharedRates)
        /// What is sent.
        case link(Wire.Request, isAsked: Bool)
        /// Where the request goes, which else stays as it is.
        case address(String)
    }

    /// The store has found a task that is to be carried out in another way.
    mutating func found(
        _ task: TaskRecord?,
        _ key: TaskKey,
        for revision: Revision,
        call: CallIdentifier,
        readBy reading: Readings.Reading?
    ) -> [Effect] {
        guard let task, task.state != .completed else {
            return [.refuse(call, .taskNotFound(id: key.number))]
        }
        guard !readings.hasChanged(task, since: reading) else {
            return [query(.revise(key, revision, call))]
        }
        switch revision {
        case .link(let request, let isAsked):
            if isAsked {
                linkPatience[task.id]?.replaced()
            } else {
                linkPatience[task.id] = nil
            }
            return relink(task, key, to: request, call: call)
        case .address(let url):
            guard let request = task.requestToSend else {
                return [.refuse(call, .internalFailure(reason: "the task's request is unreadable"))]
            }
            let relinked = RedirectPolicy.request(
                TransferRequest(request),
                movedTo: url
            )
            linkPatience[task.id] = nil
            return relink(task, key, to: Wire.Request(relinked), call: call)
        case .rates(let rates):
            var options = Stored.options(task.options) ?? Wire.TransferOptions()
            options.receiveRate = rates.receive
            options.sendRate = rates.send
            return [set(.options(options), of: key, for: call)]
        }
    }
}

extension TaskKey {
    /// The task's number, in whatever way it is named.
    var number: Int64 {
        switch self {
        case .id(let id): id
        case .identifier(_, let identifier): Int64(identifier)
        }
    }
}
