import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

extension Daemon: TransferCallHandler {
    /// A client has connected.
    func connectionDidOpen(_ connection: VarlinkConnection) {
        let identifier = makeIdentifier()
        connections[ObjectIdentifier(connection)] = identifier
        log.write(.debug, "process \(connection.peer.processIdentifier) has connected")
        perform(machine.connected(identifier))
    }

    /// A client is gone, and a file that it has passed does not answer yet.
    func connectionDidHangUp(_ connection: VarlinkConnection) {
        guard let identifier = connections[ObjectIdentifier(connection)] else { return }
        perform(machine.hungUp(identifier, at: now))
    }

    /// A connection is gone.
    func connectionDidClose(
        _ connection: VarlinkConnection,
        because reason: DisconnectReason
    ) {
        guard let identifier = connections.removeValue(forKey: ObjectIdentifier(connection)) else {
            return
        }
        let process = connection.peer.processIdentifier
        let level: LogLevel =
            reason == .closedByPeer || reason == .closedByServer ? .debug : .warning
        log.write(level, "process \(process) is disconnected: \(reason)")
        perform(machine.disconnected(identifier, at: now))
    }

    /// A connection was not accepted.
    func serverDidRefuse(_ peer: PeerCredentials, because reason: DisconnectReason) {
        let text = "process \(peer.processIdentifier) of user \(peer.userIdentifier)"
        log.write(.warning, "\(text) was refused: \(reason)")
    }

    /// Carries out a call.
    func handle(_ call: TransferCall, from connection: VarlinkConnection) {
        let caller = DaemonStateMachine.Caller(
            call: makeIdentifier(),
            connection: connections[ObjectIdentifier(connection)] ?? 0,
            process: connection.peer.process
        )
        switch call {
        case .openSession, .createDownload, .createUpload, .resume, .suspend, .cancel,
            .cancelProducingResumeData, .setDescription, .setPriority, .setEarliestBegin,
            .setOptions, .setSessionRates, .begin, .relink,
            .answerChallenge, .acknowledge, .closeSession, .subscribe:
            handleSessionCall(call, caller)
        case .pauseTask, .resumeTask, .cancelTask, .relinkTask, .setTaskRates, .setTaskPriority,
            .setRates,
            .removeHook, .quitApplication, .stop:
            actions[caller.call] = PersonalAction(call).map {
                ($0, connection.peer.processIdentifier)
            }
            handleAdministration(call, caller)
        case .listTasks, .getTask, .watchTasks, .listHooks, .getStatus:
            handleObservation(call)
        }
    }

    private func handleSessionCall(_ call: TransferCall, _ caller: DaemonStateMachine.Caller) {
        switch call {
        case .openSession(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply) { [weak self] answer in
                guard case .opened(let session, let next) = answer else { return nil }
                return Wire.OpenSession.Reply(
                    session: session,
                    nextTaskIdentifier: next,
                    token: self?.machine.sessions[session]?.token
                )
            }
            perform(machine.openSession(parameters, from: caller))
        case .createDownload(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply) { answer in
                guard case .created(let task) = answer else { return nil }
                return Wire.CreateDownload.Reply(id: task)
            }
            perform(machine.createDownload(parameters, from: caller, at: now))
        case .createUpload(let parameters, let reply):
            createUpload(parameters, reply, caller)
        case .resume(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.resume(parameters, from: caller, at: now))
        case .suspend(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.suspend(parameters, from: caller, at: now))
        case .cancel(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.cancel(parameters, from: caller))
        case .cancelProducingResumeData(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply) { answer in
                guard case .resumeData(let data) = answer else { return nil }
                return Wire.CancelProducingResumeData.Reply(resumeData: data)
            }
            perform(machine.cancelProducingResumeData(parameters, from: caller))
        case .setDescription(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.setDescription(parameters, from: caller))
        case .setPriority(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.setPriority(parameters, from: caller))
        case .setEarliestBegin(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.setEarliestBegin(parameters, from: caller, at: now))
        case .setOptions(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.setOptions(parameters, from: caller))
        case .setSessionRates(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.setRates(parameters.rates, ofSession: parameters.session, from: caller))
        case .begin(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.begin(parameters, from: caller, at: now))
        case .relink(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.relink(parameters, from: caller, at: now))
        case .answerChallenge(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.answerChallenge(parameters, from: caller, at: now))
        case .acknowledge(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.acknowledge(parameters, from: caller))
        case .closeSession(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.closeSession(parameters, from: caller))
        case .subscribe(let parameters, let reply):
            subscribe(parameters, reply, caller)
        default:
            break
        }
    }

    private func handleAdministration(_ call: TransferCall, _ caller: DaemonStateMachine.Caller) {
        switch call {
        case .pauseTask(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.pauseTask(parameters.id, from: caller, at: now))
        case .resumeTask(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.resumeTask(parameters.id, from: caller, at: now))
        case .cancelTask(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.cancelTask(parameters.id, from: caller))
        case .relinkTask(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.relinkTask(parameters.id, to: parameters.url, from: caller))
        case .setTaskRates(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.setRates(parameters.rates, ofTask: parameters.id, from: caller))
        case .setTaskPriority(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(
                machine.setPriority(parameters.priority, ofTask: parameters.id, from: caller)
            )
        case .setRates(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.setRates(parameters.rates, from: caller))
        case .removeHook(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply)
            perform(machine.removeHook(parameters.application, from: caller))
        case .quitApplication(let parameters, let reply):
            answers[caller.call] = PendingAnswer(reply) { answer in
                guard case .cancelled(let count) = answer else { return nil }
                return Wire.QuitApplication.Reply(cancelled: count)
            }
            perform(machine.quitApplication(parameters.application, from: caller))
        case .stop(_, let reply):
            answers[caller.call] = PendingAnswer(reply)
            log.write(.info, "process \(caller.process) has asked to stop")
            perform(machine.stopDaemon(call: caller.call))
        default:
            break
        }
    }

    // MARK: Subscriptions

    private func subscribe(
        _ parameters: Wire.Subscribe,
        _ reply: Reply<Wire.Subscribe>,
        _ caller: DaemonStateMachine.Caller
    ) {
        let call = caller.call
        subscriptions[call] = reply
        answers[call] = PendingAnswer(
            succeed: { _ in },
            refuse: { [weak self] error in
                self?.subscriptions[call] = nil
                reply.failure(error)
            }
        )
        reply.onWritable = { [weak self] in
            guard let self else { return }
            perform(machine.writability(of: call, true))
        }
        reply.onClose = { [weak self] in
            guard let self else { return }
            subscriptions[call] = nil
            answers[call] = nil
            perform(machine.unsubscribed(call))
        }
        perform(
            machine.subscribe(session: parameters.session, showing: parameters.token, from: caller)
        )
    }

    func send(_ event: Wire.Event, over call: DaemonStateMachine.CallIdentifier) {
        guard let reply = subscriptions[call] else { return }
        var event = event
        event.path = event.path.map { files.presentPath(of: $0) }
        reply.stream(Wire.Subscribe.Reply(event: event))
        if !reply.isWritable { perform(machine.writability(of: call, false)) }
    }
}
