import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// What keeps a waiting task from starting, whatever other transfers there are.
    enum Obstacle: Hashable, Sendable {
        /// No route leads off this machine.
        case noNetwork
        /// The machine is, or may be, in one of these conditions, all of which the task avoids.
        case conditions(Conditions)
        /// Its application backs off from its host.
        case failingHost(HostBreaker.Line)
    }

    /// Returns what keeps a task from starting; `nil` if nothing does but other transfers.
    func obstacle(to task: TaskRecord, at now: Date) -> Obstacle? {
        if isUnreachable(task) { return .noNetwork }
        let avoided = avoided(by: task)
        guard watch.allows(avoided) else { return .conditions(avoided) }
        let line = line(of: task)
        return isBackedOff(line, at: now) ? .failingHost(line) : nil
    }

    /// Returns whether a task waits for nothing that not all tasks of its queue wait for.
    func waitsForTurn(_ task: TaskRecord, at now: Date) -> Bool {
        task.state == .waiting && task.notBefore == nil && running[task.id] == nil
            && network.allowsAttempts && preemptionWait(of: task.id, at: now) == nil
    }

    /// What the tasks of each queue wait for.
    struct QueueWaits {
        /// The tasks of a session from a host that do not run under the same conditions.
        private struct Queue: Hashable {
            let session: SessionID
            let host: String
            let avoids: Conditions?
        }

        private var waits: [Queue: Encoded<Wire.Wait>] = [:]

        /// Returns what a task waits for; calls `find` for the first one of its queue.
        mutating func wait(
            of task: TaskRecord,
            _ find: () -> Encoded<Wire.Wait>?
        ) -> Encoded<Wire.Wait>? {
            let queue = Queue(session: task.sessionID, host: task.host, avoids: task.avoids)
            if let known = waits[queue] { return known }
            waits[queue] = find()
            return waits[queue]
        }
    }

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
                reason: .ofFailure(failure.errorCode),
                until: until,
                detail: failure.message
            )
        }
        let obstacle = obstacle(to: task, at: now)
        if obstacle == .noNetwork || task.notBefore == TaskRecord.networkWait {
            return Wire.Wait(reason: .network, detail: "no route leads off this machine")
        }
        if let until = task.notBefore, until > now {
            if task.attempts == 0, task.delay?.value?.date != nil {
                return Wire.Wait(reason: .earliestBegin, until: until)
            }
            let failure = task.lastError?.value
            return Wire.Wait(
                reason: .ofFailure(failure?.errorCode),
                until: until,
                detail: failure?.message
            )
        }
        switch obstacle {
        case .conditions(let avoided): return conditionWait(avoiding: avoided, at: now)
        case .failingHost(let line): return hostFailure(of: line, at: now)
        case .noNetwork, nil: break
        }
        if let wait = preemptionWait(of: task.id, at: now) { return wait }
        guard sleep.allowsStarts else { return Wire.Wait(reason: .machineSleep) }
        return limit(of: task) ?? Wire.Wait(reason: .starting)
    }

    /// Returns the wait for a host from which an application backs off.
    private func hostFailure(of line: HostBreaker.Line, at now: Date) -> Wire.Wait {
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
        if isFull(task.sessionID) {
            let count = running.count(of: task.sessionID)
            return Wire.Wait(
                reason: .connectionLimit,
                detail: "its session has \(count) transfers, its limit"
            )
        }
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
            let count = running.budget.slots(of: application, host: task.host)
            return Wire.Wait(
                reason: .hostLimit,
                detail: """
                    \(task.host) has \(policy.maximumTransfersPerHost) transfers, the limit; \
                    \(count) of them its application's
                    """
            )
        }
        guard running.budget.free == 0 else { return nil }
        let count = running.budget.slots(of: application)
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
    /// The reason why a task waits after a failure with this code.
    fileprivate static func ofFailure(_ code: TransferError.Code?) -> Self {
        switch code {
        case .diskFull: .diskSpace
        case .linkExpired, .badURL, .unsupportedURL: .expiredLink
        default: .backoff
        }
    }
}
