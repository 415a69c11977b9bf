import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

extension Daemon: VarlinkServerHandler {
    /// A client has connected.
    func connectionDidOpen(_ connection: VarlinkConnection) {
        let identifier = makeIdentifier()
        connections[ObjectIdentifier(connection)] = identifier
        log.write(.debug, "process \(connection.peer.processIdentifier) has connected")
        input { $0.connected(identifier) }
    }

    /// A client has disconnected while a file that it passed does not respond yet.
    func connectionDidHangUp(_ connection: VarlinkConnection) {
        guard let identifier = connections[ObjectIdentifier(connection)] else { return }
        input { $0.hungUp(identifier) }
    }

    /// A connection is gone.
    func connectionDidClose(_ connection: VarlinkConnection, because reason: DisconnectReason) {
        guard let identifier = connections.removeValue(forKey: ObjectIdentifier(connection)) else {
            return
        }
        let process = connection.peer.processIdentifier
        let level: LogLevel =
            reason == .closedByPeer || reason == .closedByServer ? .debug : .warning
        log.write(level, "process \(process) is disconnected: \(reason)")
        input { $0.disconnected(identifier) }
    }

    /// A connection was not accepted.
    func serverDidRefuse(_ peer: PeerCredentials, because reason: DisconnectReason) {
        let text = "process \(peer.processIdentifier) of user \(peer.userIdentifier)"
        log.write(.warning, "\(text) was refused: \(reason)")
    }

    /// Returns the caller of a call that is answered later.
    func caller(over connection: VarlinkConnection) -> DaemonStateMachine.Caller {
        DaemonStateMachine.Caller(
            call: makeIdentifier(),
            connection: connections[ObjectIdentifier(connection)] ?? 0,
            process: connection.peer.process
        )
    }

    /// Returns the caller of a call that is answered with what `convert` makes of the answer.
    ///
    /// - Parameters:
    ///   - reply: Answers the call.
    ///   - connection: The caller's connection.
    ///   - convert: Returns `nil` for an answer of another kind.
    /// - Returns: The caller.
    func caller<Method: TransferMethod>(
        awaiting reply: Reply<Method>,
        over connection: VarlinkConnection,
        _ convert: @escaping @LoopActor (DaemonStateMachine.Answer) -> Method.Reply?
    ) -> DaemonStateMachine.Caller {
        let caller = caller(over: connection)
        answers[caller.call] = { result in
            switch result.map(convert) {
            case .success(let value?): reply.success(value)
            case .success(nil):
                reply.failure(.internalFailure(reason: "\(Method.name) has no such answer"))
            case .failure(let error): reply.failure(error)
            }
        }
        return caller
    }

    /// Returns the caller of a call that is answered with "done".
    func caller<Method: TransferMethod>(
        awaiting reply: Reply<Method>,
        over connection: VarlinkConnection
    ) -> DaemonStateMachine.Caller where Method.Reply == Wire.Empty {
        caller(awaiting: reply, over: connection) { $0 == .done ? Wire.Empty() : nil }
    }

    // MARK: Sessions

    /// Opens a session.
    func openSession(
        _ call: Wire.OpenSession,
        _ reply: Reply<Wire.OpenSession>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection) { answer in
            guard case .opened(let session, let next, let token) = answer else { return nil }
            return Wire.OpenSession.Reply(
                session: session,
                nextTaskIdentifier: next,
                token: token,
                takesOtherSequences: true
            )
        }
        input { $0.openSession(call, from: caller) }
    }

    /// Creates a download.
    func createDownload(
        _ call: Wire.CreateDownload,
        _ reply: Reply<Wire.CreateDownload>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection) { answer in
            guard case .created(let task) = answer else { return nil }
            return Wire.CreateDownload.Reply(id: task)
        }
        input { $0.createDownload(call, from: caller) }
    }

    /// Ends a task so that it can be resumed later.
    func cancelProducingResumeData(
        _ call: Wire.CancelProducingResumeData,
        _ reply: Reply<Wire.CancelProducingResumeData>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection) { answer in
            guard case .resumeData(let data) = answer else { return nil }
            return Wire.CancelProducingResumeData.Reply(resumeData: data)
        }
        input { $0.cancelProducingResumeData(call, from: caller) }
    }

    /// Changes the rate limits of a session's tasks.
    func setSessionRates(
        _ call: Wire.SetSessionRates,
        _ reply: Reply<Wire.SetSessionRates>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.setRates(call.rates, ofSession: call.session, from: caller) }
    }

    /// Resumes a suspended task.
    func resume(
        _ call: Wire.Resume,
        _ reply: Reply<Wire.Resume>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.resume(call, from: caller) }
    }

    /// Suspends a task.
    func suspend(
        _ call: Wire.Suspend,
        _ reply: Reply<Wire.Suspend>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.suspend(call, from: caller) }
    }

    /// Ends a task.
    func cancel(
        _ call: Wire.Cancel,
        _ reply: Reply<Wire.Cancel>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.cancel(call, from: caller) }
    }

    /// Changes a task's description.
    func setDescription(
        _ call: Wire.SetDescription,
        _ reply: Reply<Wire.SetDescription>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.setDescription(call, from: caller) }
    }

    /// Changes a task's priority.
    func setPriority(
        _ call: Wire.SetPriority,
        _ reply: Reply<Wire.SetPriority>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.setPriority(call, from: caller) }
    }

    /// Changes a task's earliest begin date.
    func setEarliestBegin(
        _ call: Wire.SetEarliestBegin,
        _ reply: Reply<Wire.SetEarliestBegin>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.setEarliestBegin(call, from: caller) }
    }

    /// Changes a task's options.
    func setOptions(
        _ call: Wire.SetOptions,
        _ reply: Reply<Wire.SetOptions>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.setOptions(call, from: caller) }
    }

    /// Lets a task begin after its application was asked.
    func begin(_ call: Wire.Begin, _ reply: Reply<Wire.Begin>, from connection: VarlinkConnection) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.begin(call, from: caller) }
    }

    /// Gives a task another address.
    func relink(
        _ call: Wire.Relink,
        _ reply: Reply<Wire.Relink>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.relink(call, from: caller) }
    }

    /// Answers a challenge.
    func answerChallenge(
        _ call: Wire.AnswerChallenge,
        _ reply: Reply<Wire.AnswerChallenge>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.answerChallenge(call, from: caller) }
    }

    /// Acknowledges events.
    func acknowledge(
        _ call: Wire.Acknowledge,
        _ reply: Reply<Wire.Acknowledge>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.acknowledge(call, from: caller) }
    }

    /// Ends a session permanently.
    func closeSession(
        _ call: Wire.CloseSession,
        _ reply: Reply<Wire.CloseSession>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.closeSession(call, from: caller) }
    }

    /// Releases a session that other processes may open from now on.
    func releaseSession(
        _ call: Wire.ReleaseSession,
        _ reply: Reply<Wire.ReleaseSession>,
        from connection: VarlinkConnection
    ) {
        let caller = caller(awaiting: reply, over: connection)
        input { $0.releaseSession(call.session, from: caller) }
    }
}
