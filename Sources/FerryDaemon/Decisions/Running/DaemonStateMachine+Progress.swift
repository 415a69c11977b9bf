import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    // MARK: Reports of a transfer

    /// A transfer resumes after bytes that an earlier attempt, or another session, has loaded.
    mutating func resumed(task id: TaskID, offset: Int64, expected: Int64?) {
        guard running[id]?.phase == .loading else { return }
        running.update(id) { $0.resume(behind: offset, of: expected) }
        notifyFollowers(of: id)
        notifyResumption(of: id)
    }

    /// A server has answered a transfer's request.
    mutating func responded(task id: TaskID, response: Wire.Response, request: Wire.Request) {
        guard let task = running[id], task.phase == .loading else { return }
        let kept = response.bounded(to: policy.maximumHeadByteCount)
        let isCut = kept.fields.count < response.fields.count
        running.update(id) { $0.answered(kept, to: request) }
        recordAnswer(to: task, servedBy: request.url)
        // Before they are told of it, and by all of its fields.
        if response.isForOneRequest { loadAlone(insteadOfFollowing: id) }
        notifyFollowers(of: id, isResponse: true)
        if isCut { headIsCut(response, kept, task: id) }
        notifyProgressLater()
        isThere(task, servedBy: request.url)
    }

    /// Logs that a response has more header fields than are kept.
    private mutating func headIsCut(
        _ response: Wire.Response,
        _ kept: Wire.Response,
        task id: TaskID
    ) {
        let text = """
            the header fields of the answer have \(response.fieldByteCount) bytes: the longest \
            \(response.fields.count - kept.fields.count) of them are not kept
            """
        turn.add(.log(.notice, text, task: id))
    }

    /// Bytes have arrived.
    mutating func progressed(
        task id: TaskID,
        received: Int64,
        expected: Int64?,
        coded: CodedProgress? = nil
    ) {
        guard let task = running[id], task.phase == .loading else { return }
        running.update(id) { [now] in $0.received(received, of: expected, coded: coded, at: now) }
        if task.isFurther(received) {
            for follower in followings.followers(of: id) {
                running.update(follower) { $0.forgiveAttempts() }
            }
        }
        notifyFollowers(of: id)
        if isProgressDue(task, at: now) { notifyProgress(of: id) } else { notifyProgressLater() }
        if followings.isFollowed(id) { notifyProgressLater() }
        releaseIfTooLarge(id)
        if received > task.receivedByteCount { isThere(task) }
    }

    /// Bytes of an upload's file have left.
    mutating func sent(task id: TaskID, byteCount: Int64) {
        guard let task = running[id], task.phase == .loading else { return }
        running.update(id) { [now] in $0.sent(byteCount, at: now) }
        // An upload that its server had completely is sent again, such as to another address.
        if byteCount < task.sentByteCount ?? 0, running[id].map(isForbidden) == true {
            return halt(forConditions: task)
        }
        if isProgressDue(task, at: now) {
            notifyProgress(of: id)
        } else {
            notifyProgressLater()
        }
    }

    /// A part of a file has reached the disk.
    mutating func checkpointed(task id: TaskID, _ checkpoint: Encoded<ByteState>) {
        guard running[id]?.phase == .loading else { return }
        running.update(id) { $0.checkpointed() }
        let progress = storeResponse(of: id) + storeProgress(of: id)
        commit(progress + [.setCheckpoint(task: id, checkpoint)])
    }

    // MARK: Notifying an application

    /// Notifies a connected application how many bytes of its resume data could be used.
    mutating func notifyResumption(of id: TaskID) {
        guard let task = running[id], let event = task.resumption else { return }
        guard send(event, session: task.record.sessionID) else { return }
        running.update(id) { $0.reportedResumption() }
        // A later checkpoint does not mention resume data.
        guard !task.hasNewCheckpoint, var state = task.record.checkpoint?.value else {
            return
        }
        state.isFromResumeData = false
        commit([.setCheckpoint(task: id, Encoded(state))], .relaxed)
    }

    private func isProgressDue(_ task: RunningTask, at now: Date) -> Bool {
        now.timeIntervalSince(task.progressReportedAt) >= policy.progressInterval
    }

    private mutating func notifyProgressLater() {
        let date = now.addingTimeInterval(policy.progressInterval)
        guard !progressReports.isPlanned, progressReports.plan(at: date) else { return }
        turn.add(.setTimer(.progress, date))
    }

    /// The progress timer is due.
    mutating func notifyProgress() {
        progressReports.forget()

        var isLeft = false
        for task in running.sorted(where: \.hasUnreportedProgress) {
            if isProgressDue(task, at: now) {
                notifyProgress(of: task.record.id)
            } else {
                isLeft = true
            }
        }
        if isLeft { notifyProgressLater() }
    }

    private mutating func notifyProgress(of id: TaskID) {
        guard let task = running[id], task.hasUnreportedProgress else { return }
        let reportsResponse = task.hasUnreportedResponse
        running.update(id) { [now] in $0.reportedProgress(at: now) }
        let events = (reportsResponse ? [response(of: task)] : []) + [progress(of: task)]
        // An application that was notified of a response gets the same one again, even if this process dies.
        let mutations = reportsResponse ? storeResponse(of: id) : []
        if !mutations.isEmpty { commit(mutations, .relaxed) }
        turn.add(.changed(task: id))
        for event in events { send(event, session: task.record.sessionID) }
    }

    func response(of task: RunningTask) -> Wire.Event {
        Wire.Event(
            kind: .response,
            task: task.record.identifier,
            response: task.response.map { Encoded($0) },
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
            sentByteCount: task.sentByteCount,
            codedByteCount: task.coded?.receivedByteCount,
            expectedCodedByteCount: task.coded?.totalByteCount
        )
    }

    // MARK: Storing it

    /// Returns the change that stores the latest response, to be committed with another change.
    mutating func storeResponse(of id: TaskID) -> [Mutation] {
        running.update(id) { $0.takeResponse() } ?? []
    }

    /// Returns the changes that store a task's progress, and that failed attempts no longer count if it has progressed
    /// since.
    mutating func storeProgress(of id: TaskID) -> [Mutation] {
        running.update(id) { task in
            task.takeAttempts() + [
                .setProgress(
                    task: id,
                    receivedByteCount: task.receivedByteCount,
                    expectedByteCount: task.expectedByteCount
                )
            ]
        } ?? []
    }

    /// Returns the change that records that failed attempts no longer count, if the store does not know.
    mutating func storeAttempts(of id: TaskID) -> [Mutation] {
        running.update(id) { $0.takeAttempts() } ?? []
    }
}

