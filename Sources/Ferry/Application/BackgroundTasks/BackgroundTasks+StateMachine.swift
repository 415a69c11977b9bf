import FerrySystem

extension BackgroundTasks {
    /// Decides how long background tasks may continue, and what happens then; performs nothing itself.
    struct StateMachine {
        typealias Instant = ContinuousClock.Instant
        typealias Identifier = Application.BackgroundTaskIdentifier

        enum Effect: Equatable {
            /// Start passing signals and logind's announcements to this machine.
            case startListening
            /// Restore the signals' former effect, and release logind's delay.
            case stopListening
            case setTimer(Instant)
            case cancelTimer
            /// Call these tasks' expiration handlers.
            case expire([Identifier])
            /// Wait until the daemon has acknowledged all calls, then call `flushed`.
            case flush
            /// Flush, notify the delegate that the program ends, and call `prepared`.
            case prepareToEnd
            /// Report tasks that have not ended in time.
            case report([Identifier])
            /// Send this signal again, with the effect that it had before.
            case end(EndRequests.Signal)
        }

        /// The progress of the termination that a signal has requested.
        private enum Termination: Equatable {
            case none
            /// The tasks may continue until then.
            case asked(until: Instant)
            /// The tasks have expired; the process ends then.
            case expired(until: Instant)
            /// All tasks have ended, and the process ends soon, at the latest then.
            case prepares(until: Instant)
        }

        /// A pause that logind has announced.
        private enum Pause: Equatable {
            case none
            /// The tasks may continue until then.
            case announced(until: Instant)
            /// The tasks have expired.
            case expired(until: Instant)
        }

        /// How long tasks may continue, and how long they then have to end.
        struct Limits: Equatable {
            var grace = Duration.seconds(5)
            var expiration = Duration.seconds(3)
        }

        private(set) var limits = Limits()
        private var nextIdentifier = 1
        /// The tasks that have begun and not ended, and whether they have expired.
        private var tasks: [Identifier: Bool] = [:]
        private var termination = Termination.none
        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        /// The signals that have requested the end of the process.
        private var signals: Set<EndRequests.Signal> = []
        private var pause = Pause.none
        private var preparation: Inhibitors.Preparation?
        private var isListening = false
        private var timer: Instant?

        // MARK: Limits

        /// Sets how long tasks may continue when the process is asked to end.
        mutating func setGrace(_ grace: Duration) { limits.grace = grace }

        /// Sets how long tasks have to end once they have expired.
        mutating func setExpiration(_ expiration: Duration) { limits.expiration = expiration }

        // MARK: Tasks

        /// Begins a task, unless the tasks' time has run out.
        ///
        /// - Returns: The task; ``BackgroundTasks/Identifier/invalid`` if the time has run out.
        mutating func begin() -> Identifier {
            guard !hasExpired else { return .invalid }
            let identifier = Identifier(rawValue: nextIdentifier)
            nextIdentifier += 1
            tasks[identifier] = false
            if !isListening {
                isListening = true
                effects.add(.startListening)
            }
            return identifier
        }

        /// Ends a task; one that has ended, or never begun, may be ended again.
        mutating func end(_ identifier: Identifier, now: Instant) {
            guard tasks.removeValue(forKey: identifier) != nil, tasks.isEmpty else { return }
            switch termination {
            case .asked:
                prepareToEnd(until: now + limits.expiration)
            case .expired(let limit):
                prepareToEnd(until: limit)
            case .none:
                // The tasks' calls to the daemon must be durable before logind continues.
                if pause == .none {
                    stopListening()
                } else {
                    effects.add(.flush)
                }
            case .prepares:
                // No task begins from here on.
                break
            }
        }

        // MARK: System events

