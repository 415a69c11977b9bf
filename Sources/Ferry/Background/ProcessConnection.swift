import FerrySystem
import FerryWire
import Foundation
@preconcurrency import Glibc
import Synchronization

/// The connection of this process to the daemon, which all its background sessions share.
///
/// There is one socket for calls and one for events, however many sessions there are, and one thread that connects. It
/// is open as long as a session needs it.
final class ProcessConnection: Sendable {
    /// The callbacks of a session; called on the loop.
    struct User: Sendable {
        /// The connection can be used.
        var didConnect: @LoopActor @Sendable (Link) -> Void
        /// There is no connection.
        var didFail: @LoopActor @Sendable (OpeningFailure) -> Void
        /// The connection is lost.
        var didEnd: @LoopActor @Sendable () -> Void
    }

    /// A connection that is open.
    struct Link: Sendable {
        /// The client for calls.
        let calls: VarlinkClient
        /// The name of the stream of events.
        let stream: String
    }

    /// Why there is no connection, or a session could not be opened.
    enum OpeningFailure: Hashable, Sendable {
        /// A process has it open; `isOver` is whether that is this process, or one that has ended.
        case inUse(pid: Int32, isOver: Bool)
        /// The daemon, or this process, lacks something for the moment.
        case busy(TransferDaemonError)
        /// The daemon has ended in the meantime.
        case disconnected
        /// There is no daemon, or it refuses.
        case unavailable(TransferDaemonError)
    }

    private struct State {
        var machine = StateMachine()
        var users: [StateMachine.User: User] = [:]
        /// The clients for calls and for events, from the beginning of an attempt.
        var clients: (calls: VarlinkClient, events: VarlinkClient)?
        /// The connection, once the stream has a name.
        var link: Link?
    }

    private let connect: @Sendable () throws(DaemonError) -> FileDescriptor
    /// Connecting blocks for as long as it takes to start a process.
    private let queue = BlockingQueue(label: "ferry.background")
    private let state = Mutex(State())
    private let routes = EventRoutes()

    /// Creates a connection, which is not opened yet.
    ///
    /// - Parameter connect: Connects to the daemon, starting it if necessary; blocks.
    init(connect: @escaping @Sendable () throws(DaemonError) -> FileDescriptor) {
        self.connect = connect
    }

    /// Asks for the connection for a session, in place of what it has asked for before.
    ///
    /// - Parameters:
    ///   - owner: The session's own object, which stands for it.
    ///   - delay: The time to wait, unless there is a connection earlier.
    ///   - user: The callbacks.
    func request(_ owner: AnyObject, after delay: Duration, _ user: User) {
        let key = StateMachine.User(owner)
        decide { state in
            state.users[key] = user
            state.machine.request(key, after: delay, now: .now)
        }
    }

    /// A session no longer needs the connection.
    func release(_ owner: AnyObject) {
        let key = StateMachine.User(owner)
        decide { state in
            state.users[key] = nil
            state.machine.release(key)
        }
    }

    /// Passes the events of a session to a handler, in place of an earlier one; nil is the end of the events.
    @LoopActor
    func route(
        _ session: Int64,
        of owner: AnyObject,
        to handler: @escaping @LoopActor (Wire.Event?) -> Void
    ) {
        routes.set(session, of: ObjectIdentifier(owner), handler)
    }

    /// Passes the events of a session on no longer.
    @LoopActor
    func endRoute(of owner: AnyObject) { routes.remove(ObjectIdentifier(owner)) }
}

// MARK: - Effects

extension ProcessConnection {
    private func decide(_ decision: (inout State) -> Void) {
        state.withLock { state in
            decision(&state)
            guard state.machine.effects.begin() else { return }
            while let effect = state.machine.effects.next() { perform(effect, &state) }
        }
    }

