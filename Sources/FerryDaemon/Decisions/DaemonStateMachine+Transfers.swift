import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A transfer resumes after bytes that an earlier attempt, or another session, has loaded.
    mutating func resumed(task id: Int64, offset: Int64, expected: Int64?, at now: Date) -> [Effect]
    {
        guard let task = running[id], task.phase == .loading else { return [] }
        running[id]?.receivedByteCount = offset
        running[id]?.expectedByteCount = expected
        running[id]?.pace.goesOn(behind: offset)
        running[id]?.hasReported = true
        tellFollowers(of: id)
        // An application that made its task from resume data is notified once how much of it was used (RD-7), but not
        // about attempts that ferryd makes by itself (BG-18).
        guard task.owesResumption else { return [] }
        running[id]?.resumption = Wire.Event(
            kind: .resumed,
            task: task.record.identifier,
            offset: offset,
            expectedByteCount: expected
        )
        return tellResumption(of: id)
    }

    /// Notifies a connected application how many bytes of its resume data could be used.
    mutating func tellResumption(of id: Int64) -> [Effect] {
        guard let task = running[id], let event = task.resumption else { return [] }
        let effects = send(event, session: task.record.sessionID)
        guard !effects.isEmpty else { return [] }
        running[id]?.resumption = nil
        running[id]?.owesResumption = false
        // A later checkpoint does not mention resume data.
        guard !task.hasNewCheckpoint, var state = ByteState.decode(task.record.checkpoint) else {
            return effects
        }
        state.isFromResumeData = false
        return effects + [commit([.setCheckpoint(task: id, state.encoded)], .relaxed)]
    }

    /// A server has answered a transfer's request.
    mutating func responded(
        task id: Int64,
        response: Wire.Response,
        request: Wire.Request,
        at now: Date
    ) -> [Effect] {
        guard let task = running[id], task.phase == .loading else { return [] }
        let kept = response.bounded(to: policy.maximumHeadByteCount)
        let isCut = kept.fields.count < response.fields.count
        running[id]?.response = kept
        for line in lines(of: task, servedBy: request.url) { answeringHosts.note(line) }
        let original = Stored.request(task.record.request)
        let isReplaced = task.record.replacement != nil
        let isAnother = isReplaced || original?.url != request.url
        running[id]?.currentRequest = isAnother ? request : nil
        // A response in place of the remaining bytes does not replace the response to the bytes at hand.
        running[id]?.hasUnstoredResponse = response.status < 300 || task.receivedByteCount == 0
        running[id]?.hasUntoldResponse = true
        running[id]?.hasUntoldProgress = true
        tellFollowers(of: id, isResponse: true)
        return (isCut ? [headIsCut(response, kept, task: id)] : []) + tellProgressLater(now)
            + isThere(task, at: now, servedBy: request.url)
    }

    /// Logs that a response has more header fields than are kept.
    private func headIsCut(
        _ response: Wire.Response,
        _ kept: Wire.Response,
        task id: Int64
    ) -> Effect {
        let text = """
            the header fields of the answer have \(response.fieldByteCount) bytes: the longest \
            \(response.fields.count - kept.fields.count) of them are not kept
            """
        return .log(.notice, text, task: id)
    }

    /// A task's host has answered or sent more, or has redirected to another that did: tasks held back for its failures
    /// may start.
    private mutating func isThere(
        _ task: RunningTask,
        at now: Date,
        servedBy url: String? = nil
    ) -> [Effect] {
        guard !breaker.isEmpty else { return [] }
        let lines = lines(of: task, servedBy: url)
        guard lines.contains(where: { breaker.failureCount($0) > 0 }) else { return [] }
        for line in lines { breaker.answered(line) }
        return searchForTasks(at: now)
    }

    /// Returns a task's host, as it was when the task started, and the one that has served it.
    private func lines(of task: RunningTask, servedBy url: String?) -> [HostBreaker.Line] {
        let own = task.line ?? line(of: task.record)
        var other = own
        let served = (url ?? task.currentRequest?.url).flatMap { Origin(url: $0) }
        other.host = served?.authority ?? own.host
        return [own, other]
    }

    /// Returns the change that stores the latest response, to be committed with another change.
    mutating func storeResponse(of id: Int64) -> [Mutation] {
        guard let task = running[id], task.hasUnstoredResponse else { return [] }
        running[id]?.hasUnstoredResponse = false
        return [
            .setExchange(
                task: id,
                currentRequest: task.currentRequest.map { Stored.encode($0) },
                response: task.response.map { Stored.encode($0) }
            )
        ]
    }

    /// Returns the changes that store a task's progress, and that failed attempts no longer count if it has progressed
    /// since.
    mutating func storeProgress(of id: Int64) -> [Mutation] {
        guard let task = running[id] else { return [] }
        return storeAttempts(of: id) + [
            .setProgress(
                task: id,
                receivedByteCount: task.receivedByteCount,
                expectedByteCount: task.expectedByteCount
            )
        ]
    }

    /// Returns the change that records that failed attempts no longer count, if the store does not know.
    mutating func storeAttempts(of id: Int64) -> [Mutation] {
        guard let task = running[id], task.attempts < task.storedAttempts else { return [] }
        running[id]?.storedAttempts = task.attempts
        var failure = AttemptFailure.decode(task.record.lastError)
        failure?.mostByteCount = task.mostByteCount
        return [
            .setRetry(
                task: id,
                attempts: task.attempts,
                notBefore: nil,
                lastError: failure?.encoded
            )
        ]
    }

    /// Bytes have arrived.
    mutating func progressed(
        task id: Int64,
        received: Int64,
        expected: Int64?,
        at now: Date
    )
        -> [Effect]
    {
        guard var task = running[id], task.phase == .loading else { return [] }
        // An upload starts over each time, and would otherwise do so without a pause; so would a download whose server
        // sends the same bytes again and again.
        if received > task.mostByteCount, task.sentByteCount == nil {
            task.mostByteCount = received
            task.attempts = 0
            for follower in followings.followers(of: id) { running[follower]?.attempts = 0 }
        }
        let hasCome = received > task.receivedByteCount
        task.receivedByteCount = received
        task.expectedByteCount = expected
        task.hasReported = true
        task.hasUntoldProgress = true
        task.pace.note(task.carriedByteCount, at: now)
        running[id] = task
        tellFollowers(of: id)
        let others = !followings.isFollowed(id) ? [] : tellProgressLater(now)
        let telling =
            isProgressDue(task, at: now) ? tellProgress(of: id, at: now) : tellProgressLater(now)
        return telling + others + releaseIfTooLarge(id, at: now)
            + (hasCome ? isThere(task, at: now) : [])
    }

    /// Bytes of an upload's file have left.
    mutating func sent(task id: Int64, byteCount: Int64, at now: Date) -> [Effect] {
        guard var task = running[id], task.phase == .loading else { return [] }
        task.sentByteCount = byteCount
        task.hasReported = true
        task.hasUntoldProgress = true
        task.pace.note(task.carriedByteCount, at: now)
        running[id] = task
        return isProgressDue(task, at: now) ? tellProgress(of: id, at: now) : tellProgressLater(now)
    }

    private func isProgressDue(_ task: RunningTask, at now: Date) -> Bool {
        now.timeIntervalSince(task.progressToldAt) >= policy.progressInterval
    }

    private mutating func tellProgressLater(_ now: Date) -> [Effect] {
        let date = now.addingTimeInterval(policy.progressInterval)
        guard !progressReports.isPlanned, progressReports.plan(at: date) else { return [] }
        return [.setTimer(.progress, date)]
    }

    /// The progress timer is due.
    mutating func tellProgress(at now: Date) -> [Effect] {
        progressReports.forget()
        var effects: [Effect] = []
        var isLeft = false
        for (id, task) in running.sorted(by: { $0.key < $1.key }) where task.hasUntoldProgress {
            if isProgressDue(task, at: now) {
                effects += tellProgress(of: id, at: now)
            } else {
                isLeft = true
            }
        }
        return isLeft ? effects + tellProgressLater(now) : effects
    }

    private mutating func tellProgress(of id: Int64, at now: Date) -> [Effect] {
        guard var task = running[id], task.hasUntoldProgress else { return [] }
        let tellsResponse = task.hasUntoldResponse
        task.hasUntoldResponse = false
        task.hasUntoldProgress = false
        task.progressToldAt = now
        running[id] = task
        let events = (tellsResponse ? [response(of: task)] : []) + [progress(of: task)]
        // An application that was notified of a response gets the same one again, even if this process dies.
        let mutations = tellsResponse ? storeResponse(of: id) : []
        return (mutations.isEmpty ? [] : [commit(mutations, .relaxed)]) + [.changed(task: id)]
            + events.flatMap { send($0, session: task.record.sessionID) }
    }

    func response(of task: RunningTask) -> Wire.Event {
        Wire.Event(
            kind: .response,
            task: task.record.identifier,
            response: task.response,
            request: task.currentRequest,
            expectedByteCount: task.expectedByteCount
        )
    }

    func progress(of task: RunningTask) -> Wire.Event {
        Wire.Event(
            kind: .progress,
            task: task.record.identifier,
            receivedByteCount: task.receivedByteCount,
            expectedByteCount: task.expectedByteCount,
            sentByteCount: task.sentByteCount
        )
    }

    /// A part of a file has reached the disk.
    mutating func checkpointed(task id: Int64, _ checkpoint: [UInt8]) -> [Effect] {
        guard running[id]?.phase == .loading else { return [] }
        running[id]?.hasNewCheckpoint = true
        let progress = storeResponse(of: id) + storeProgress(of: id)
        return [commit(progress + [.setCheckpoint(task: id, checkpoint)])]
    }

    /// A transfer has loaded its whole body, and the file is on the disk.
    mutating func finished(
        task id: Int64,
        byteCount: Int64,
        path: String,
        at now: Date
    )
        -> [Effect]
    {
        guard running[id]?.phase == .loading else { return [] }
        running[id]?.receivedByteCount = byteCount
        running[id]?.expectedByteCount = byteCount
        // The end reports everything.
        running[id]?.hasUntoldProgress = false
        running[id]?.phase = .finishing
        guard !endings.contains(id) else { return [] }
        // The next task may load while copies are made and the store is at work.
        if let copies = shareFile(of: id, byteCount: byteCount, path: path, at: now) {
            return copies + vacate(task: id, at: now)
        }
        endings.begin(id)
        return storeEnd(of: id, byteCount: byteCount, path: path, at: now)
            + vacate(task: id, at: now)
    }

    /// Stores the end of a task whose file is complete.
    mutating func storeEnd(
        of id: Int64,
        byteCount: Int64,
        path: String,
        at now: Date
    ) -> [Effect] {
        // A daemon that was asked to stop no longer knows the task, and finds the file next time.
        guard let task = running[id] else { return [] }
        let finished = Wire.Event(
            kind: .finished,
            task: task.record.identifier,
            response: task.response,
            request: task.currentRequest,
            receivedByteCount: byteCount,
            expectedByteCount: byteCount,
            sentByteCount: task.sentByteCount,
            path: path
        )
        let completed = Wire.Event(
            kind: .completed,
            task: task.record.identifier,
            receivedByteCount: byteCount,
            expectedByteCount: byteCount,
            sentByteCount: task.sentByteCount,
            metrics: metrics(of: task.record, task, at: now)
        )
        return [
            .log(.info, "finished, \(byteCount) bytes", task: id),
            commit(
                forgetting(task.record) + storeResponse(of: id) + [
                    .setProgress(
                        task: id,
                        receivedByteCount: byteCount,
                        expectedByteCount: byteCount
                    ),
                    .completeTask(
                        .id(id),
                        [Stored.event(finished), Stored.event(completed)],
                        at: now
                    ),
                ],
                then: .ended(task: id, Ending(), resumeData: nil)
            ),
        ]
    }

    /// Removes the failure of an earlier attempt, which would be taken for the reason of the end.
    private func forgetting(_ task: TaskRecord) -> [Mutation] {
        guard task.lastError != nil else { return [] }
        return [
            .setRetry(task: task.id, attempts: task.attempts, notBefore: nil, lastError: nil)
        ]
    }

    /// A transfer has failed; it is retried, or its task ends.
    mutating func failed(task id: Int64, _ error: TransferError, at now: Date) -> [Effect] {
        guard let task = running[id], task.phase == .loading else { return [] }
        let failure = Wire.Failure(code: error.code.rawValue, message: error.message)
        if error.code == .linkExpired { return linkExpired(task, at: now) }
        if error.code == .clientCertificateRejected {
            sessions[task.record.sessionID]?.keptAnswers.forgetIdentities()
        }
        // Without a network, it does not count as an attempt.
        let isWithoutNetwork = error.code.isOfNetwork && isUnreachable(task.record)
        let failed = failedLine(of: task, error)
        // The host has answered, although it cannot serve.
        if error.code == .serverUnavailable { answeringHosts.note(failed) }
        let hasAnswered =
            task.hasBeenAnswered || answeringHosts.contains(failed) || !isAwaited(task)
        let decision = decision(
            after: error,
            failureCount: isWithoutNetwork ? 0 : task.attempts + 1,
            hasAnswered: hasAnswered,
            by: task.options?.retry
        )
        switch decision {
        case .isFinal:
            running[id]?.phase = .ending
            return end(task.record, Ending(failure: failure, producesResumeData: true), at: now)
        case .retry(let delay):
            running[id]?.phase = .backingOff
            let attempt = AttemptFailure(
                error,
                after: .decode(task.record.lastError),
                mostByteCount: task.mostByteCount
            )
            if isWithoutNetwork {
                return backOff(
                    task,
                    attempt,
                    attempts: task.attempts,
                    until: TaskRecord.networkWait,
                    at: now
                )
            }
            noteFailure(of: task, at: failed, error, delay: delay.inSeconds, at: now)
            return liftUnansweredLimit(of: task)
                + endFollowers(of: id, error, hasAnswered: hasAnswered, at: now)
                + backOff(
                    task,
                    attempt,
                    attempts: task.attempts + 1,
                    until: now.addingTimeInterval(delay.inSeconds),
                    at: now
                ) + note(notBefore: breaker.earliestEnd(at: now))
        }
    }

    /// Ends the followers that cannot retry after a task's failure: its attempts are also theirs.
    private mutating func endFollowers(
        of id: Int64,
        _ error: TransferError,
        hasAnswered: Bool,
        at now: Date
    ) -> [Effect] {
        let failure = Wire.Failure(code: error.code.rawValue, message: error.message)
        var effects: [Effect] = []
        for follower in followings.followers(of: id) {
            guard let task = running[follower],
                case .isFinal = decision(
                    after: error,
                    failureCount: task.attempts + 1,
                    hasAnswered: hasAnswered,
                    by: task.options?.retry
                )
            else { continue }
            leave(id, follower)
            running[follower]?.leader = nil
            running[follower]?.phase = .ending
            effects += end(
                task.record,
                Ending(failure: failure, producesResumeData: true),
                at: now
            )
        }
        return effects
    }

    /// Whether a program has a task's session open.
    private func isAwaited(_ task: RunningTask) -> Bool {
        sessions[task.record.sessionID]?.attachment != nil
    }

    /// Permanently lifts the limit that keeps a waiting client from waiting long: no client waits now, and one that
    /// connects later must not end the task by that.
    private mutating func liftUnansweredLimit(of task: RunningTask) -> [Effect] {
        guard !isAwaited(task), var options = task.options,
            options.retry?.maximumUnansweredAttempts != nil
        else { return [] }
        options.retry?.maximumUnansweredAttempts = nil
        running[task.record.id]?.options = options
        let setting = TaskSetting.options(options)
        return [commit([setting.mutation(of: .id(task.record.id))], .relaxed)]
    }

    /// Returns the host that has failed, which may be another than the task's.
    private func failedLine(of task: RunningTask, _ error: TransferError) -> HostBreaker.Line {
        var failed = task.line ?? line(of: task.record)
        if let url = error.failingURL, let host = Origin(url: url)?.authority { failed.host = host }
        return failed
    }

    /// Records that a host has not answered, as it may fail an application's other tasks as well.
    private mutating func noteFailure(
        of task: RunningTask,
        at failed: HostBreaker.Line,
        _ error: TransferError,
        delay: Double,
        at now: Date
    ) {
        guard error.code.isOfHost, task.response == nil || error.code == .serverUnavailable else {
            return
        }
        let isAsked = error.code == .serverUnavailable && error.retryAfter ?? 0 > 0
        // A delay that one application or one resource asks for does not apply to the whole host.
        let longest = policy.retry.maximumDelay.inSeconds
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

    /// Decides whether and when something that has failed so many times in a row is retried.
    mutating func decision(
        after error: TransferError,
        failureCount: Int,
        hasAnswered: Bool = true,
        by rules: Wire.RetryRules? = nil
    ) -> RetryPolicy.Decision {
        // A disk that is full now may have room later; giving up would lose what is loaded.
        if error.code == .diskFull { return .retry(after: .seconds(policy.diskFullDelay)) }
        let retry = policy.retry.applying(rules)
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
        until date: Date,
        at now: Date
    ) -> [Effect] {
        let id = task.record.id
        // Its followers retry together with it: it has the bytes.
        let others = followings.removeAll(from: id).compactMap { running[$0] }
        let waits = others.flatMap { other in
            running[other.record.id]?.phase = .backingOff
            running[other.record.id]?.leader = nil
            var other = other
            other.receivedByteCount = other.record.receivedByteCount
            other.expectedByteCount = other.record.expectedByteCount
            let count = other.attempts + (attempts - task.attempts)
            var failure = failure
            // The bytes are not the follower's own: it has to start with none if the leader leaves.
            failure.mostByteCount = other.mostByteCount
            return backOff(other, failure, attempts: count, until: date, at: now)
        }
        let delay = Duration.seconds(date.timeIntervalSince(now))
        let isWithoutNetwork = date == TaskRecord.networkWait
        let next = isWithoutNetwork ? "when there is a network" : "in \(delay.formattedInSeconds)"
        running[id]?.failure = failure
        running[id]?.notBefore = date
        return [
            .log(.notice, "attempt failed, next \(next): \(failure.message)", task: id),
            .changed(task: id),
            commit(
                storeResponse(of: id) + storeLoss(of: id) + [
                    .setRetry(
                        task: id,
                        attempts: attempts,
                        notBefore: date,
                        lastError: failure.encoded
                    ),
                    .setProgress(
                        task: id,
                        receivedByteCount: task.receivedByteCount,
                        expectedByteCount: task.expectedByteCount
                    ),
                ],
                .relaxed,
                then: .backedOff(task: id)
            ),
        ] + waits
    }

    /// A failed attempt is in the store: its place goes to another task.
    mutating func backedOff(task id: Int64, at now: Date) -> [Effect] {
        guard let task = running[id], task.phase == .backingOff else { return [] }
        let wait = task.notBefore == TaskRecord.networkWait ? endPastNetworkWait() : []
        return stop(task: id, at: now) + wait + [.changed(task: id)] + searchForTasks(at: now)
    }

    /// Examines the tasks that a commit has changed.
    mutating func changed(_ changes: [TaskChange], at now: Date) -> [Effect] {
        var effects: [Effect] = []
        for change in changes {
            readings.note(change.id)
            effects.append(.changed(task: change.id))
            effects += note(deadline: change.deadline)
            if running[change.id]?.phase == .asking {
                // Its application is asked again, or the task begins, when it is found again.
                effects += stop(task: change.id, at: now)
            } else if change.to != .waiting, running[change.id]?.phase == .following {
                effects += stop(task: change.id, at: now)
            } else if change.to != .waiting, running[change.id]?.phase == .loading {
                let progress = storeResponse(of: change.id) + storeProgress(of: change.id)
                effects += stop(task: change.id, at: now)
                effects.append(commit(progress, .relaxed))
            }
            effects += recount(change.sessionID)
        }
        return effects + searchForTasks(at: now)
    }
}