        /// Handles the arrival of a signal.
        mutating func terminate(by signal: EndRequests.Signal, now: Instant) {
            let isRepeated = !signals.insert(signal).inserted
            switch termination {
            case .none where tasks.isEmpty && !isListening:
                // The last task has ended since the signal.
                end()
            case .none where tasks.isEmpty:
                prepareToEnd(until: now + limits.expiration)
            case .none:
                termination = .asked(until: now + limits.grace)
                setTimer()
            case .asked:
                // A second signal means that it is urgent. The end of a login session sends two signals, though.
                if isRepeated { expireForTermination(now: now) }
            case .expired, .prepares: break
            }
        }

        /// Handles logind's announcement of a shutdown or sleep after `delay`.
        mutating func prepare(
            for preparation: Inhibitors.Preparation,
            delay: Duration,
            now: Instant
        ) {
            guard pause == .none, !tasks.isEmpty else { return }
            self.preparation = preparation
            pause = .announced(until: now + max(.zero, delay - limits.expiration))
            setTimer()
        }

        /// Handles the end of a pause: the machine is awake or stays on, or, for nil, logind no longer reports.
        mutating func proceed(after preparation: Inhibitors.Preparation?) {
            guard pause != .none, preparation == nil || preparation == self.preparation else {
                return
            }
            pause = .none
            self.preparation = nil
            // A flush in progress reports its own end.
            setTimer()
        }

        // MARK: Results of effects

        /// Handles the timer that was set last.
        mutating func timerFired(now: Instant) {
            timer = nil
            switch termination {
            case .asked(let limit) where limit <= now:
                expireForTermination(now: now)
                return
            case .expired(let limit) where limit <= now, .prepares(let limit) where limit <= now:
                finish()
                return
            case .none, .asked, .expired, .prepares:
                break
            }
            guard case .announced(let limit) = pause, limit <= now else { return setTimer() }
            pause = .expired(until: now + limits.expiration)
            expireTasks()
            setTimer()
        }

        /// Handles the end of a flush: the daemon has acknowledged all calls.
        mutating func flushed() {
            // A task may have begun in the meantime, or a signal may have arrived.
            guard tasks.isEmpty, isListening, termination == .none else { return }
            stopListening()
        }

        /// Ends the process, now that everything is prepared.
        mutating func prepared() {
            guard case .prepares = termination else { return }
            finish()
        }

        // MARK: Queries

        /// Returns how long the tasks have left, including the time to end; nil unless they were asked to end.
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

        private mutating func expireForTermination(now: Instant) {
            termination = .expired(until: now + limits.expiration)
            expireTasks()
            setTimer()
        }

        /// Expires each task once, even if it continues after a pause.
        private mutating func expireTasks() {
            let told = tasks.filter { !$0.value }.keys.sorted { $0.rawValue < $1.rawValue }
            for identifier in told { tasks[identifier] = true }
            if !told.isEmpty { effects.add(.expire(told)) }
        }

        private mutating func prepareToEnd(until limit: Instant) {
            termination = .prepares(until: limit)
            setTimer()
            effects.add(.prepareToEnd)
        }

        private mutating func finish() {
            termination = .none
            let overdue = tasks.keys.sorted { $0.rawValue < $1.rawValue }
            tasks = [:]
            if !overdue.isEmpty { effects.add(.report(overdue)) }
            stopListening()
            end()
        }

        /// Ends the process by SIGTERM if it was received, otherwise by SIGHUP.
        private mutating func end() {
            defer { signals = [] }
            effects.add(.end(signals.contains(.terminate) ? .terminate : .hangUp))
        }

        private mutating func stopListening() {
            isListening = false
            pause = .none
            preparation = nil
            setTimer()
            effects.add(.stopListening)
        }

        /// Sets the timer for the next deadline, if that has changed.
        private mutating func setTimer() {
            var next: [Instant] = []
            switch termination {
            case .none: break
            case .asked(let limit), .expired(let limit), .prepares(let limit): next.append(limit)
            }
            if case .announced(let limit) = pause, !hasExpired { next.append(limit) }
            guard timer != next.min() else { return }
            timer = next.min()
            effects.add(timer.map(Effect.setTimer) ?? .cancelTimer)
        }
    }
}
