import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

/// Decides what ferryd does; performs nothing itself.
///
/// Every input returns the effects to perform, in order. Tasks that wait are not held here but in
/// the store: memory follows the tasks that load. A task that has ended is completed by one
/// conditional change in the store, so that it ends once.
struct DaemonStateMachine {
    /// What the limits and delays are.
    let policy: DaemonPolicy
    /// The applications, by the store's number.
    var applications: [Int64: Application] = [:]
    /// The sessions that exist, by the store's number.
    var sessions: [Int64: Session] = [:]
    /// The tasks that have a transfer, by the daemon's number.
    var running: [Int64: RunningTask] = [:]
    /// Which transfers may run at once.
    var budget: TransferBudget
    /// The tasks that are on their way to their end in the store, each with those who want it to
    /// end as well and wait for that.
    var ending: [Int64: [Ending.Caller]] = [:]
    /// What the search for tasks to start is doing.
    var search = Search()
    /// Passes over many tasks that a call waits for, by the call.
    var sweeps: [CallIdentifier: Sweep] = [:]
    /// The calls that open a session, while the store makes sure that there is one.
    var openings: [CallIdentifier: Opening] = [:]
    /// The calls that create a task, until it is in the store.
    var creations: [CallIdentifier: Creation] = [:]
    /// The tasks whose resume data is being taken over, or that is on its way into the store.
    var adoptions: Set<Int64> = []
    /// The tasks of which the store does not know yet that they wait for a network, or where an upload goes on,
    /// and how many changes that are: as the store has them they must not start.
    var unstoredChanges: [Int64: Int] = [:]
    /// The calls for which a task is being read to be changed, and whether one was changed meanwhile.
    var revisions: [CallIdentifier: Bool] = [:]
    /// Where uploads go on of which that may not be what is being read from the store.
    var unstoredResources: [Int64: UploadResource] = [:]
    /// How many tasks are being read to be ended.
    var endingQueryCount = 0
    /// The tasks that have ended while some are being read to be ended: these may be among them.
    var tasksEndedMeanwhile: Set<Int64> = []
    /// The tasks that get the bytes of another, by that.
    var followers: [Int64: [Int64]] = [:]
    /// The tasks whose files are complete and are being copied for those that follow them.
    var sharings: [Int64: Sharing] = [:]
    /// The tasks whose files are being copied from another's, and whether they have ended meanwhile.
    var copying: [Int64: Bool] = [:]
    /// The directories that downloads are for, "" for the daemon's own, where no two files can share their bytes, as far
    /// as that is known.
    var directoriesWithoutSharing: Set<String> = []
    /// The tasks whose servers have said that their address has expired.
    var linkPatience: [Int64: LinkPatience] = [:]
    /// The number for the next task.
    var nextTaskID: Int64
    /// The clients that are connected.
    var connections: Set<ConnectionIdentifier> = []
    /// Until when no application is started: clients of an earlier daemon come back first.
    var relaunchesBegin = Date.distantPast
    /// The earliest deadline that a timer is set for.
    var deadlineTimer: Date?
    /// When it is looked whether places are to go to others, if that is planned.
    var nextShareReview: Date?
    /// The tasks that have left their places to others.
    var yields: [Int64: Yield] = [:]
    /// How many tasks were ever started.
    var startCount: UInt64 = 0
    /// Whether a timer will look at the progress that is still to be told.
    var isProgressTimerSet = false
    /// Whether the daemon has been told to stop.
    var isStopping = false
    /// Whether the daemon ends because it has nothing to do.
    var isIdle = false
    /// How many commits, queries and works on files are under way; the daemon is not idle with any.
    var operationCount = 0
    /// What is being done with applications' files.
    ///
    /// A daemon that is to end does not wait for that: the file may
    /// never answer, and the next daemon does it again.
    var fileOperationCount = 0
    /// How many of the operations make resume data of a file that may never answer.
    ///
    /// A daemon that is to end does not wait for that: the client that has cancelled the task says so again.
    var resumeDataCount = 0
    /// Whether a route leads off this machine.
    var connectivity = Connectivity.unknown
    /// What time it is.
    var clock: DaemonClock
    /// The pass over the tasks that wait for a time of day, while there is one.
    var clockPass: ClockPass?
    /// The hosts that fail time and again.
    var breaker = HostBreaker()
    /// The hosts that have answered.
    var answeringHosts = AnsweringHosts()
    /// How fast all transfers together may load and send.
    var rates = SharedRates()
    /// The random numbers for jitter.
    var random: any RandomNumberGenerator & Sendable

    /// Creates the machine for a queue as it was left.
    init(
        policy: DaemonPolicy,
        nextTaskID: Int64,
        clock: DaemonClock = DaemonClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.policy = policy
        self.nextTaskID = nextTaskID
        self.clock = clock
        self.random = random
        budget = TransferBudget(policy: policy)
    }

    /// Takes up the queue as it was left.
    mutating func start(
        applications: [ApplicationRecord],
        sessions: [SessionRecord],
        rates: SharedRates = SharedRates(),
        at now: Date
    ) -> [Effect] {
        self.rates = rates
        var corrections: [Effect] = []
        for record in applications {
            var application = Application(record)
            // One that is further off than any is of a clock that was set.
            let latest = now.addingTimeInterval(policy.maximumRelaunchDelay)
            if let next = record.nextLaunchAt, next > latest {
                application.record.nextLaunchAt = latest
                corrections.append(noteLaunchState(of: application.record))
            }
            self.applications[record.id] = application
        }
        for record in sessions { self.sessions[record.id] = Session(record) }
        let limits = self.sessions.values.sorted { $0.id < $1.id }
            .map { Effect.limitRates($0.configuration.rates, session: $0.id) }
        relaunchesBegin = now.addingTimeInterval(policy.relaunchGrace)
        var effects =
            [.limitRates(rates, session: nil)] + limits + corrections + followClock(at: now)
            // Whether there is a network is found out anew.
            + [commit([.endNetworkWait], .relaxed, then: .networkIsBack)] + searchForTasks(at: now)
        effects.append(query(.earliestDeadline))
        for identifier in self.applications.keys.sorted() {
            effects += evaluateRelaunch(of: identifier, at: now)
        }
        // What was left empty when everybody died goes.
        for record in sessions where record.counts.isEmpty {
            effects.append(query(.session(record.id)))
        }
        return effects + evaluateIdleness(at: now)
    }

    /// The number of the application that a session belongs to; `nil` where the session is gone.
    func application(ofSession id: Int64) -> Int64? { sessions[id]?.applicationID }

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
        case .idle: idleTimePassed(at: now)
        }
    }

    // MARK: Commits and queries

    /// Notes a commit and returns its effect.
    mutating func commit(
        _ mutations: [Mutation],
        _ durability: Durability = .synchronized,
        then continuation: Continuation = .nothing
    ) -> Effect {
        operationCount += 1
        return .commit(mutations, durability, continuation)
    }

    /// Notes a query and returns its effect.
    mutating func query(_ query: Query) -> Effect {
        operationCount += 1
        if query.isForEnding { endingQueryCount += 1 }
        return .query(query)
    }
}
