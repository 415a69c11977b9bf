import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

/// Decides what ferryd does; performs nothing itself.
///
/// ``handle(at:_:)`` takes an input and returns the effects to perform, in order. Waiting tasks are held in the store, not
/// here: memory depends on the tasks that load. A task that has ended is completed by one conditional change in the store,
/// so that it ends once.
struct DaemonStateMachine {
    /// The limits and delays.
    private(set) var policy: DaemonPolicy
    /// The applications that have sessions.
    var applications = Applications()
    /// The sessions that exist, and the calls that open one.
    var sessions = Sessions()
    /// The tasks that have a transfer, and the budget of the slots that they have.
    var running: RunningTasks
    /// How the applications have been served, and which tasks have left their slots.
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
    /// The effects of the input that is being handled.
    var turn = Turn()
    /// The source of random numbers.
    var random: RandomSource

    /// Creates the machine for a queue as it was left.
    init(
        policy: DaemonPolicy,
        nextTaskID: TaskID,
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
    mutating func start(
        applications: [ApplicationRecord],
        sessions: [SessionRecord],
        rates: SharedRates = SharedRates(),
        timetable: Timetable = Timetable(),
        clock: DaemonClock? = nil,
        connectivity: Connectivity = .unknown
    ) {
        if let clock { _ = timekeeping.set(clock) }
        self.rates = rates
        network.change(to: connectivity)
        hours.change(to: timetable)
        hours.follow(self.clock.wall(at: now))
        _ = watch.record(isOutsideHours: hours.period.isOutsideHours)
        turn.add(.limitRates(ratesInForce, session: nil))
        for record in sessions { self.sessions.add(record) }
        for session in self.sessions.values.sorted(by: { $0.id < $1.id }) {
            turn.add(.limitRates(session.configuration.rates, session: session.id))
        }
        for record in applications {
            var application = Application(record)
            // A start that is further off than any can be comes from a clock that was set.
            let latest = now.addingTimeInterval(policy.maximumRelaunchDelay)
            if application.limitWait(until: latest) { recordLaunchState(of: application.record) }
            self.applications.add(application)
        }
        self.applications.holdRelaunches(until: now.addingTimeInterval(policy.relaunchGrace))
        followClock()
        // Whether there is a network is determined again.
        commit([.endNetworkWait], .relaxed, then: .networkWaitEnded)
        turn.searchForTasks()
        if hours.period.until != nil { planHours() }
        query(.earliestDeadline)
        // Sessions that were left empty in a crash are deleted.
        for record in sessions where record.counts.isEmpty {
            turn.recount(record.id)
        }
    }

    /// Takes the settings, before the queue is resumed.
    mutating func set(_ options: DaemonOptions) {
        policy = options.policy
        standardRates = options.rates
        standardConnections = options.connections
        running.limit(by: policy)
    }

    /// The settings have changed; transfers under way go on, within the new limits of rates.
    mutating func settingsChanged(to options: DaemonOptions) {
        let (ratesBefore, connectionsBefore) = (ratesInForce, standardConnections)
        set(options)
        guard !isStopping else { return }
        if ratesInForce != ratesBefore { turn.add(.limitRates(ratesInForce, session: nil)) }
        turn.add(.waitsChanged)
        if standardConnections != connectionsBefore {
            // The hosts may have failed because of the former proxies.
            breaker.tryAll()
            endUnneededNetworkWaits()
        }
        turn.searchForTasks()
    }

    /// The store knows the rate limits of all tasks together.
    mutating func ratesSet(_ rates: SharedRates, call: CallID) {
        self.rates = rates
        turn.add(.limitRates(ratesInForce, session: nil))
        turn.add(.answer(call, .done))
    }

    /// A timer that was set is due.
    mutating func timerFired(_ timer: Timer) {
        switch timer {
        case .retry: retryTimePassed()
        case .deadline: deadlinePassed()
        case .progress: notifyProgress()
        case .relaunch(let application): applications.relaunchTimePassed(of: application)
        case .launch(let application): launchTimePassed(of: application)
        case .recount(let session): turn.recount(session)
        case .shares: reviewShares()
        case .sharing(let task): copyTimePassed(of: task)
        case .clock: followClock()
        case .hours: followHours()
        case .inhibition: reviewInhibition()
        case .sleep: sleepTimePassed()
        case .idle: idleTimePassed()
        }
    }

    // MARK: Turns

    /// The time of the input that is being handled.
    var now: Date { turn.now }

    /// Handles an input.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - input: What happens.
    /// - Returns: The effects to perform, in order.
    mutating func handle(at now: Date, _ input: (inout DaemonStateMachine) -> Void) -> [Effect] {
        turn.begin(at: now)
        input(&self)
        settle()
        return turn.end()
    }

    // MARK: Commits and queries

    /// Commits a change.
    mutating func commit(
        _ mutations: [Mutation],
        _ durability: Durability = .synchronized,
        then continuation: Continuation = .nothing
    ) {
        work.begin(in: .store)
        for task in mutations.lazy.compactMap(\.changedTask) { readings.record(task) }
        turn.add(.commit(mutations, durability, continuation))
    }

    /// Asks the store.
    mutating func query(_ query: Query) {
        work.begin(in: .store)
        if let question = query.question { readings.ask(question) }
        turn.add(.query(query))
    }
}
