import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

// What clients, persons and the transfers are told.
extension DaemonStateMachine {
    // MARK: Tasks

    /// Returns a task for a client, from its record in the store and the state of its transfer.
    func presentation(of record: TaskRecord, at now: Date) -> Wire.Task {
        let running = running[record.id]
        let end = record.event?.value
        return Wire.Task(
            id: record.id.rawValue,
            application: applicationName(of: record),
            session: sessions[record.sessionID]?.identifier ?? "",
            identifier: record.identifier,
            state: state(of: record),
            description: record.description,
            priority: record.priority,
            originalRequest: record.request.sendable ?? Encoded(.unreadable),
            currentRequest: currentRequest(of: record, running, end),
            response: response(of: record, running, end),
            receivedByteCount: running?.receivedByteCount ?? record.receivedByteCount,
            expectedByteCount: running?.expectedByteCount ?? record.expectedByteCount,
            upload: upload(of: record, sentByteCount: running?.sentByteCount),
            wait: presentedWait(of: record, at: now),
            failure: failure(of: record, running),
            attempts: running?.attempts ?? record.attempts,
            created: clock.wall(at: record.createdAt),
            earliestBegin: record.delay?.value?.date,
            options: record.validOptions,
            link: record.replacement?.url,
            bytesPerSecond: bytesPerSecond(of: running, at: now)
        )
    }

    /// Returns what a list shows of a task; `waits` are those of the tasks before it.
    func summary(
        of record: TaskRecord,
        at now: Date,
        _ waits: inout QueueWaits
    ) -> Wire.TaskSummary {
        let running = running[record.id]
        let end = record.event?.value
        let response = response(of: record, running, end)?.value
        return Wire.TaskSummary(
            id: record.id.rawValue,
            application: applicationName(of: record),
            state: state(of: record),
            description: record.description,
            url: record.request.url ?? "",
            link: record.replacement?.url,
            status: response?.status,
            disposition: response?.fields.first(named: "Content-Disposition"),
            receivedByteCount: running?.receivedByteCount ?? record.receivedByteCount,
            expectedByteCount: running?.expectedByteCount ?? record.expectedByteCount,
            upload: upload(of: record, sentByteCount: running?.sentByteCount),
            wait: presentedWait(of: record, at: now, &waits),
            failure: failure(of: record, running),
            bytesPerSecond: bytesPerSecond(of: running, at: now),
            acceptsInvalidCertificates: record.validOptions?.acceptsInvalidCertificates
        )
    }

    /// Returns the state of a task that a client sees.
    func state(of record: TaskRecord) -> Wire.TaskState {
        let isLoading = record.state == .waiting && running[record.id]?.isActive ?? false
        return isLoading ? .running : record.state.presented
    }

    private func applicationName(of record: TaskRecord) -> String {
        applications[application(of: record)]?.record.identifier ?? ""
    }

    private func response(
        of record: TaskRecord,
        _ running: RunningTask?,
        _ end: Wire.Event?
    ) -> Encoded<Wire.Response>? {
        running?.response.map { Encoded($0) } ?? record.response?.sendable
            ?? end?.response
    }

    private func failure(of record: TaskRecord, _ running: RunningTask?) -> Wire.Failure? {
        (running?.failure ?? record.lastError?.value)?.failure
    }

    private func bytesPerSecond(of running: RunningTask?, at now: Date) -> Int? {
        running.flatMap { $0.isActive ? $0.speed.bytesPerSecond(at: now) : nil }
    }

    /// Returns the request that a task has come to, if it is another one than its own.
    private func currentRequest(
        of record: TaskRecord,
        _ running: RunningTask?,
        _ end: Wire.Event?
    ) -> Encoded<Wire.Request>? {
        if running?.currentRequest == nil, let stored = record.currentRequest?.sendable {
            return stored
        }
        let request =
            running?.currentRequest ?? end?.request ?? record.delay?.value?.request
        return request.map { Encoded($0) }
    }

    /// Returns why a task waits, with dates in the time of day.
    private func presentedWait(of record: TaskRecord, at now: Date) -> Wire.Wait? {
        guard var wait = wait(of: record, at: now) else { return nil }
        if let until = wait.until { wait.until = clock.wall(at: until) }
        return wait
    }

    /// Returns why a task waits; what the tasks of a queue wait for is found once.
    private func presentedWait(
        of record: TaskRecord,
        at now: Date,
        _ waits: inout QueueWaits
    ) -> Encoded<Wire.Wait>? {
        func wait() -> Encoded<Wire.Wait>? {
            presentedWait(of: record, at: now).map { Encoded($0) }
        }
        return waitsForTurn(record, at: now) ? waits.wait(of: record, wait) : wait()
    }

    private func upload(of record: TaskRecord, sentByteCount: Int64?) -> Wire.Upload? {
        record.upload?.value.map { upload in
            let isSent = record.state == .completed && record.lastError == nil
            return Wire.Upload(
                byteCount: upload.byteCount,
                sentByteCount: sentByteCount ?? (isSent ? upload.byteCount : 0)
            )
        }
    }

    /// The number of tasks that load, and do not wait for anything.
    var activeTaskCount: Int { running.values.count(where: \.isActive) }

    // MARK: Applications

    /// Returns the owner of the tasks of an application, or of its session; `nil` if there is none.
    func scope(application name: String, session identifier: String?) -> TaskFilter.Scope? {
        guard let application = applications[named: name]?.record.id else { return nil }
        guard let identifier else { return .application(application) }
        return sessions[identifier, ofApplication: application].map { .session($0.id) }
    }

    /// Returns the applications that may be started.
    func hooks() -> [Wire.Hook] {
        applications.values.sorted { $0.record.id < $1.record.id }.map { application in
            let pending = sessions.values.filter {
                $0.applicationID == application.record.id && $0.hasNews
            }
            return Wire.Hook(
                application: application.record.identifier,
                launch: application.record.launch,
                attempts: application.record.launchAttempts,
                nextLaunch: application.record.nextLaunchAt.map { clock.wall(at: $0) },
                pendingSessions: pending.map(\.identifier).sorted(),
                quit: application.record.quit
            )
        }
    }

    // MARK: Sessions

    /// The number of sessions that a client has open.
    var openSessionCount: Int { sessions.values.count { $0.attachment != nil } }

    /// Returns the number of the application that a session belongs to; `nil` if the session is gone.
    func application(ofSession id: SessionID) -> ApplicationID? { sessions[id]?.applicationID }

    /// Returns the configuration of a session's tasks; `nil` if the session is gone.
    func configuration(ofSession id: SessionID) -> Wire.SessionConfiguration? {
        sessions[id]?.configuration
    }

    /// Whether the application of a session has approved a server's certificates before.
    func hasApproved(_ trust: HTTPServerTrust, inSession id: SessionID) -> Bool {
        sessions[id]?.keptAnswers.hasApproved(trust) ?? false
    }

    /// Returns the identity that the application of a session uses for the origin of a request.
    func identity(for request: TransferRequest, inSession id: SessionID) -> HTTPIdentity? {
        sessions[id]?.keptAnswers.identity(for: request)
    }
}

extension TaskRecord.State {
    /// The state that a client sees.
    fileprivate var presented: Wire.TaskState {
        switch self {
        case .suspended, .heldSuspended: .suspended
        case .waiting, .held: .waiting
        case .completed: .completed
        }
    }
}
