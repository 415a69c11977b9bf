import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

/// Decides what ferryd does; performs nothing itself.
///
/// Every input returns the effects to perform, in order. Waiting tasks are held in the store, not here: memory depends
/// on the tasks that load. A task that has ended is completed by one conditional change in the store, so that it ends
/// once.
struct DaemonStateMachine {
    /// The limits and delays.
    private(set) var policy: DaemonPolicy
    /// The applications that have sessions.
    var applications = Applications()
    /// The sessions that exist, and the calls that open one.
    var sessions = Sessions()
    /// The tasks that have a transfer, and the budget of the places that they have.
    var running: RunningTasks
    /// How the applications have been served, and which tasks have left their places.
    var shares: FairShares
    /// The tasks that are ending.
    var endings = TaskEndings()
    /// The state of the search for tasks to start.
    var search = Search()
    /// The readings of tasks from the store, and the changes since.
    var readings = Readings()
    /// The tasks that are being created, and those whose files are being taken over.
    var creations: Creations
    /// The tasks that get the bytes of another.
    var followings = Followings()
    /// The tasks whose servers have said that their address has expired.
    var expiredLinks = ExpiredLinks()
    /// The timer for the earliest deadline.
    var deadlines = PlannedTimer()
    /// The timer for progress that is to be sent.
    var progressReports = PlannedTimer()
    /// Whether the daemon serves or is to end, and the clients that it stays for.
    var lifetime = Lifetime()
    /// The work under way in the store and with files.
    var work = WorkUnderWay()
    /// Whether a route leads off this machine.
    var network = Network()
    /// The machine's sleep, and what is held against it.
    var sleep = MachineSleep()
    /// The clock, and the state of the pass over the tasks that follow it.
    var timekeeping: Timekeeping
    /// The conditions that waiting tasks avoid, and those that the machine is in.
    var watch = ConditionWatch()
    /// The hosts that fail repeatedly.
    var breaker = HostBreaker()
    /// The hosts that have answered.
    var answeringHosts = AnsweringHosts()
    /// The rate limits of all transfers together that a person has set.
    private(set) var rates = SharedRates()
    /// The rate limits of all transfers together that hold where a person has set none.
    private(set) var standardRates = SharedRates()
    /// How sessions connect that do not say it themselves.
    private(set) var standardConnections = Wire.Connections()
    /// The user's timetable, and what holds now.
    var hours: Hours
    /// The source of random numbers.
    var random: RandomSource

    /// Creates the machine for a queue as it was left.
    init(
        policy: DaemonPolicy,
        nextTaskID: Int64,
        clock: DaemonClock = DaemonClock(),
        localClock: LocalClock = .machine,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.policy = policy
        creations = Creations(nextTaskID: nextTaskID)
        timekeeping = Timekeeping(clock: clock)
        hours = Hours(clock: localClock)
        self.random = RandomSource(random)
        running = RunningTasks(policy: policy)
        shares = FairShares(policy: policy)
    }

