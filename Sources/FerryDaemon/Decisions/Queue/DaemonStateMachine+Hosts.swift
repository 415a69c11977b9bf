import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

// Applications back off for a while from a host that has failed for them repeatedly.
extension DaemonStateMachine {
    // MARK: Queries

    /// Returns the sessions whose applications back off from a host, by the host.
    func sessionsBackingOffHosts(at now: Date) -> [String: Set<SessionID>] {
        let lines = breaker.limits(at: now).keys.filter { isBackedOff($0, at: now) }
        return lines.reduce(into: [:]) { excluded, line in
            let own = sessions.values.filter {
                $0.applicationID == line.application && $0.ownConnections == line.connections
            }
            excluded[line.host, default: []].formUnion(own.map(\.id))
        }
    }

    /// Returns a task's host, as its session sees it.
    func line(of task: TaskRecord) -> HostBreaker.Line {
        HostBreaker.Line(
            application: application(of: task),
            host: task.host,
            connections: sessions[task.sessionID]?.ownConnections
        )
    }

    /// Returns whether a host has failed repeatedly, so that no more requests are sent to it for a while.
    func isBackedOff(_ line: HostBreaker.Line, at now: Date) -> Bool {
        breaker.limit(line, at: now).map {
            slots(of: line) >= $0
        } ?? false
    }

    private func slots(of line: HostBreaker.Line) -> Int {
        running.budget.slots(of: line.application, host: line.host) { session in
            sessions[session]?.ownConnections == line.connections
        }
    }

    // MARK: Answers

    /// A task's host has answered, or has redirected to another that did.
    mutating func recordAnswer(to task: RunningTask, servedBy url: String) {
        for line in lines(of: task, servedBy: url) { answeringHosts.record(line) }
    }

    /// A task's host has answered or sent more, or has redirected to another that did: tasks held back for its failures
    /// may start.
    mutating func isThere(_ task: RunningTask, servedBy url: String? = nil) {
        guard !breaker.isEmpty else { return }
        let lines = lines(of: task, servedBy: url)
        guard lines.contains(where: { breaker.failureCount($0) > 0 }) else { return }
        for line in lines { breaker.answered(line) }
    }

    /// Returns a task's host, as it was when the task started, and the one that has served it, if that is another.
    private func lines(of task: RunningTask, servedBy url: String?) -> [HostBreaker.Line] {
        let own = task.line ?? line(of: task.record)
        let (record, request) = (task.record, task.request)
        let isOwn = record.link == nil && record.delay == nil && url == request?.url
        guard !isOwn, let served = url ?? task.currentRequest?.url,
            let host = Origin(url: served)?.authority, host != own.host
        else { return [own] }
        var other = own
        other.host = host
        return [own, other]
    }

    // MARK: Failures

    /// Returns the host that has failed, which may be another than the task's.
    func failedLine(of task: RunningTask, _ error: TransferError) -> HostBreaker.Line {
        var failed = task.line ?? line(of: task.record)
        if let url = error.failingURL, let host = Origin(url: url)?.authority { failed.host = host }
        return failed
    }

    /// Records that a host has not answered, as it may fail an application's other tasks as well.
    mutating func recordFailure(
        of task: RunningTask,
        at failed: HostBreaker.Line,
        _ error: TransferError,
        delay: Double,
        at now: Date
    ) {
        guard error.code.isOfHost, task.response == nil || error.code == .serverUnavailable else {
            return
        }
        let hasAnswered = error.code == .serverUnavailable
        let isAsked = hasAnswered && error.retryAfter ?? 0 > 0
        // A delay that one application or one resource asks for does not apply to the whole host. A server that is not
        // available, and does not say for how long, may be so for one file only.
        let longest = hasAnswered && !isAsked ? 1 : policy.retry.maximumDelay.inSeconds
        let own = task.line ?? line(of: task.record)
        // A host that has redirected to another has answered.
        if failed != own { breaker.answered(own) }
        breaker.failed(
            failed,
            delay: min(delay, longest),
            isAsked: isAsked,
            at: now
        )
    }
}
