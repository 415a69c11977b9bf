import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A client subscribes to a session's events.
    mutating func subscribe(session: SessionID, showing token: String? = nil, from caller: Caller) {
        guard isOpen(session, for: caller, showing: token) else {
            return turn.add(.refuse(caller.call, .sessionNotOpen(session)))
        }

        if let earlier = sessions[session]?.subscriber { turn.add(.endSubscription(earlier.call)) }
        sessions.update(session) { $0.subscribe(caller.call, over: caller.connection) }
        deliver(session: session)
    }

    /// Reads the events that a subscriber has not received, if it takes any.
    mutating func deliver(session id: SessionID) {
        guard sessions.update(id, { $0.beginReading() }) == true,
            let subscriber = sessions[id]?.subscriber
        else { return }
        query(
            .events(
                session: id,
                after: subscriber.lastSequence,
                limit: policy.eventPageSize,
                subscriber.call
            )
        )
    }

    /// Sends an event that has just been stored to a subscriber that has everything before it; otherwise it is read
    /// with the rest.
    mutating func deliver(_ end: NewEnd, _ sequence: Int64?, of task: TaskID, session id: SessionID)
    {
        guard let sequence, sessions.update(id, { $0.take(sequence) }) == true,
            let call = sessions[id]?.subscriber?.call
        else { return deliver(session: id) }
        let record = EventRecord(
            sequence: sequence,
            taskID: task,
            event: end.event,
            path: end.path
        )
        turn.add(.sendEnd(call, record))
    }

    /// The store has returned events of a session for a subscription.
    mutating func read(_ events: [EventRecord], session id: SessionID, for call: CallID) {
        // Another subscription may have taken its place.
        guard let subscriber = sessions[id]?.subscriber, subscriber.call == call else { return }
        let isPast = events.count < policy.eventPageSize
        let becomesLive = isPast && !subscriber.isLive
        let new = sessions.update(id) { $0.endReading(events, isLast: isPast) } ?? []

        // What a damaged disk has made of an event must not be sent as it is.
        for event in new where event.event.value != nil {
            turn.add(.sendEnd(subscriber.call, event))
        }
        if becomesLive { notifyPresent(session: id) }
        // This includes questions that could not be sent before.
        if subscriber.isLive || isPast { notifyQuestions(session: id) }
        if becomesLive { turn.add(.send(subscriber.call, Wire.Event(kind: .drained))) }
        let goesOn = !isPast || subscriber.readsAgain
        if goesOn { deliver(session: id) }
    }

    /// Sends the state of the tasks that load to a client that has missed it.
    private mutating func notifyPresent(session: SessionID) {
        for task in running.sorted(where: {
            $0.record.sessionID == session && $0.phase != .asking
        }) {
            if task.response != nil {
                running.update(task.record.id) { $0.reportedResponse() }
                send(response(of: task), session: session)
            }
            notifyResumption(of: task.record.id)
            // The store may know less of an earlier run than the client was notified of.
            if task.hasReported { send(progress(of: task), session: session) }
        }
    }

    /// Sends an event that is not in the log, if a subscriber takes it.
    ///
    /// - Returns: Whether one does.
    @discardableResult
    mutating func send(_ event: Wire.Event, session: SessionID) -> Bool {
        guard let subscriber = sessions[session]?.subscriber, subscriber.takesEvents else {
            return false
        }
        turn.add(.send(subscriber.call, event))
        return true
    }

    /// A subscriber has stopped taking events, or takes them again.
    mutating func writability(of call: CallID, _ isWritable: Bool) {
        guard let id = sessions.values.first(where: { $0.subscriber?.call == call })?.id else {
            return
        }
        sessions.update(id) { $0.record(isWritable: isWritable) }
        guard isWritable, sessions[id]?.subscriber?.isReading == false else { return }
        deliver(session: id)
    }

    /// A subscription's connection has closed.
    mutating func unsubscribed(_ call: CallID) {
        for id in sessions.ids(where: { $0.subscriber?.call == call }) {
            sessions.update(id) { $0.unsubscribe() }
        }
    }

    /// A client has handled events.
    mutating func acknowledge(_ acknowledge: Wire.Acknowledge, from caller: Caller) {
        guard isOpen(acknowledge.sessionID, for: caller) else {
            return turn.add(.refuse(caller.call, .sessionNotOpen(acknowledge.sessionID)))
        }
        let sequences = [acknowledge.sequence] + (acknowledge.otherSequences ?? [])
        commit(
            sequences.map { sequence in
                .acknowledge(
                    session: acknowledge.sessionID,
                    sequence: sequence,
                    path: acknowledge.path(of: sequence)
                )
            },
            then: .acknowledged(caller.call, session: acknowledge.sessionID)
        )
    }

    /// An acknowledgement is in the store.
    mutating func acknowledged(_ receipt: Receipt, call: CallID, session id: SessionID) {
        turn.add(.answer(call, .done))
        for task in receipt.removedTaskIDs {
            turn.add(.removeFile(task: task))
            turn.add(.removed(task: task))
        }
        guard let session = sessions[id] else { return }
        if !receipt.removedTaskIDs.isEmpty { turn.recount(id) }
        relaunchSucceeded(for: session)
    }
}
