import FerrySystem
import FerryWire
import Foundation
@preconcurrency import Glibc
import Synchronization

extension BackgroundConnection {
    /// How often the first opening is tried with a daemon that dies of it.
    private static let greatestOpeningCount = 5

    /// Begins an attempt to connect.
    func connect(_ state: inout State) {
        state.condition = .connecting
        state.generation += 1
        let generation = state.generation
        queue.perform { [weak self] in self?.connectNow(generation) }
    }

    /// Begins an attempt to connect after a while.
    private func connect(_ state: inout State, after delay: Duration) {
        guard delay > .zero else { return connect(&state) }
        state.condition = .connecting
        state.generation += 1
        let generation = state.generation
        LoopActor.perform { [weak self] in
            _ = EventLoop.shared.schedule(after: delay) {
                guard let self else { return }
                self.queue.perform { self.connectNow(generation) }
            }
        }
    }

    private func connectNow(_ generation: Int) {
        guard state.withLock({ $0.generation == generation }) else { return }
        do throws(DaemonError) {
            let client = VarlinkClient(try environment.connect()) { [weak self] _ in
                self?.lost(generation)
            }
            state.withLock { $0.connectingClient = client }
            client.call(environment.opening()) { [weak self] result in
                self?.opened(client, generation, result)
            }
        } catch {
            cannotConnect(generation, TransferDaemonError(error))
        }
    }

    @LoopActor
    private func opened(
        _ client: VarlinkClient,
        _ generation: Int,
        _ result: Result<Wire.OpenSession.Reply, CallError>
    ) {
        switch result {
        case .success(let reply):
            opened(client, generation, reply)
        case .failure(.refused(.sessionInUse(_, let pid))):
            inUse(by: pid, generation)
        case .failure(.refused(.limitExceeded)):
            // The daemon has too much to do for now.
            retry(generation) { state in state.policy.failed() }
        case .failure(.connectionClosed):
            // The daemon has died meanwhile.
            cannotOpen(generation, TransferDaemonError(.disconnected, message: "it has ended"))
        case .failure(let error):
            cannotConnect(generation, TransferDaemonError(error))
        }
    }

    @LoopActor
    private func opened(
        _ client: VarlinkClient,
        _ generation: Int,
        _ reply: Wire.OpenSession.Reply
    ) {
        var released: [@Sendable () -> Void] = []
        let observer: Observer? = state.withLock { state in
            guard state.generation == generation else { return nil }
            if let number = state.lastNumber, number != reply.session {
                released = state.outbox.removeAcknowledgements()
            }
            state.lastNumber = reply.session
            let session = State.Session(
                client: client,
                number: reply.session,
                since: EventLoop.now
            )
            state.condition = .opening(session)
            state.connectingClient = nil
            // It was asked for while the call was under way.
            if state.registersAgain { register(over: session) }
            state.registersAgain = false
            state.nextTaskIdentifier = max(state.nextTaskIdentifier, reply.nextTaskIdentifier)
            return state.observer
        }
        for continuation in released { continuation() }
        observer?.didOpen(reply.session, reply.token)
    }

    /// The events of the session of that number are being received.
    @LoopActor
    func subscribed(to number: Int64) {
        let observer: Observer? = state.withLock { state in
            guard case .opening(let session) = state.condition, session.number == number else {
                return nil
            }
            state.condition = .open(session)
            state.hasOpened = true
            state.outbox.beginConnection()
            sendNew(&state, over: session, keepsIncomplete: false)
            releaseWaiting(&state)
            return state.observer
        }
        observer?.isReady()
    }

    // MARK: - Failures

    /// Another process has the session, or had it until a moment ago.
    private func inUse(by pid: Int32, _ generation: Int) {
        // The daemon may not have noticed yet that the process before has ended, or that an earlier
        // connection of this one is closed.
        let isOver = pid == getpid() || kill(pid, 0) != 0 && errno == ESRCH
        if isOver {
            retry(generation) { state in state.policy.failed() }
        } else {
            fail(
                generation,
                URLError(
                    .backgroundSessionInUseByAnotherProcess,
                    url: nil,
                    reason: "The process \(pid) of this application has the session."
                )
            )
        }
    }

    /// The daemon died while it opened the session.
    private func cannotOpen(_ generation: Int, _ error: TransferDaemonError) {
        let isHopeless = state.withLock { state in
            !state.hasOpened && state.policy.failureCount >= Self.greatestOpeningCount
        }
        if isHopeless {
            fail(generation, Self.disconnected(error))
        } else {
            retry(generation) { state in state.policy.failed() }
        }
    }

    /// There is no daemon, or it refuses.
    private func cannotConnect(_ generation: Int, _ error: TransferDaemonError) {
        // Once the daemon has tasks of this session, they have a future whatever happens to it now.
        guard state.withLock({ $0.hasOpened || $0.isAwaited }) else {
            // Programs print no more than an error's description, if that.
            Diagnostics.reportOnce(error.message)
            return fail(generation, Self.disconnected(error))
        }
        retry(generation) { state in state.policy.failed() }
    }

