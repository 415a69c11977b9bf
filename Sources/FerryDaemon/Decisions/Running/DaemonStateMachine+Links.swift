import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A server's answer says that a task's address has expired: its application may know another one.
    ///
    /// - Returns: Whether the task goes on; otherwise it fails, or waits for another address that it gets without a
    ///   question.
    mutating func linkExpired(_ task: RunningTask) -> Bool {
        let id = task.record.id
        guard asksForLink(of: task.record) else { return false }
        guard expiredLinks.expired(id, receivedByteCount: task.receivedByteCount) else {
            goOnWithoutLink(task)
            return true
        }
        turn.add(.stop(task: id))
        running.release(id)
        askWithoutConnection(.link(task.response), about: id)
        return true
    }

    /// Whether an application is asked when a task's address has expired.
    func asksForLink(of task: TaskRecord) -> Bool {
        task.upload == nil && !expiredLinks.isExhausted(task.id)
            && sessions[task.sessionID]?.configuration.replacesLinks == true
    }

    /// A client gives a task another address, or has none to give.
    mutating func relink(_ relink: Wire.Relink, from caller: Caller) {
        guard hasOpen(relink.sessionID, caller) else { return }
        let key = relink.key
        if let question = relink.question {
            let task = task(key, asked: question)
            guard case .link? = task?.question?.subject, let task else {
                return turn.add(.answer(caller.call, .done))
            }
            guard relink.request != nil else { return declineLink(of: task, caller) }
        }
        guard let request = relink.request else {
            let reason = "it may be missing only in the answer to a question"
            turn.add(.refuse(caller.call, .invalidRequest(parameter: "request", reason: reason)))
            return
        }
        let isAsked = relink.question != nil
        query(.revise(key, .link(request, isAsked: isAsked), caller.call))
    }

    /// A person gives a task another address.
    mutating func relinkTask(_ id: TaskID, to url: String, from caller: Caller) {
        query(.revise(.id(id), .address(url), caller.call))
    }

    /// An application has no other address.
    private mutating func declineLink(of task: RunningTask, _ caller: Caller) {
        expiredLinks.decline(task.record.id)
        turn.add(.answer(caller.call, .done))
        goOnWithoutLink(task)
    }

    /// Continues without a new address: the server's next response is the result.
    private mutating func goOnWithoutLink(_ task: RunningTask) {
        stop(task: task.record.id)
    }

    /// Makes a task continue from where it is with another request.
    mutating func relink(
        _ task: TaskRecord,
        _ key: TaskKey,
        to request: Wire.Request,
        call: CallID
    ) {
        guard accepts(request, call: call) else { return }
        guard let host = Origin(url: request.url)?.authority else { return }
        let link = LinkState(request: request, number: random.makeNumber())
        let address = LoggedAddress.of(request.url)
        turn.add(.log(.info, "gets another address: \(address)", task: task.id))
        commit(
            [.relinkTask(key, host: host, Encoded(link))],
            then: .relinked(call, task: task.id)
        )
    }

    /// A task has another address: it starts again where its bytes end.
    mutating func relinked(_ id: TaskID, _ receipt: Receipt, call: CallID) {
        turn.add(.answer(call, .done))
        let phase = running[id]?.phase
        if phase == .loading || phase == .asking || phase == .following { stop(task: id) }
        changed(receipt.changes)
    }
}

/// The tasks whose servers have said that their address has expired.
struct ExpiredLinks: Hashable, Sendable {
    private var questions: [TaskID: LinkQuestions] = [:]

    /// A task's address has expired.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - receivedByteCount: The number of bytes that it has by now.
    /// - Returns: Whether to ask its application for another address.
    mutating func expired(_ task: TaskID, receivedByteCount: Int64) -> Bool {
        questions[task, default: LinkQuestions()].expired(receivedByteCount: receivedByteCount)
    }

    /// Whether an application is no longer asked about a task.
    func isExhausted(_ task: TaskID) -> Bool { questions[task]?.isExhausted == true }

    /// An application has given a task another address, as it was asked to.
    mutating func replaced(_ task: TaskID) { questions[task]?.replaced() }

    /// An application has no other address for a task.
    mutating func decline(_ task: TaskID) { questions[task, default: LinkQuestions()].decline() }

    /// Forgets a task that has ended, or whose application has given it another address without being asked.
    mutating func forget(_ task: TaskID) { questions[task] = nil }
}
