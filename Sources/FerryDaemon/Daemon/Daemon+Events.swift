import FerryStore
import FerrySystem
import FerryWire

/// Where the events of a subscription go.
///
/// The state machine knows a subscription by the call that has begun it, whatever way its events take.
enum EventDestination {
    /// Over the connection of its own call.
    case own(Reply<Wire.Subscribe>)
    /// Over a stream, together with those of other sessions.
    case stream(EventStream, session: SessionID)
}

/// A stream of the events of many sessions.
@LoopActor
final class EventStream {
    /// The name by which the client that has opened it refers to it.
    let name: String
    private let reply: Reply<Wire.StreamEvents>
    /// The sessions whose events go here, by the calls that have directed them here.
    private(set) var sessions: [CallID: SessionID] = [:]
    /// The calls whose client takes none of their events for now.
    private var held: Set<CallID> = []
    /// The calls that wait until the client has caught up with the stream.
    private var waiting: Set<CallID> = []

    init(name: String, reply: Reply<Wire.StreamEvents>) {
        self.name = name
        self.reply = reply
    }

    /// Directs a session's events here.
    func add(_ call: CallID, session: SessionID) {
        sessions[call] = session
    }

    /// Ends a subscription and notifies its client, unless it has begun another one for the session.
    func end(_ call: CallID) {
        guard let session = sessions.removeValue(forKey: call) else { return }
        held.remove(call)
        waiting.remove(call)
        guard !sessions.values.contains(session) else { return }
        reply.stream(Wire.StreamEvents.Reply(session: session.rawValue))
    }

    /// Sends a reply with an event.
    func send(_ event: Wire.StreamEvents.Reply) { reply.stream(event) }

    /// Sends an event of a session.
    func send(_ event: EncodedEvent, session: SessionID) {
        reply.stream(session: session.rawValue, event)
    }

    /// Returns whether the client takes more of a subscription's events.
    func takesMore(of call: CallID) -> Bool {
        guard !reply.isWritable else { return true }
        waiting.insert(call)
        return false
    }

    /// Holds back a session's events, or no longer.
    ///
    /// - Returns: The calls that have directed them here, unless they wait for the stream anyway.
    func hold(_ isHeld: Bool, session: SessionID) -> [CallID] {
        let calls = sessions.filter { $0.value == session }.map(\.key)
        if isHeld { held.formUnion(calls) } else { held.subtract(calls) }
        return calls.filter { !waiting.contains($0) }
    }

    /// The client has caught up.
    ///
    /// - Returns: The calls whose events can be sent again.
    func resume() -> [CallID] {
        defer { waiting = [] }
        return waiting.subtracting(held).sorted()
    }
}

extension Daemon {
    /// Streams a session's events to a client.
    func subscribe(_ call: MethodCall<Wire.Subscribe>) {
        let (parameters, reply) = (call.parameters, call.reply)
        let caller = caller(over: call.connection)
        let call = caller.call
        subscriptions[call] = .own(reply)
        reply.onWritable = { [weak self] in
            guard let self else { return }
            input { $0.writability(of: call, true) }
        }
        reply.onClose = { [weak self] in self?.unsubscribe(call) }
        input {
            $0.subscribe(session: parameters.sessionID, showing: parameters.token, from: caller)
        }
    }

    /// Opens a stream for the events of many sessions.
    func streamEvents(_ call: MethodCall<Wire.StreamEvents>) {
        let reply = call.reply
        // A process that knows the name may direct events here: it cannot be guessed.
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        let stream = EventStream(name: name, reply: reply)
        streams[name] = stream
        reply.onWritable = { [weak self, weak stream] in
            for call in stream?.resume() ?? [] {
                self?.input { $0.writability(of: call, true) }
            }
        }
        reply.onClose = { [weak self] in
            guard let stream = self?.streams.removeValue(forKey: name) else { return }
            for call in stream.sessions.keys.sorted() { self?.unsubscribe(call) }
        }
        reply.stream(Wire.StreamEvents.Reply(stream: name))
    }

    /// Directs a session's events to a stream.
    func receiveEvents(_ call: MethodCall<Wire.ReceiveEvents>) {
        let (parameters, reply) = (call.parameters, call.reply)
        let caller = caller(over: call.connection)
        guard let stream = streams[parameters.stream] else {
            let reason = "there is no such stream"
            return reply.failure(.invalidRequest(parameter: "stream", reason: reason))
        }
        guard driver.change({ $0.isOpen(parameters.sessionID, over: caller) }) else {
            return reply.failure(.sessionNotOpen(parameters.sessionID))
        }
        stream.add(caller.call, session: parameters.sessionID)
        subscriptions[caller.call] = .stream(stream, session: parameters.sessionID)
        reply.success()
        input { $0.subscribe(session: parameters.sessionID, from: caller) }
    }

    /// Holds back the events of a session, or no longer.
    func holdEvents(_ call: MethodCall<Wire.HoldEvents>) {
        let (parameters, reply) = (call.parameters, call.reply)
        let caller = caller(over: call.connection)
        guard driver.change({ $0.isOpen(parameters.sessionID, for: caller) }) else {
            return reply.failure(.sessionNotOpen(parameters.sessionID))
        }
        for stream in streams.values {
            for call in stream.hold(parameters.hold, session: parameters.sessionID) {
                input { $0.writability(of: call, !parameters.hold) }
            }
        }
        reply.success()
    }

    func send(_ event: Wire.Event, over call: CallID) {
        switch subscriptions[call] {
        case .own(let reply):
            reply.stream(Wire.Subscribe.Reply(event: event))
            sent(over: call, isWritable: reply.isWritable)
        case .stream(let stream, let session):
            stream.send(Wire.StreamEvents.Reply(session: session.rawValue, event: event))
            sent(over: call, isWritable: stream.takesMore(of: call))
        case nil:
            break
        }
    }

    func send(_ record: EventRecord, over call: CallID) {
        guard let destination = subscriptions[call] else { return }
        var event = EncodedEvent(event: record.event, sequence: record.sequence)
        if let path = record.path {
            (event.path, event.directoryIdentity) = files.present(fileAt: path)
        }
        switch destination {
        case .own(let reply):
            reply.stream(event)
            sent(over: call, isWritable: reply.isWritable)
        case .stream(let stream, let session):
            stream.send(event, session: session)
            sent(over: call, isWritable: stream.takesMore(of: call))
        }
    }

    private func sent(over call: CallID, isWritable: Bool) {
        if !isWritable { input { $0.writability(of: call, false) } }
    }

    func endSubscription(_ call: CallID) {
        endSubscription(call, because: .sessionNotOpen(session: 0))
    }

    /// Ends a subscription, and says so to its client.
    func endSubscription(
        _ call: CallID,
        because error: TransferInterfaceError
    ) {
        switch subscriptions.removeValue(forKey: call) {
        case .own(let reply): reply.failure(error)
        case .stream(let stream, _): stream.end(call)
        case nil: break
        }
    }

    private func unsubscribe(_ call: CallID) {
        subscriptions[call] = nil
        input { $0.unsubscribed(call) }
    }
}
