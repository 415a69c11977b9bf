import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// Returns how a session's transfers connect: as its application says, else as the settings do.
    func connections(of configuration: Wire.SessionConfiguration) -> Wire.Connections {
        (configuration.connections ?? Wire.Connections()).filled(from: standardConnections)
    }

    // MARK: Opening

    /// A client opens a session.
    mutating func openSession(_ open: Wire.OpenSession, from caller: Caller) {
        if let problem = Self.problem(in: open) { return turn.add(.refuse(caller.call, problem)) }
        let name = open.application.identifier
        if let problem = sessionInUse(open.identifier, of: name, by: caller) {
            return turn.add(.refuse(caller.call, problem))
        }
        let present = sessions[open.identifier, ofApplication: applications[named: name]?.record.id]
        var settings = open.configuration
        settings.connections = settings.connections ?? present?.configuration.connections
        let configuration = Encoded(settings)
        let size = SessionSize(configuration.text.count, growingFrom: present)
        if let problem = excess(of: size, in: name) {
            return turn.add(.refuse(caller.call, problem))
        }
        let opening = Sessions.Opening(
            application: name,
            session: open.identifier,
            growth: growth(size),
            mutation: .openSession(
                application: name,
                launch: open.application.launch,
                identifier: open.identifier,
                configuration: configuration,
                avoids: Conditions(settings.avoids)
            )
        )
        sessions.begin(opening, for: caller.call)
        commit(
            [opening.mutation],
            then: .opened(caller.call, caller.connection, process: caller.process)
        )
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
        if let (member, reason) = open.configuration.avoids.contradiction {
            return .invalidRequest(parameter: "configuration.\(member)", reason: reason)
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
        let id = applications[named: application]?.record.id
        guard let holder = sessions[identifier, ofApplication: id]?.attachment,
            !holder.isOfSameProcess(as: newcomer)
        else { return nil }
        return .sessionInUse(identifier: identifier, pid: holder.processIdentifier)
    }

    /// The store has a session that a client opens.
    mutating func opened(_ receipt: Receipt, call: CallID, attachment: Attachment) {
        guard let opened = receipt.openedSessions.first, let opening = sessions.openings[call]
        else {
            return
        }
        let application = opened.application
        applications.record(application)
        let session = sessions.add(opened.session)
        configure(session, opened.session)
        if application.quit {
            // Its user has started the application, so that it may be started for its events again. The session is not
            // open before that is stored.
            let change = Mutation.setQuit(application: application.id, false)
            openAgain([change, opening.mutation], for: call, attachment)
            return
        }
        if let other = session.attachment, !other.isOfSameProcess(as: attachment) {
            // The other process was quicker. The application was not started while this one was opening a session, and
            // may be now.
            sessions.endOpening(call)
            let error = TransferInterfaceError.sessionInUse(
                identifier: session.identifier,
                pid: other.processIdentifier
            )
            turn.add(.refuse(call, error))
            return
        }
        guard !creations.isCreating(inSession: session.id) else {
            // Its former client is creating a task, whose number must not be given out again.
            openAgain([opening.mutation], for: call, attachment)
            return
        }
        sessions.endOpening(call)
        sessions.update(session.id) { $0.reopen() }
        guard lifetime.connections.contains(attachment.connection) else {
            // Its client is gone before its session is open.
            turn.recount(session.id)
            return
        }
        let isKnown = session.hasAnswers(of: attachment)
        let token = attachment.process == 0 ? random.makeToken() : nil
        sessions.update(session.id) { session in
            session.attach(attachment, token: token, keepsAnswers: isKnown)
        }
        applications.update(application.id) { $0.connected(attachment.connection) }
        if !isKnown { turn.add(.forgetConnections(ofSession: session.id)) }
        answerUnanswerable(session.id)
        startedByOthers(session.applicationID)
        turn.add(
            .answer(
                call,
                .opened(
                    session: session.id,
                    nextTaskIdentifier: opened.session.nextTaskIdentifier,
                    token: token
                )
            )
        )
    }

    /// Takes over a session's configuration: its tasks may avoid other conditions than before, and those that wait may
    /// start by another limit or another proxy.
    private mutating func configure(_ session: Session, _ record: SessionRecord) {
        let former = session.configuration
        sessions.update(session.id) { $0.configure(record) }
        guard let configuration = sessions[session.id]?.configuration else { return }
        turn.add(.limitRates(configuration.rates, session: session.id))
        if configuration.connections != former.connections { endUnneededNetworkWaits() }
        if Conditions(configuration.avoids) != Conditions(former.avoids) {
            avoidedAnew()
        } else if configuration.connections != former.connections
            || configuration.maximumConnectionsPerHost != former.maximumConnectionsPerHost
            || configuration.maximumTransfers != former.maximumTransfers
        {
            turn.searchForTasks()
        }
    }

    /// Opens a session in the store again, for the same call.
    private mutating func openAgain(
        _ mutations: [Mutation],
        for call: CallID,
        _ attachment: Attachment
    ) {
        commit(
            mutations,
            then: .opened(call, attachment.connection, process: attachment.process)
        )
    }

    /// A session could not be opened; if it was to be deleted meanwhile, it may be now.
    mutating func openingFailed(_ call: CallID, _ error: StoreError) {
        let opening = sessions.endOpening(call)
        turn.add(.refuse(call, TransferInterfaceError(error)))
        guard let opening, let id = applications[named: opening.application]?.record.id else {
            return
        }
        if let session = sessions[opening.session, ofApplication: id] { turn.recount(session.id) }
    }

    /// Whether a client is opening a session, or any session, of an application.
    func isOpening(_ application: ApplicationID, session: String? = nil) -> Bool {
        guard let name = applications[application]?.record.identifier else { return false }
        return sessions.isOpening(session, of: name)
    }

    /// Returns whether a caller's process has a session open, or had it when it made the call; a token proves which
    /// process it is.
    func isOpen(_ session: SessionID, for caller: Caller, showing token: String? = nil) -> Bool {
        guard let session = sessions[session] else { return false }
        if session.leaver == caller.connection { return true }
        let other = Attachment(connection: caller.connection, process: caller.process)
        guard let holder = session.attachment else { return false }
        return holder.isOfSameProcess(as: other) || (token != nil && token == session.token)
    }

    /// Returns whether a caller's connection has a session open.
    func isOpen(_ session: SessionID, over caller: Caller) -> Bool {
        sessions[session]?.attachment?.connection == caller.connection
    }

    /// Refuses a caller that does not have a session open.
    ///
    /// - Returns: Whether it has.
    mutating func hasOpen(_ session: SessionID, _ caller: Caller) -> Bool {
        let isOpen = isOpen(session, for: caller)
        if !isOpen { turn.add(.refuse(caller.call, .sessionNotOpen(session))) }
        return isOpen
    }

    // MARK: Connections

    /// A client connects.
    mutating func connected(_ connection: ConnectionID) {
        lifetime.connected(connection)
    }

    /// A client is gone whose calls cannot be carried out yet: another client may open its sessions, and those calls
    /// are valid until then.
    mutating func hungUp(_ connection: ConnectionID) {
        for id in sessions.ids(where: { $0.attachment?.connection == connection }) {
            sessions.update(id) { $0.awaitCalls(over: connection) }
        }
        letGo(connection)
    }

    /// A connection has closed: another client may open its sessions.
    mutating func disconnected(_ connection: ConnectionID) {
        lifetime.disconnected(connection)
        let left = sessions.ids { $0.leaver == connection }
        for id in left { sessions.update(id) { $0.endCalls() } }
        letGo(connection)
        for id in left { turn.recount(id) }
    }

    /// Releases everything that was open over a connection, as its client is gone.
    private mutating func letGo(_ connection: ConnectionID) {
        for id in sessions.ids(where: { $0.isServed(over: connection) }) {
            release(id, from: connection)
        }
        for id in applications.ids.sorted() {
            applications.update(id) { $0.disconnected(connection) }
        }
    }

    /// A client releases one of the sessions that are open over its connection, as the end of the connection would.
    mutating func releaseSession(_ id: SessionID, from caller: Caller) {
        guard let session = sessions[id], session.attachment?.connection == caller.connection else {
            return turn.add(.refuse(caller.call, .sessionNotOpen(id)))
        }
        if let subscriber = session.subscriber { turn.add(.endSubscription(subscriber.call)) }
        sessions.update(id) { $0.unsubscribe() }
        turn.add(.answer(caller.call, .done))
        release(id, from: caller.connection)
        let hasOthers = sessions.values.contains {
            $0.applicationID == session.applicationID
                && $0.attachment?.connection == caller.connection
        }
        guard !hasOthers else { return }
        // The process may go on, for example with sessions of its own.
        applications.update(session.applicationID) { $0.disconnected(caller.connection) }
    }

    /// Releases a session, if it is open over a connection; whether its application is needed follows from its counts.
    private mutating func release(_ id: SessionID, from connection: ConnectionID) {
        if sessions.update(id, { $0.release(connection) }) == true { turn.recount(id) }
    }

    // MARK: Closing

    /// A client ends a session permanently.
    mutating func closeSession(_ close: Wire.CloseSession, from caller: Caller) {
        guard hasOpen(close.sessionID, caller) else { return }
        sessions.update(close.sessionID) { $0.beginClosing() }
        guard close.cancel else {
            turn.add(.answer(caller.call, .done))
            turn.recount(close.sessionID)
            return
        }
        sweep(
            .session(close.sessionID),
            ending: .cancelled(for: .sweep(caller.call)),
            for: caller.call
        )
    }

    /// Reads a session's counts, if they decide whether it is deleted or whether its application is started.
    mutating func recount(_ id: SessionID) {
        guard let session = sessions[id], session.attachment == nil || session.isClosing else {
            return
        }
        // The known counts are out of date.
        sessions.update(id) { $0.forgetCounts() }
        query(.session(id))
    }

    /// The store has returned a session's number of tasks and events.
    mutating func counted(_ record: SessionRecord) {
        guard let session = sessions[record.id] else { return }
        sessions.update(record.id) { $0.counted(record.counts) }
        // An empty session that no client has open is deleted: opening it creates it again.
        if record.counts.isEmpty, isOver(session),
            !isOpening(session.applicationID, session: session.identifier),
            !creations.isCreating(inSession: record.id)
        {
            commit([.deleteSession(id: record.id)], then: .closed(session: record.id))
        }
    }

    /// Whether a session is over for its client: it has closed the session, or is gone.
    private func isOver(_ session: Session) -> Bool {
        // Until its tasks are cancelled that may fail, and then its client still has it open.
        let isClosed = session.isClosing && !endings.hasSweep(of: .session(session.id))
        return isClosed || session.attachment == nil && session.leaver == nil
    }

    /// A session is gone from the store.
    mutating func closed(_ identifier: SessionID) {
        guard let session = sessions.remove(identifier) else { return }
        turn.add(.forgetSession(identifier))
        removeIfUnused(session.applicationID)
    }

    /// Forgets an application that has no session, no process and no client that opens one.
    mutating func removeIfUnused(_ id: ApplicationID) {
        guard let application = applications[id], !application.isLaunched,
            !application.isLaunching, !isOpening(id),
            !sessions.values.contains(where: { $0.applicationID == id })
        else { return }
        commit([.deleteApplication(id: id)], then: .applicationForgotten(id))
    }

    /// An application is gone from the store.
    mutating func forgotten(_ id: ApplicationID) {
        if applications.planRelaunch(of: id, at: nil) {
            turn.add(.setTimer(.relaunch(application: id), nil))
        }
        applications.remove(id)
        shares.forget(application: id)
    }
}