extension DaemonStateMachine {
    /// A request of a transfer has ended.
    mutating func collected(task id: TaskID, _ transaction: LoadTransaction) {
        guard let task = running[id],
            sessions[task.record.sessionID]?.configuration.collectsMetrics == true
        else { return }
        running.update(id) { $0.collect(transaction) }
    }

    /// Returns the metrics of a task; `nil` if its application does not collect them.
    ///
    /// Earlier attempts are not included.
    func metrics(of record: TaskRecord, _ task: RunningTask?, at now: Date) -> Wire.TaskMetrics? {
        guard sessions[record.sessionID]?.configuration.collectsMetrics == true else { return nil }
        let all = task?.transactions ?? []
        let redirectCount = all.count { ($0.response?.isRedirect ?? false) }
        return Wire.TaskMetrics(
            started: clock.wall(at: record.createdAt),
            ended: clock.wall(at: max(now, record.createdAt)),
            redirectCount: all.last?.response?.isRedirect == true
                ? redirectCount - 1 : redirectCount,
            transactions: all.enumerated().map { index, transaction in
                Wire.Transaction(transaction, isLast: index == all.count - 1)
            }
        )
    }
}

extension HTTPResponseHead {
    /// Whether the response is a redirect, which another request has followed unless it was the final response.
    fileprivate var isRedirect: Bool {
        (300..<400).contains(status) && fields.first(named: "Location") != nil
    }
}
