import FerrySystem
import Foundation
import Synchronization

/// The background tasks of a process; runs the state machine and performs its effects.
final class BackgroundTasks: Sendable {
    typealias Identifier = Application.BackgroundTaskIdentifier
    typealias ExpirationHandler = @MainActor @Sendable () -> Void

    private struct Entry {
        var name: String?
        var expirationHandler: ExpirationHandler?
    }

    private struct State {
        var machine = StateMachine()
        var tasks: [Identifier: Entry] = [:]
        /// The application that the tasks belong to, while there are any.
        var application: Application?
    }

    /// The state that belongs to the event loop.
    @LoopActor
    private final class LoopState {
        var timer: LoopTimer?
        var delay: Inhibitors?

        nonisolated init() {}
    }

    private let state = Mutex(State())
    private let loop = LoopState()
    private let flush: @Sendable () async -> Void

    /// Creates the tasks of a process that has none yet.
    ///
    /// - Parameter flush: Returns when the daemon has acknowledged all calls so far.
    init(flush: @escaping @Sendable () async -> Void) { self.flush = flush }

    /// How long tasks may continue.
    var limits: StateMachine.Limits { state.withLock { $0.machine.limits } }

    /// Sets how long tasks may continue when the process is asked to end.
    func setGrace(_ grace: Duration) { state.withLock { $0.machine.setGrace(grace) } }

    /// Sets how long tasks have to end once they have expired.
    func setExpiration(_ expiration: Duration) {
        state.withLock { $0.machine.setExpiration(expiration) }
    }

    /// How long the tasks have left; nil unless they were asked to end.
    var remaining: Duration? { state.withLock { $0.machine.remaining(now: .now) } }

    /// Begins a task of an application; it is protected from signals when this returns.
    func begin(
        _ name: String?,
        of application: Application,
        expirationHandler: ExpirationHandler?
    ) -> Identifier {
        state.withLock { state in
            let identifier = state.machine.begin()
            guard identifier != .invalid else { return .invalid }
            state.tasks[identifier] = Entry(name: name, expirationHandler: expirationHandler)
            state.application = application
            perform(&state)
            return identifier
        }
    }

    /// Ends a task; its handler is no longer called.
    func end(_ identifier: Identifier) {
        // Released outside the lock: captured objects may end tasks, too.
        let ended = state.withLock { state in
            let ended = state.tasks.removeValue(forKey: identifier)
            state.machine.end(identifier, now: .now)
            perform(&state)
            return ended
        }
        _ = ended
    }

    // MARK: Inputs

    private func send(_ input: (inout StateMachine) -> Void) {
        state.withLock { state in
            input(&state.machine)
            perform(&state)
        }
    }

    private func delayReported(_ event: Inhibitors.Event) {
        send { machine in
            switch event {
            case .prepares(let preparation, let delay):
                machine.prepare(for: preparation, delay: delay, now: .now)
            case .goesOn(let preparation):
                machine.proceed(after: preparation)
            case .lost:
                machine.proceed(after: nil)
            case .refused:
                // What logind announces is still reported.
                break
            }
        }
    }

    // MARK: Effects

    /// Performs effects in order, under the lock under which they were decided.
    ///
    /// Nothing here waits or calls the app; other work is only queued. The signals are taken over here, because a
    /// task must be protected as soon as it has begun.
    private func perform(_ state: inout State) {
        guard state.machine.effects.begin() else { return }
        var hasStopped = false
        while let effect = state.machine.effects.next() {
            if effect == .stopListening { hasStopped = true }
            switch effect {
            case .startListening: startListening(state)
            case .stopListening: stopListening()
            case .setTimer(let deadline): setTimer(deadline)
            case .cancelTimer: LoopActor.perform { self.loop.timer?.cancel() }
            case .expire(let identifiers): expire(identifiers)
            case .flush: flushThen { $0.flushed() }
            case .prepareToEnd: prepareToEnd(state.application)
            case .report(let identifiers): report(identifiers, state)
            case .end(let signal):
                abandonTasks(&state)
                EndRequests.send(signal)
            }
        }
        // What is performed behind it is still about its tasks.
        if hasStopped { state.application = nil }
    }

    private func startListening(_ state: State) {
        do {
            try EndRequests.shared.take { signal in
                self.send { $0.terminate(by: signal, now: .now) }
            }
        } catch {
            Diagnostics.report("SIGTERM ends background tasks at once: \(error)")
        }
        let identifier = state.application?.identifier ?? ""
        // By default it is a path, of which users know the last component.
        let who = identifier.split(separator: "/").last.map(String.init) ?? identifier
        LoopActor.perform {
            self.loop.delay = Inhibitors(
                who: who,
                [.delay(why: "Ends or hands over transfers")],
                handler: self.delayReported
            )
        }
    }

    private func stopListening() {
        EndRequests.shared.giveBack()
        LoopActor.perform {
            self.loop.delay?.release()
            self.loop.delay = nil
        }
    }

    private func setTimer(_ deadline: ContinuousClock.Instant) {
        LoopActor.perform {
            self.loop.timer?.cancel()
            self.loop.timer = EventLoop.shared.schedule(after: deadline - .now) {
                self.send { $0.timerFired(now: .now) }
            }
        }
    }

    /// Forgets the tasks that have not ended in time; if the program survives, their handlers are no longer called.
    private func abandonTasks(_ state: inout State) {
        let abandoned = state.tasks
        state.tasks = [:]
        // Released outside the lock: objects that a handler has captured may end tasks, too.
        Task { withExtendedLifetime(abandoned) {} }
    }

    private func expire(_ identifiers: [Identifier]) {
        Task { @MainActor in
            // One by one: a handler may end other tasks, whose handlers are then not called.
            for identifier in identifiers { self.takeExpirationHandler(of: identifier)?() }
        }
    }

    private func takeExpirationHandler(of identifier: Identifier) -> ExpirationHandler? {
        state.withLock { state in
            defer { state.tasks[identifier]?.expirationHandler = nil }
            return state.tasks[identifier]?.expirationHandler
        }
    }

    private func flushThen(_ input: @escaping @Sendable (inout StateMachine) -> Void) {
        Task {
            await flush()
            send(input)
        }
    }

    private func prepareToEnd(_ application: Application?) {
        Task {
            // Flushed before the delegate is called, which may take long, and again for the calls that it makes.
            await flush()
            if let application {
                await MainActor.run { application.delegate?.applicationWillTerminate(application) }
            }
            await flush()
            send { $0.prepared() }
        }
    }

    private func report(_ identifiers: [Identifier], _ state: State) {
        for identifier in identifiers {
            let name = state.tasks[identifier]?.name.map { " \"\($0)\"" } ?? ""
            Diagnostics.report(
                "The background task\(name) had not ended when its time was over; the program ends."
            )
        }
    }
}
