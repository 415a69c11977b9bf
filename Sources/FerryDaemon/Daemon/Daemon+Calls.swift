import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

extension Daemon: VarlinkServerHandler {
    /// A client has connected.
    func connectionDidOpen(_ connection: VarlinkConnection) {
        let identifier = ConnectionID(makeNumber())
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
            call: CallID(makeNumber()),
            connection: connections[ObjectIdentifier(connection)] ?? 0,
            process: connection.peer.process
        )
    }

    /// Has the state machine decide about a call, and answers the call with what `convert` makes of the answer.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - deed: What a person does by it, for the log.
    ///   - file: The file that was passed with it.
    ///   - decision: The input of the state machine.
    ///   - convert: Returns `nil` for an answer of another kind.
    func decide<Method: TransferMethod>(
        _ call: MethodCall<Method>,
        deed: PersonalDeed? = nil,
        file: ArrivingFile? = nil,
        _ decision: (inout DaemonStateMachine, Method, DaemonStateMachine.Caller) -> Void,
        answering convert: @escaping @LoopActor (DaemonStateMachine.Answer) -> Method.Reply?
    ) {
        let caller = caller(over: call.connection)
        let answer = { @LoopActor [reply = call.reply] (result: UnansweredCall.Answer) in
            switch result.map(convert) {
            case .success(let value?): reply.success(value)
            case .success(nil):
                reply.failure(.internalFailure(reason: "\(Method.name) has no such answer"))
            case .failure(let error): reply.failure(error)
            }
        }
        calls[caller.call] = UnansweredCall(answer: answer, deed: deed, file: file)
        input { decision(&$0, call.parameters, caller) }
    }

    /// Has the state machine decide about a call that is answered with "done".
    func decide<Method: TransferMethod>(
        _ call: MethodCall<Method>,
        deed: PersonalDeed? = nil,
        _ decision: (inout DaemonStateMachine, Method, DaemonStateMachine.Caller) -> Void
    ) where Method.Reply == Wire.Empty {
        decide(call, deed: deed, decision) { $0 == .done ? Wire.Empty() : nil }
    }

    // MARK: Sessions

    /// Opens a session.
    func openSession(_ call: MethodCall<Wire.OpenSession>) {
        decide(call) {
            $0.openSession($1, from: $2)
        } answering: { answer in
            guard case .opened(let session, let next, let token) = answer else { return nil }
            return Wire.OpenSession.Reply(
                session: session.rawValue,
                nextTaskIdentifier: next,
                token: token
            )
        }
    }

    /// Creates a download.
    func createDownload(_ call: MethodCall<Wire.CreateDownload>) {
        decide(call) {
            $0.createDownload($1, from: $2)
        } answering: { answer in
            answer.createdTask.map { Wire.CreateDownload.Reply(id: $0.rawValue) }
        }
    }

    /// Ends a task so that it can be resumed later.
    func cancelProducingResumeData(_ call: MethodCall<Wire.CancelProducingResumeData>) {
        decide(call) {
            $0.cancelProducingResumeData($1, from: $2)
        } answering: { answer in
            guard case .resumeData(let data) = answer else { return nil }
            return Wire.CancelProducingResumeData.Reply(resumeData: data)
        }
    }

    /// Changes the rate limits of a session's tasks.
    func setSessionRates(_ call: MethodCall<Wire.SetSessionRates>) {
        decide(call) { $0.setRates($1.rates, ofSession: $1.sessionID, from: $2) }
    }

    /// Resumes a suspended task.
    func resume(_ call: MethodCall<Wire.Resume>) {
        decide(call) { $0.resume($1, from: $2) }
    }

    /// Suspends a task.
    func suspend(_ call: MethodCall<Wire.Suspend>) {
        decide(call) { $0.suspend($1, from: $2) }
    }

    /// Ends a task.
    func cancel(_ call: MethodCall<Wire.Cancel>) {
        decide(call) { $0.cancel($1, from: $2) }
    }

    /// Changes a task's description.
    func setDescription(_ call: MethodCall<Wire.SetDescription>) {
        decide(call) { $0.setDescription($1, from: $2) }
    }

    /// Changes a task's priority.
    func setPriority(_ call: MethodCall<Wire.SetPriority>) {
        decide(call) { $0.setPriority($1, from: $2) }
    }

    /// Changes a task's earliest begin date.
    func setEarliestBegin(_ call: MethodCall<Wire.SetEarliestBegin>) {
        decide(call) { $0.setEarliestBegin($1, from: $2) }
    }

    /// Changes a task's options.
    func setOptions(_ call: MethodCall<Wire.SetOptions>) {
        decide(call) { $0.setOptions($1, from: $2) }
    }

    /// Lets a task begin after its application was asked.
    func begin(_ call: MethodCall<Wire.Begin>) {
        decide(call) { $0.begin($1, from: $2) }
    }

    /// Gives a task another address.
    func relink(_ call: MethodCall<Wire.Relink>) {
        decide(call) { $0.relink($1, from: $2) }
    }

    /// Answers a challenge.
    func answerChallenge(_ call: MethodCall<Wire.AnswerChallenge>) {
        decide(call) { $0.answerChallenge($1, from: $2) }
    }

    /// Acknowledges events.
    func acknowledge(_ call: MethodCall<Wire.Acknowledge>) {
        decide(call) { $0.acknowledge($1, from: $2) }
    }

    /// Ends a session permanently.
    func closeSession(_ call: MethodCall<Wire.CloseSession>) {
        decide(call) { $0.closeSession($1, from: $2) }
    }

    /// Releases a session that other processes may open from now on.
    func releaseSession(_ call: MethodCall<Wire.ReleaseSession>) {
        decide(call) { $0.releaseSession($1.sessionID, from: $2) }
    }
}
