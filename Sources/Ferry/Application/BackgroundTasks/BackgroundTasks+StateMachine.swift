import FerrySystem

extension BackgroundTasks {
    /// Decides how long background tasks may go on, and what happens then; performs nothing itself.
    struct StateMachine {
        typealias Instant = ContinuousClock.Instant
        typealias Identifier = Application.BackgroundTaskIdentifier

        enum Effect: Equatable {
            /// Have requests to end and what logind announces told to this machine.
            case startListening
            /// Have them do what they did before, and let logind go on.
            case stopListening
            case setTimer(Instant)
            case cancelTimer
            /// Call these tasks' expiration handlers.
            case expire([Identifier])
            /// Make sure that the daemon knows of everything, then say `flushed`.
            case flush
            /// Flush, tell the delegate that the program ends, and say `prepared`.
            case prepareToEnd
            /// Tell the programmer of tasks that have not ended in time.
            case report([Identifier])
            /// Do what this signal did before it was listened to.
            case end(EndRequests.Signal)
        }

        /// Where the end of the process is that a signal has asked for.
        private enum Termination: Equatable {
            case none
            /// The tasks may go on until then.
            case asked(until: Instant)
            /// The tasks have been told to end; the process ends then.
            case expired(until: Instant)
            /// There are no tasks any more, and the process ends soon, at the latest then.
            case prepares(until: Instant)
        }

        /// A pause that logind has announced.
        private enum Pause: Equatable {
            case none
            /// The tasks may go on until then.
            case announced(until: Instant)
            /// The tasks have been told to end.
            case expired(until: Instant)
        }

        /// For how long tasks may go on, and then have for their ends.
        struct Limits: Equatable {
            var grace = Duration.seconds(5)
            var expiration = Duration.seconds(3)
        }

        var limits = Limits()
        private var nextIdentifier = 1
        /// Those that have begun and not ended, and whether they have been told to.
        private var tasks: [Identifier: Bool] = [:]
        private var termination = Termination.none
        /// By what the end of the process was asked for.
        private var signals: Set<EndRequests.Signal> = []
        private var pause = Pause.none
        private var preparation: ShutdownDelay.Preparation?
        private var isListening = false
        private var timer: Instant?

        // MARK: Tasks

        /// Begins a task, unless the time of all has run out.
        mutating func begin() -> (Identifier, [Effect]) {
            guard !hasExpired else { return (.invalid, []) }
            let identifier = Identifier(rawValue: nextIdentifier)
            nextIdentifier += 1
            tasks[identifier] = false
            guard !isListening else { return (identifier, []) }
            isListening = true
            return (identifier, [.startListening])
        }

        /// Ends a task; one that has ended, or never begun, may be ended again.
        mutating func end(_ identifier: Identifier, now: Instant) -> [Effect] {
            guard tasks.removeValue(forKey: identifier) != nil, tasks.isEmpty else { return [] }
            switch termination {
            case .asked:
                return prepareToEnd(until: now + limits.expiration)
            case .expired(let limit):
                return prepareToEnd(until: limit)
            case .none:
                // What the tasks have asked of the daemon is to be durable before logind goes on.
                return pause == .none ? stopListening() : [.flush]
            case .prepares:
                // No task begins from here on.
                return []
            }
        }

        // MARK: What the system says

        /// A signal has come.
        mutating func terminate(by signal: EndRequests.Signal, now: Instant) -> [Effect] {
            let isRepeated = !signals.insert(signal).inserted
            switch termination {
            case .none where tasks.isEmpty && !isListening:
                // The last one has ended between the signal and now.
                return end()
            case .none where tasks.isEmpty:
                return prepareToEnd(until: now + limits.expiration)
            case .none:
                termination = .asked(until: now + limits.grace)
                return setTimer()
            case .asked:
                // A second signal means that it is urgent. The end of a login session sends two signals, though.
                return isRepeated ? expireForTermination(now: now) : []
            case .expired, .prepares:
                return []
            }
        }

        /// logind is about to shut the machine down or to let it sleep, when `delay` has passed.
        mutating func prepare(
            for preparation: ShutdownDelay.Preparation,
            delay: Duration,
            now: Instant
        ) -> [Effect] {
            guard pause == .none, !tasks.isEmpty else { return [] }
            self.preparation = preparation
            pause = .announced(until: now + max(.zero, delay - limits.expiration))
            return setTimer()
        }

