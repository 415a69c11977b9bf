import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    // MARK: Opening

    /// A client opens a session.
    mutating func openSession(_ open: Wire.OpenSession, from caller: Caller) -> [Effect] {
        if let problem = Self.problem(in: open) { return [.refuse(caller.call, problem)] }
        let name = open.application.identifier
        if let problem = sessionInUse(open.identifier, of: name, by: caller) {
            return [.refuse(caller.call, problem)]
        }
        let present = session(open.identifier, of: name)
        var settings = open.configuration
        settings.connections = settings.connections ?? present?.configuration.connections
        let configuration = Stored.encode(settings)
        let size = SessionSize(configuration.count, growingFrom: present)
        if let problem = excess(of: size, in: name) { return [.refuse(caller.call, problem)] }
        let opening = Opening(
            application: name,
            session: open.identifier,
            growth: growth(size),
            mutation: .openSession(
                application: name,
                launch: open.application.launch.map(LaunchRecord.init),
                identifier: open.identifier,
                configuration: configuration
            )
        )
        openings[caller.call] = opening
        return [
            commit(
                [opening.mutation],
                then: .opened(caller.call, caller.connection, process: caller.process)
            )
        ]
    }

    private static func problem(in open: Wire.OpenSession) -> TransferInterfaceError? {
        if open.identifier.isEmpty || open.identifier.utf8.count > 1024 {
            return .invalidRequest(
                parameter: "identifier",
                reason: "a session's identifier has between 1 and 1024 bytes"
            )
        }
        if open.application.identifier.isEmpty || open.application.identifier.utf8.count > 4096 {
            return .invalidRequest(
                parameter: "application",
                reason: "an application's identifier has between 1 and 4096 bytes"
            )
        }
        if let (member, reason) = open.configuration.connections?.contradiction {
            return .invalidRequest(
                parameter: "configuration.connections.\(member)",
                reason: reason
            )
        }
        if let launch = open.application.launch, !launch.executable.hasPrefix("/") {
            return .invalidRequest(
                parameter: "application",
                reason: "the executable must be an absolute path, not \(launch.executable)"
            )
        }
        return nil
    }

    /// Why a process may not open a session, if another one has it open (BG-10).
    private func sessionInUse(
        _ identifier: String,
        of application: String,
        by caller: Caller
    ) -> TransferInterfaceError? {
        let newcomer = Attachment(connection: caller.connection, process: caller.process)
        guard let holder = session(identifier, of: application)?.attachment,
            !holder.isOfSameProcess(as: newcomer)
        else { return nil }
        return .sessionInUse(identifier: identifier, pid: holder.processIdentifier)
    }

    /// Returns the session of an application, if it exists.
    private func session(_ identifier: String, of application: String) -> Session? {
        let id = number(ofApplication: application)
        return sessions.values.first { $0.identifier == identifier && $0.applicationID == id }
    }

    /// The store has a session that a client opens.
    mutating func opened(
        _ receipt: Receipt,
        call: CallIdentifier,
        attachment: Attachment,
        at now: Date
    ) -> [Effect] {
        guard let opened = receipt.openedSessions.first, let opening = openings[call] else {
            return []
        }
        let application = opened.application
        note(application)
        var session = sessions[opened.session.id] ?? Session(opened.session)
        sessions[session.id] = session
        if application.quit {
            // Its user has started the application, so that it may be started for its events again. The session is not
            // open before that is stored.
            let change = Mutation.setQuit(application: application.id, false)
            return [openAgain([change, opening.mutation], for: call, attachment)]
        }
        if let other = session.attachment, !other.isOfSameProcess(as: attachment) {
            // The other process was quicker. The application was not started while this one was opening a session, and
            // may be now.
            openings[call] = nil
            let error = TransferInterfaceError.sessionInUse(
                identifier: session.identifier,
                pid: other.processIdentifier
            )
            return [.refuse(call, error)] + evaluateRelaunch(of: application.id, at: now)
        }
        guard !creations.isCreating(inSession: session.id) else {
            // Its former client is creating a task, whose number must not be given out again.
            return [openAgain([opening.mutation], for: call, attachment)]
        }
        openings[call] = nil
        session.configuration = Stored.configuration(opened.session.configuration)
        session.configurationByteCount = opened.session.configuration.count
        let wasClosing = session.isClosing
        session.isClosing = false
        guard lifetime.connections.contains(attachment.connection) else {
            // Its client is gone before its session is open.
            sessions[session.id] = session
            return recount(session.id)
        }
        // Answers belong to the process that gave them: the next one may be another program, or may not decide. An
        // unknown client counts as another one each time.
        let isAnother =
            wasClosing || attachment.process == 0
            || session.answeringProcess != attachment.process
        if isAnother { session.keptAnswers = KeptAnswers() }
        session.answeringProcess = attachment.process
        session.attachment = attachment
        session.token = attachment.process == 0 ? random.makeToken() : nil
        // Pending calls of the previous client are given up: its task numbers now belong to the new one.
        session.leaver = nil
        session.forgetCounts()
        applications[application.id]?.clients.insert(attachment.connection)
        sessions[session.id] = session
        let answered =
            answerUnanswerable(session.id, at: now) + startedByOthers(session.applicationID)
        let limits = Effect.limitRates(session.configuration.rates, session: session.id)
        return (isAnother ? [.forgetSession(session.id)] : []) + [limits] + answered
            + evaluateRelaunch(of: application.id, at: now) + [
                .answer(
                    call,
                    .opened(
                        session: session.id,
                        nextTaskIdentifier: opened.session.nextTaskIdentifier
                    )
                )
            ]
    }

    /// Opens a session in the store again, for the same call.
    private mutating func openAgain(
        _ mutations: [Mutation],
        for call: CallIdentifier,
        _ attachment: Attachment
    ) -> Effect {
        commit(
            mutations,
            then: .opened(call, attachment.connection, process: attachment.process)
        )
    }

    /// Takes over what a client says about its application; the state of its starts is more recent here than in a
    /// receipt.
    private mutating func note(_ record: ApplicationRecord) {
        if applications[record.id] == nil { applications[record.id] = Application(record) }
        applications[record.id]?.record.launch = record.launch
        applications[record.id]?.record.quit = record.quit
    }

    /// A session could not be opened; if it was to be deleted meanwhile, it may be now.
    mutating func openingFailed(
        _ call: CallIdentifier,
        _ error: StoreError,
        at now: Date
    ) -> [Effect] {
        let opening = openings.removeValue(forKey: call)
        var effects = [Effect.refuse(call, TransferInterfaceError(error, task: 0))]
        let application = applications.values.first {
            $0.record.identifier == opening?.application
        }
        guard let id = application?.record.id else { return effects }
        for session in sessions.values
        where session.identifier == opening?.session && session.applicationID == id {
            effects += recount(session.id)
        }
        // The application was not started for other sessions while it was opening this one.
        return effects + evaluateRelaunch(of: id, at: now) + evaluateIdleness(at: now)
    }

    /// Whether a client is opening a session, or any session, of an application.
    func isOpening(_ application: Int64, session: String? = nil) -> Bool {
        guard let name = applications[application]?.record.identifier else { return false }
        return openings.values.contains { opening in
            opening.application == name && (session.map { $0 == opening.session } ?? true)
        }
    }

    /// Returns whether a caller's process has a session open, or had it when it made the call; a token proves which
    /// process it is.
    func isOpen(_ session: Int64, for caller: Caller, showing token: String? = nil) -> Bool {
        guard let session = sessions[session] else { return false }
        if session.leaver == caller.connection { return true }
        let other = Attachment(connection: caller.connection, process: caller.process)
        guard let holder = session.attachment else { return false }
        return holder.isOfSameProcess(as: other) || (token != nil && token == session.token)
    }

    /// Returns the refusal of a caller that does not have a session open.
    func refuseUnlessOpen(_ session: Int64, _ caller: Caller) -> [Effect]? {
        isOpen(session, for: caller)
            ? nil : [.refuse(caller.call, .sessionNotOpen(session: session))]
    }

    // MARK: Connections

    /// A client connects.
    mutating func connected(_ connection: ConnectionIdentifier) -> [Effect] {
        lifetime.connected(connection)
        return [.setTimer(.idle, nil)]
    }

    /// A client is gone whose calls cannot be carried out yet: another client may open its sessions, and those calls
    /// are valid until then.
    mutating func hungUp(_ connection: ConnectionIdentifier, at now: Date) -> [Effect] {
        let own = sessions.values.filter { $0.attachment?.connection == connection }.map(\.id)
        for id in own { sessions[id]?.leaver = connection }
        return letGo(connection, at: now)
    }

    /// A connection has closed: another client may open its sessions.
    mutating func disconnected(_ connection: ConnectionIdentifier, at now: Date) -> [Effect] {
        lifetime.disconnected(connection)
        let left = sessions.values.filter { $0.leaver == connection }.map(\.id).sorted()
        for id in left { sessions[id]?.leaver = nil }
        return letGo(connection, at: now) + left.flatMap { recount($0) } + evaluateIdleness(at: now)
    }

    /// Releases everything that was open over a connection, as its client is gone.
    private mutating func letGo(_ connection: ConnectionIdentifier, at now: Date) -> [Effect] {
        var effects: [Effect] = []
        let own = sessions.filter { $0.value.isServed(over: connection) }
        for (identifier, session) in own.sorted(by: { $0.key < $1.key }) {
            if session.subscriber?.connection == connection {
                sessions[identifier]?.subscriber = nil
            }
            if session.attachment?.connection == connection {
                sessions[identifier]?.attachment = nil
                // The client has taken events since the store was last asked.
                sessions[identifier]?.forgetCounts()
                effects.append(query(.session(identifier)))
            }
        }
        for id in applications.keys.sorted()
        where applications[id]?.clients.remove(connection) != nil {
            effects += evaluateRelaunch(of: id, at: now)
        }
        return effects
    }

    // MARK: Closing

    /// A client ends a session permanently.
    mutating func closeSession(_ close: Wire.CloseSession, from caller: Caller) -> [Effect] {
        if let refusal = refuseUnlessOpen(close.session, caller) { return refusal }
        sessions[close.session]?.isClosing = true
        guard close.cancel else {
            return [.answer(caller.call, .done), query(.session(close.session))]
        }
        return sweep(
            .session(close.session),
            ending: .cancelled(for: .sweep(caller.call)),
            for: caller.call
        )
    }

    /// Reads a session's counts, if they decide whether it is deleted or whether its application is started.
    mutating func recount(_ id: Int64) -> [Effect] {
        guard let session = sessions[id], session.attachment == nil || session.isClosing else {
            return []
        }
        // The known counts are out of date.
        sessions[id]?.forgetCounts()
        return [query(.session(id))]
    }

    /// The store has returned a session's number of tasks and events.
    mutating func counted(_ record: SessionRecord, at now: Date) -> [Effect] {
        guard let session = sessions[record.id] else { return [] }
        sessions[record.id]?.isUncounted = false
        if session.attachment == nil { sessions[record.id]?.note(record.counts) }
        // An empty session that no client has open is deleted: opening it creates it again.
        if record.counts.isEmpty,
            session.isClosing || session.attachment == nil && session.leaver == nil,
            !isOpening(session.applicationID, session: session.identifier),
            !creations.isCreating(inSession: record.id)
        {
            return [
                commit([.deleteSession(id: record.id)], then: .closed(session: record.id))
            ]
        }
        return evaluateRelaunch(of: session.applicationID, at: now)
    }

    /// A session is gone from the store.
    mutating func closed(_ identifier: Int64, at now: Date) -> [Effect] {
        guard let session = sessions.removeValue(forKey: identifier) else { return [] }
        // This session may have kept its application from being started for another one.
        return [.forgetSession(identifier)] + removeIfUnused(session.applicationID)
            + evaluateRelaunch(of: session.applicationID, at: now)
    }

    /// A session could not be deleted; it is examined again when the daemon starts.
    mutating func closingFailed(_ identifier: Int64, at now: Date) -> [Effect] {
        sessions[identifier].map { evaluateRelaunch(of: $0.applicationID, at: now) } ?? []
    }

    /// Forgets an application that has no session, no process and no client that opens one.
    mutating func removeIfUnused(_ id: Int64) -> [Effect] {
        guard let application = applications[id], !application.isLaunched,
            !application.isLaunching, !isOpening(id),
            !sessions.values.contains(where: { $0.applicationID == id })
        else { return [] }
        return [commit([.deleteApplication(id: id)], then: .applicationForgotten(id))]
    }

    /// An application is gone from the store.
    mutating func forgotten(_ id: Int64) -> [Effect] {
        applications[id] = nil
        shares.forget(application: id)
        return [.setTimer(.relaunch(application: id), nil)]
    }
}
