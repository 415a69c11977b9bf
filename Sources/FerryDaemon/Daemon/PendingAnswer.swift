import FerrySystem
import FerryWire
import FoundationEssentials

/// A client's call that has not been answered yet.
@LoopActor
struct PendingAnswer {
    /// Answers it.
    let succeed: @LoopActor (DaemonStateMachine.Answer) -> Void
    /// Answers it with an error.
    let refuse: @LoopActor (TransferInterfaceError) -> Void

    /// Creates a call that these functions answer.
    init(
        succeed: @escaping @LoopActor (DaemonStateMachine.Answer) -> Void,
        refuse: @escaping @LoopActor (TransferInterfaceError) -> Void
    ) {
        self.succeed = succeed
        self.refuse = refuse
    }

    /// Creates a call that is answered with "done".
    init<Method: TransferMethod>(_ reply: Reply<Method>) where Method.Reply == Wire.Empty {
        self.init(reply) { answer in answer == .done ? Wire.Empty() : nil }
    }

    /// Creates a call whose answer is made by `convert`, which returns `nil` for an answer of another kind.
    init<Method: TransferMethod>(
        _ reply: Reply<Method>,
        _ convert: @escaping @LoopActor (DaemonStateMachine.Answer) -> Method.Reply?
    ) {
        succeed = { answer in
            if let value = convert(answer) {
                reply.success(value)
            } else {
                reply.failure(.internalFailure(reason: "\(Method.name) has no such answer"))
            }
        }
        refuse = { reply.failure($0) }
    }
}