    /// Performs an effect under the lock under which it was decided; nothing here waits or calls a session.
    private func perform(_ effect: StateMachine.Effect, _ state: inout State) {
        switch effect {
        case .connect(let attempt):
            queue.perform { [weak self] in self?.connectNow(attempt) }
        case .wait(let number, let delay):
            LoopActor.perform { [weak self] in
                _ = EventLoop.shared.schedule(after: delay) {
                    self?.decide { $0.machine.waited(number, now: .now) }
                }
            }
        case .serve(let users):
            guard let link = state.link else { break }
            notify(users, state) { $0.didConnect(link) }
        case .fail(let users, let failure):
            notify(users, state) { $0.didFail(failure) }
        case .end(let users):
            notify(users, state) { $0.didEnd() }
        case .close:
            state.clients?.calls.close()
            state.clients?.events.close()
            state.clients = nil
            state.link = nil
        }
    }

    private func notify(
        _ keys: [StateMachine.User],
        _ state: State,
        _ call: @escaping @LoopActor @Sendable (User) -> Void
    ) {
        let users = keys.compactMap { state.users[$0] }
        LoopActor.perform { for user in users { call(user) } }
    }

    private func connectNow(_ attempt: Int) {
        guard state.withLock({ $0.machine.isCurrent(attempt) }) else { return }
        do throws(DaemonError) {
            let onClose: @LoopActor @Sendable (CallError) -> Void = { [weak self] error in
                self?.failed(attempt, OpeningFailure(error))
            }
            let calls = VarlinkClient(try connect(), onClose: onClose)
            let events = VarlinkClient(try connect(), onClose: onClose)
            let isCurrent = state.withLock { state in
                guard state.machine.isCurrent(attempt) else { return false }
                state.clients = (calls, events)
                return true
            }
            guard isCurrent else { return }
            events.stream(Wire.StreamEvents()) { [weak self] reply in
                self?.received(reply, attempt)
            }
        } catch {
            let failure = TransferDaemonError(error)
            let isPassing = error.isShortage
            failed(attempt, isPassing ? .busy(failure) : .unavailable(failure))
        }
    }

    @LoopActor
    private func received(_ reply: StreamReply<Wire.StreamEvents.Reply>, _ attempt: Int) {
        switch reply {
        case .next(let reply):
            if let name = reply.stream {
                decide { state in
                    guard state.machine.isCurrent(attempt), let calls = state.clients?.calls else {
                        return
                    }
                    state.link = Link(calls: calls, stream: name)
                    state.machine.connected(attempt)
                }
            } else if let session = reply.session,
                state.withLock({ $0.machine.isCurrent(attempt) })
            {
                routes.pass(reply.event, of: session)
            }
        case .last:
            failed(attempt, .disconnected)
        case .failure(let error):
            failed(attempt, OpeningFailure(error))
        }
    }

    private func failed(_ attempt: Int, _ failure: OpeningFailure) {
        decide { $0.machine.failed(attempt, failure) }
    }
}

/// Where the events of the sessions of a process go.
@LoopActor
private final class EventRoutes {
    private struct Route {
        let owner: ObjectIdentifier
        let handler: @LoopActor (Wire.Event?) -> Void
    }

    private var routes: [Int64: Route] = [:]
    private var sessions: [ObjectIdentifier: Int64] = [:]

    nonisolated init() {}

    func set(
        _ session: Int64,
        of owner: ObjectIdentifier,
        _ handler: @escaping @LoopActor (Wire.Event?) -> Void
    ) {
        remove(owner)
        routes[session] = Route(owner: owner, handler: handler)
        sessions[owner] = session
    }

    func remove(_ owner: ObjectIdentifier) {
        guard let session = sessions.removeValue(forKey: owner) else { return }
        // A later session may have the same number in the daemon.
        if routes[session]?.owner == owner { routes[session] = nil }
    }

    func pass(_ event: Wire.Event?, of session: Int64) { routes[session]?.handler(event) }
}

extension ProcessConnection.OpeningFailure {
    init(_ error: CallError) {
        switch error {
        case .refused(.sessionInUse(_, let pid)):
            let isOver = pid == getpid() || kill(pid, 0) != 0 && errno == ESRCH
            self = .inUse(pid: pid, isOver: isOver)
        case .refused(.limitExceeded), .refused(.resourceUnavailable):
            self = .busy(TransferDaemonError(error))
        case .connectionClosed:
            self = .disconnected
        default:
            self = .unavailable(TransferDaemonError(error))
        }
    }
}
