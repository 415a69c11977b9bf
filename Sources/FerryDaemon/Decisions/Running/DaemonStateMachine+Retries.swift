import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A transfer has failed; it is retried, or its task ends.
    ///
    /// - Parameters:
    ///   - id: The task.
    ///   - error: The failure.
    mutating func failed(task id: TaskID, _ error: TransferError) {
        guard let task = running[id], task.phase == .loading else { return }
        let failure = Wire.Failure(error)
        if error.code == .linkExpired, linkExpired(task) { return }
        if error.code == .clientCertificateRejected {
            sessions.update(task.record.sessionID) { $0.forgetIdentities() }
        }
        // Without a network, it does not count as an attempt.
        let isWithoutNetwork = error.code.isOfNetwork && isUnreachable(task.record)
        let failed = failedLine(of: task, error)
        // The host has answered, although it cannot serve.
        if error.code == .serverUnavailable { answeringHosts.record(failed) }
        let hasAnswered =
            task.hasBeenAnswered || answeringHosts.contains(failed) || !isAwaited(task)
        let decision = decision(
            after: error,
            failureCount: isWithoutNetwork ? 0 : task.attempts + 1,
            hasAnswered: hasAnswered,
            by: task.options
        )
        switch decision {
        case .isFinal:
            running.update(id) { $0.end() }
            end(task.record, Ending(failure: failure, producesResumeData: true))
        case .retry(let delay):
            running.update(id) { $0.backOff() }
            let attempt = AttemptFailure(
                error,
                after: task.record.lastError?.value,
                mostByteCount: task.mostByteCount
            )
            if isWithoutNetwork {
                backOff(
                    task,
                    attempt,
                    attempts: task.attempts,
                    until: TaskRecord.networkWait
                )
                return
            }
            recordFailure(of: task, at: failed, error, delay: delay.inSeconds, at: now)
            liftUnansweredLimit(of: task)
            endFollowers(of: id, error, hasAnswered: hasAnswered)
            backOff(
                task,
                attempt,
                attempts: task.attempts + 1,
                until: now.addingTimeInterval(delay.inSeconds)
            )
            record(notBefore: breaker.earliestEnd(at: now))
        }
    }

    /// Ends the followers that cannot retry after a task's failure: its attempts are also theirs.
    private mutating func endFollowers(of id: TaskID, _ error: TransferError, hasAnswered: Bool) {
        let failure = Wire.Failure(error)

        for follower in followings.followers(of: id) {
            guard let task = running[follower],
                case .isFinal = decision(
                    after: error,
                    failureCount: task.attempts + 1,
                    hasAnswered: hasAnswered,
                    by: task.options
                )
            else { continue }
            leave(id, follower)
            running.update(follower) { $0.end() }
            end(
                task.record,
                Ending(failure: failure, producesResumeData: true)
            )
        }
    }

    /// Whether a program has a task's session open.
    private func isAwaited(_ task: RunningTask) -> Bool {
        sessions[task.record.sessionID]?.attachment != nil
    }

    /// Permanently lifts the limit that keeps a waiting client from waiting long: no client waits now, and one that
    /// connects later must not end the task by that.
    private mutating func liftUnansweredLimit(of task: RunningTask) {
        guard !isAwaited(task), var options = task.options,
            options.retry?.maximumUnansweredAttempts != nil
        else { return }
        options.retry?.maximumUnansweredAttempts = nil
        running.update(task.record.id) { $0.set(options) }
        let key = TaskKey.id(task.record.id)
        commit([.setOptions(key, Encoded(options))], .relaxed)
    }

    /// Decides whether and when something that has failed so many times in a row is retried.
    mutating func decision(
        after error: TransferError,
        failureCount: Int,
        hasAnswered: Bool = true,
        by options: Wire.TransferOptions? = nil
    ) -> RetryPolicy.Decision {
        // A disk that is full now may have room later; giving up would lose what is loaded.
        if error.code == .diskFull { return .retry(after: .seconds(policy.diskFullDelay)) }
        var retry = policy.retry.applying(options?.retry)
        retry.holdsExpiredLinks = options?.holdsExpiredLinks ?? false
        return retry.decision(
            for: error,
            failureCount: failureCount,
            hasAnswered: hasAnswered,
            using: &random
        )
    }

    private mutating func backOff(
        _ task: RunningTask,
        _ failure: AttemptFailure,
        attempts: Int,
        until date: Date
    ) {
        let id = task.record.id
        // Its followers retry together with it: it has the bytes.
        let others = followings.removeAll(from: id).compactMap { running[$0] }
        let delay = Duration.seconds(date.timeIntervalSince(now))
        let isWithoutNetwork = date == TaskRecord.networkWait
        let next = isWithoutNetwork ? "when there is a network" : "in \(delay.formattedInSeconds)"
        let isExpired = failure.errorCode == .linkExpired
        let text =
            isExpired
            ? "link expired; ferry relink URL \(id); asked again \(next): \(failure.message)"
            : "attempt failed, next \(next): \(failure.message)"
        running.update(id) { $0.failed(failure, retryingAt: date) }
        turn.add(.log(.notice, text, task: id))
        turn.add(.changed(task: id))
        commit(
            storeResponse(of: id) + storeLoss(of: id) + [
                .setRetry(
                    task: id,
                    attempts: attempts,
                    notBefore: date,
                    lastError: Encoded(failure)
                ),
                .setProgress(
                    task: id,
                    receivedByteCount: task.receivedByteCount,
                    expectedByteCount: task.expectedByteCount
                ),
            ],
            .relaxed,
            then: .backedOff(task: id)
        )
        for other in others {
            running.update(other.record.id) { $0.backOff() }
            let count = other.attempts + (attempts - task.attempts)
            var failure = failure
            // The bytes are not the follower's own: it has to start with none if the leader leaves.
            failure.mostByteCount = other.mostByteCount
            backOff(other.withOwnBytes(), failure, attempts: count, until: date)
        }
    }

    /// A failed attempt is in the store: its slot goes to another task.
    mutating func backedOff(task id: TaskID) {
        guard let task = running[id], task.phase == .backingOff else { return }
        stop(task: id)
        if task.notBefore == TaskRecord.networkWait { endPastNetworkWait() }
        turn.add(.changed(task: id))
    }
}