        /// The machine is awake again, or stays on; nil if logind does not tell any more.
        mutating func goOn(after preparation: ShutdownDelay.Preparation?) -> [Effect] {
            guard pause != .none, preparation == nil || preparation == self.preparation else {
                return []
            }
            pause = .none
            self.preparation = nil
            // What is being flushed says so itself.
            return setTimer()
        }

        // MARK: What this machine has asked for

        /// The timer that was set last is due.
        mutating func timerFired(now: Instant) -> [Effect] {
            timer = nil
            switch termination {
            case .asked(let limit) where limit <= now:
                return expireForTermination(now: now)
            case .expired(let limit) where limit <= now, .prepares(let limit) where limit <= now:
                return finish()
            case .none, .asked, .expired, .prepares:
                break
            }
            guard case .announced(let limit) = pause, limit <= now else { return setTimer() }
            pause = .expired(until: now + limits.expiration)
            return expireTasks() + setTimer()
        }

        /// The daemon knows of everything.
        mutating func flushed() -> [Effect] {
            // A task may have begun meanwhile, or a signal have come.
            guard tasks.isEmpty, isListening, termination == .none else { return [] }
            return stopListening()
        }

        /// Everything is ready for the end of the process.
        mutating func prepared() -> [Effect] {
            guard case .prepares = termination else { return [] }
            return finish()
        }

        // MARK: What the app asks

        /// How long the tasks have, their ends included; nil while nobody asks them to end.
        func remaining(now: Instant) -> Duration? {
            var ends: [Instant] = []
            switch termination {
            case .none: break
            case .asked(let limit): ends.append(limit + limits.expiration)
            case .expired(let limit), .prepares(let limit): ends.append(limit)
            }
            switch pause {
            case .none: break
            case .announced(let limit): ends.append(limit + limits.expiration)
            case .expired(let limit): ends.append(limit)
            }
            return ends.min().map { max(.zero, $0 - now) }
        }

        // MARK: Parts

        /// Whether it is too late for another task.
        private var hasExpired: Bool {
            if case .expired = pause { return true }
            return switch termination {
            case .none, .asked: false
            case .expired, .prepares: true
            }
        }

        private mutating func expireForTermination(now: Instant) -> [Effect] {
            termination = .expired(until: now + limits.expiration)
            return expireTasks() + setTimer()
        }

        /// Each task is told once, also if it lives on after a pause.
        private mutating func expireTasks() -> [Effect] {
            let told = tasks.filter { !$0.value }.keys.sorted { $0.rawValue < $1.rawValue }
            for identifier in told { tasks[identifier] = true }
            return told.isEmpty ? [] : [.expire(told)]
        }

        private mutating func prepareToEnd(until limit: Instant) -> [Effect] {
            termination = .prepares(until: limit)
            return setTimer() + [.prepareToEnd]
        }

        private mutating func finish() -> [Effect] {
            termination = .none
            let overdue = tasks.keys.sorted { $0.rawValue < $1.rawValue }
            tasks = [:]
            return (overdue.isEmpty ? [] : [.report(overdue)]) + stopListening() + end()
        }

        /// Ends by the signal that says most clearly what was asked for.
        private mutating func end() -> [Effect] {
            defer { signals = [] }
            return [.end(signals.contains(.terminate) ? .terminate : .hangUp)]
        }

        private mutating func stopListening() -> [Effect] {
            isListening = false
            pause = .none
            preparation = nil
            return setTimer() + [.stopListening]
        }

        /// Sets the timer for what comes next, if that has changed.
        private mutating func setTimer() -> [Effect] {
            var next: [Instant] = []
            switch termination {
            case .none: break
            case .asked(let limit), .expired(let limit), .prepares(let limit): next.append(limit)
            }
            if case .announced(let limit) = pause, !hasExpired { next.append(limit) }
            guard timer != next.min() else { return [] }
            timer = next.min()
            return [timer.map(Effect.setTimer) ?? .cancelTimer]
        }
    }
}