    /// Resumes the queue from its stored state.
    ///
    /// - Parameters:
    ///   - applications: The applications that are in the store.
    ///   - sessions: Their sessions.
    ///   - rates: The rate limits of all transfers together.
    ///   - timetable: The user's timetable.
    ///   - clock: The clock that continues from its stored state; `nil` for the present one.
    ///   - connectivity: Whether a route leads off this machine.
    ///   - now: The time, by that clock.
    /// - Returns: The effects to perform.
    mutating func start(
        applications: [ApplicationRecord],
        sessions: [SessionRecord],
        rates: SharedRates = SharedRates(),
        timetable: Timetable = Timetable(),
        clock: DaemonClock? = nil,
        connectivity: Connectivity = .unknown,
        at now: Date
    ) -> [Effect] {
        if let clock { _ = timekeeping.set(clock) }
        self.rates = rates
        network.change(to: connectivity)
        hours.timetable = timetable
        hours.follow(self.clock.wall(at: now))
        _ = watch.note(isOutsideHours: hours.period.isOutsideHours)
        var corrections: [Effect] = []
        for record in applications {
            var application = Application(record)
            // A start that is further off than any can be comes from a clock that was set.
            let latest = now.addingTimeInterval(policy.maximumRelaunchDelay)
            if application.limitWait(until: latest) {
                corrections.append(noteLaunchState(of: application.record))
            }
            self.applications.add(application)
        }
        for record in sessions { self.sessions.add(record) }
        let limits = self.sessions.values.sorted { $0.id < $1.id }
            .map { Effect.limitRates($0.configuration.rates, session: $0.id) }
        self.applications.holdRelaunches(until: now.addingTimeInterval(policy.relaunchGrace))
        var effects =
            [.limitRates(ratesInForce, session: nil)] + limits + corrections + followClock(at: now)
            // Whether there is a network is determined again.
            + [commit([.endNetworkWait], .relaxed, then: .networkIsBack)] + searchForTasks(at: now)
        if hours.period.until != nil { effects.append(planHours()) }
        effects.append(query(.earliestDeadline))
        for identifier in self.applications.ids.sorted() {
            effects += evaluateRelaunch(of: identifier, at: now)
        }
        // Sessions that were left empty in a crash are deleted.
        for record in sessions where record.counts.isEmpty {
            effects.append(query(.session(record.id)))
        }
        return effects + evaluateIdleness(at: now)
    }

    /// Takes the settings, before the queue is resumed.
    mutating func set(_ options: DaemonOptions) {
        policy = options.policy
        standardRates = options.rates
        standardConnections = options.connections
        running.limit(by: policy)
    }

    /// The settings have changed; transfers under way go on, within the new limits of rates.
    mutating func settingsChanged(to options: DaemonOptions, at now: Date) -> [Effect] {
        let (ratesBefore, connectionsBefore) = (ratesInForce, standardConnections)
        set(options)
        guard !isStopping else { return [] }
        let limits: [Effect] =
            ratesInForce == ratesBefore ? [] : [.limitRates(ratesInForce, session: nil)]
        var ends: [Effect] = []
        if standardConnections != connectionsBefore {
            // The hosts may have failed because of the former proxies.
            breaker.tryAll()
            ends = endUnneededNetworkWaits()
        }
        return limits + [.waitsChanged] + ends + searchForTasks(at: now)
            + evaluateIdleness(at: now)
    }

    /// The store knows the rate limits of all tasks together.
    mutating func ratesSet(_ rates: SharedRates, call: CallIdentifier) -> [Effect] {
        self.rates = rates
        return [.limitRates(ratesInForce, session: nil), .answer(call, .done)]
    }

    /// A timer that was set is due.
    mutating func timerFired(_ timer: Timer, at now: Date) -> [Effect] {
        switch timer {
        case .retry: retryTimePassed(at: now)
        case .deadline: deadlinePassed(at: now)
        case .progress: tellProgress(at: now)
        case .relaunch(let application): evaluateRelaunch(of: application, at: now)
        case .launch(let application): launchTimePassed(of: application, at: now)
        case .recount(let session): [query(.session(session))]
        case .shares: reviewShares(at: now)
        case .sharing(let task): copyTimePassed(of: task, at: now)
        case .clock: followClock(at: now)
        case .hours: followHours(at: now)
        case .inhibition: reviewInhibition(at: now)
        case .sleep: sleepTimePassed(at: now)
        case .idle: idleTimePassed(at: now)
        }
    }

    // MARK: Commits and queries

    /// Records a commit and returns its effect.
    mutating func commit(
        _ mutations: [Mutation],
        _ durability: Durability = .synchronized,
        then continuation: Continuation = .nothing
    ) -> Effect {
        work.begin(in: .store)
        for task in mutations.lazy.compactMap(\.changedTask) { readings.note(task) }
        return .commit(mutations, durability, continuation)
    }

    /// Records a query and returns its effect.
    mutating func query(_ query: Query) -> Effect {
        work.begin(in: .store)
        if let question = query.question { readings.ask(question) }
        return .query(query)
    }
}