    private static func disconnected(_ error: TransferDaemonError) -> URLError {
        URLError(disconnectedBy: error, url: nil)
    }

    private func retry(_ generation: Int, delay: (inout State) -> Duration) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.connectingClient = nil
            connect(&state, after: delay(&state))
        }
    }

    /// The session cannot be had.
    private func fail(_ generation: Int, _ error: URLError) {
        let (observer, continuations): (Observer?, [@Sendable () -> Void]) = state.withLock {
            state in
            guard state.generation == generation else { return (nil, []) }
            state.generation += 1
            state.condition = .failed(error)
            state.connectingClient = nil
            state.policy = ReconnectionPolicy()
            releaseWaiting(&state)
            return (state.observer, state.outbox.removeAll())
        }
        if let observer { LoopActor.perform { observer.didFail(error) } }
        for continuation in continuations { continuation() }
    }

    private func releaseWaiting(_ state: inout State) {
        for semaphore in state.waiting { semaphore.signal() }
        state.waiting = []
    }

    // MARK: - The end of a connection

    /// The connection is closed; by the daemon's death, in all likelihood.
    @LoopActor
    private func lost(_ generation: Int) {
        let observer = state.withLock { $0.generation == generation ? $0.observer : nil }
        let isWanted = observer?.wantsConnection() ?? false
        let released: [@Sendable () -> Void] = state.withLock { state in
            guard state.generation == generation else { return [] }
            switch state.condition {
            case .opening(let session), .open(let session):
                let released = state.outbox.endConnection()
                guard isWanted || !state.outbox.isEmpty || !state.hasOpened else {
                    // The daemon may end; the next call starts it again.
                    state.condition = .idle
                    return released
                }
                let delay = state.policy.lost(after: EventLoop.now - session.since)
                connect(&state, after: delay)
                return released
            case .idle, .connecting, .failed, .closed:
                return []
            }
        }
        for continuation in released { continuation() }
    }
}

// MARK: - Answers

extension BackgroundConnection {
    /// How often a call is repeated at which the daemon makes a mistake.
    private static let greatestFailureCount = 10

    /// What follows from an answer.
    private enum Consequence {
        case done
        case refused(TransferDaemonError)
        /// The call is repeated, with all after it, on another connection; without end unless it is
        /// the call itself that the daemon cannot cope with.
        case reconnect(isEndless: Bool)
        /// The connection is lost, which is dealt with where that is noticed.
        case none
    }

    @LoopActor
    func answered(_ number: UInt64, generation: Int, _ error: CallError?) {
        let afterwards: [@Sendable () -> Void] = state.withLock { state in
            guard state.generation == generation, let entry = state.outbox.first(number: number)
            else { return [] }
            defer { sendHeldUp(&state) }
            switch Self.consequence(of: error, for: entry) {
            case .none:
                return []
            case .done:
                return state.outbox.removeFirst()
            case .refused(let error):
                let continuations = state.outbox.removeFirst()
                guard let onRefusal = entry.onRefusal else { return continuations }
                return [{ onRefusal(error) }] + continuations
            case .reconnect(let isEndless):
                let count = state.outbox.noteFailureOfFirst()
                guard isEndless || count <= Self.greatestFailureCount else {
                    return state.outbox.removeFirst()
                }
                if case .open(let session) = state.condition { session.client.close() }
                connect(&state, after: state.policy.failed())
                return state.outbox.endConnection()
            }
        }
        for continuation in afterwards { continuation() }
    }

    /// Looks after the call that is first now, if it waits for its file.
    private func sendHeldUp(_ state: inout State) {
        guard state.outbox.isHeldUp, case .open(let session) = state.condition else { return }
        sendNew(&state, over: session, keepsIncomplete: true)
    }

    private static func consequence(of error: CallError?, for entry: Outbox.Entry) -> Consequence {
        switch error {
        case nil:
            return .done
        case .refused(let refusal):
            return consequence(of: refusal, for: entry)
        case .connectionClosed, .invalidReply:
            return .none
        case .some(let error):
            return .refused(TransferDaemonError(error))
        }
    }

    private static func consequence(
        of refusal: TransferInterfaceError,
        for entry: Outbox.Entry
    ) -> Consequence {
        let error = TransferDaemonError(.refused(refusal))
        switch refusal {
        case .taskNotFound:
            // It has ended meanwhile.
            return .done
        case .sessionNotOpen:
            return .reconnect(isEndless: true)
        case .storeUnavailable, .internalFailure:
            // A task that does not exist yet can fail; what is asked of one that does must not be lost.
            if case .create = entry.call { return .refused(error) }
            // A disk that is full today has room some day.
            if case .storeUnavailable = refusal { return .reconnect(isEndless: true) }
            return .reconnect(isEndless: false)
        case .sessionInUse, .applicationNotFound, .invalidRequest, .limitExceeded,
            .permissionDenied:
            return .refused(error)
        }
    }
}
