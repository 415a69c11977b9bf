import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// Returns why a waiting task does not run.
    func wait(of task: TaskRecord, at now: Date) -> Wire.Wait? {
        switch task.state {
        case .held, .heldSuspended:
            return Wire.Wait(reason: .paused, detail: "the user paused it")
        case .suspended, .completed:
            return nil
        case .waiting:
            break
        }
        if let running = running[task.id] {
            if let question = running.question {
                return Wire.Wait(reason: .application, detail: question.detail)
            }
            // With a full disk it takes a while until the store has the failure.
            guard let failure = running.failure else { return nil }
            let until = running.notBefore.flatMap { $0 > now ? $0 : nil }
            return Wire.Wait(
                reason: .ofFailure(failure.code),
                until: until,
                detail: failure.message
            )
        }
        if isUnreachable(task) || task.notBefore == TaskRecord.networkWait {
            return Wire.Wait(reason: .network, detail: "no route leads off this machine")
        }
        if let until = task.notBefore, until > now {
            if task.attempts == 0, DelayState.decode(task.delay)?.date != nil {
                return Wire.Wait(reason: .earliestBegin, until: until)
            }
            let failure = task.lastError.flatMap { Stored.failure($0) }
            return Wire.Wait(
                reason: .ofFailure(failure?.code),
                until: until,
                detail: failure?.message
            )
        }
        if let wait = conditionWait(of: task, at: now) { return wait }
        if let wait = hostFailure(of: line(of: task), at: now) { return wait }
        if let wait = yield(of: task.id, at: now) { return wait }
        guard sleep.allowsStarts else { return Wire.Wait(reason: .machineSleep) }
        return limit(of: task) ?? Wire.Wait(reason: .starting)
    }

    /// Returns the wait for a host that is left alone; `nil` if it is not.
    private func hostFailure(of line: HostBreaker.Line, at now: Date) -> Wire.Wait? {
        guard isLeftAlone(line, at: now) else { return nil }
        let detail =
            switch breaker.cause(line) {
            case .failures(let count): "\(line.host) has failed \(count) times in a row"
            case .isAsked: "\(line.host) has asked this application to come back later"
            }
        return Wire.Wait(
            reason: .hostFailure,
            until: breaker.end(line, at: now),
            detail: detail
        )
    }

    /// Returns the limit that keeps a task from running, if there is one.
    private func limit(of task: TaskRecord) -> Wire.Wait? {
        let sessionCount = running.budget.count(session: task.sessionID, host: task.host)
        let limit = sessionLimit(task.sessionID)
        if sessionCount >= limit {
            return Wire.Wait(
                reason: .hostLimit,
                detail: "its session has \(sessionCount) of \(limit) transfers from \(task.host)"
            )
        }
        let application = application(of: task)
        if running.budget.free(host: task.host) == 0, running.budget.free > 0 {
            let count = running.budget.places(of: application, host: task.host)
            return Wire.Wait(
                reason: .hostLimit,
                detail: """
                    \(task.host) has \(policy.maximumTransfersPerHost) transfers, the limit; \
                    \(count) of them its application's
                    """
            )
        }
        guard running.budget.free == 0 else { return nil }
        let count = running.budget.places(of: application)
        return Wire.Wait(
            reason: .connectionLimit,
            detail: """
                \(policy.maximumTransfers) transfers run, the limit; \(count) of them its \
                application's
                """
        )
    }
}

extension Wire.WaitReason {
    /// The reason why a task waits after a failure of this class.
    fileprivate static func ofFailure(_ code: String?) -> Self {
        switch code.flatMap({ TransferError.Code(rawValue: $0) }) {
        case .diskFull: .diskSpace
        case .linkExpired, .badURL, .unsupportedURL: .expiredLink
        default: .backoff
        }
    }
}
