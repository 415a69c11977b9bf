import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// A machine on a workbench: its effects are written down, its store is the model, and each of
/// the store's answers comes when a test asks for it.
struct MachineBench {
    typealias Machine = DaemonStateMachine
    typealias Effect = DaemonStateMachine.Effect

    /// What a call was answered with.
    enum Outcome: Equatable {
        case answer(Machine.Answer)
        case refusal(TransferInterfaceError)

        static let done = Outcome.answer(.done)

        /// Whether the call was refused as the store could not do its part, for whatever reason.
        var isStoreUnavailable: Bool {
            if case .refusal(.storeUnavailable) = self { true } else { false }
        }
    }

    var machine: Machine
    var database: ModelDatabase
    var now: Date
    /// Why the store fails, while it does.
    var failure: StoreError?
    /// Resume data for the tasks that have any.
    var resumeData: [TaskID: Data] = [:]
    /// Whether resume data are never made, as of a file that does not answer.
    var makesNoResumeData = false

    /// The conditions that this machine is in; `nil` while its services have yet to answer.
    var conditions: Conditions? = []

    /// The conditions that are watched.
    private(set) var observed: Conditions = []
    /// Everything that was performed, in order.
    private(set) var effects: [Effect] = []
    private(set) var outcomes: [CallID: Outcome] = [:]
    private(set) var events: [CallID: [Wire.Event]] = [:]
    private(set) var timers: [Machine.Timer: Date] = [:]
    /// The tasks that have a transfer.
    private(set) var transfers: [TaskID: Machine.TransferStart] = [:]
    /// What the transfers were told of what their servers want to know.
    private(set) var challengeAnswers: [TaskID: [LoadChallengeAnswer]] = [:]
    private(set) var launches: [String] = []
    private(set) var adoptions: [TaskRecord] = []
    /// The uploads whose servers are to forget them.
    private(set) var terminations: [TaskID] = []
    /// The files that are to be made sure of.
    private(set) var securings: [(task: TaskID, upload: UploadState, call: CallID)] = []
    /// The transfers that were asked for a connection back.
    private(set) var recalls: [(task: TaskID, host: String?)] = []
    /// The files that are to be copied.
    private(set) var copies: [Machine.FileCopy] = []
    /// The tasks whose files are being forced onto the disk.
    private(set) var tasksPutDown: [TaskID] = []
    /// What was held against the machine's sleep, one after the other.
    private(set) var inhibitions: [MachineSleep.Inhibition] = []
    private(set) var hasExited = false
    private var line = StoreLine()
    private var lastNumber: Int64 = 1000

    /// Sets a machine up for a queue as it was left, and lets it find nothing to do.
    init(
        _ policy: DaemonPolicy = .bench,
        on database: ModelDatabase = ModelDatabase(),
        at now: Date = moment(0),
        clock: DaemonClock = DaemonClock(
            boot: BootIdentifier(rawValue: "bench"),
            wall: moment(0),
            sinceBoot: 0
        ),
        localClock: LocalClock = .utc,
        failing failure: StoreError? = nil
    ) {
        self.failure = failure
        self.database = database
        self.now = now
        let store = database.current
        machine = Machine(
            policy: policy,
            nextTaskID: store.nextTaskID,
            clock: clock,
            localClock: localClock,
            random: LeastRandom()
        )
        let applications = store.allApplications()
        let sessions = applications.flatMap { store.sessions(application: $0.id) }
        perform(
            machine.handle(at: now) { $0.start(applications: applications, sessions: sessions) }
        )
        settle()
    }

    // MARK: Inputs and effects

    /// Gives the machine an input and notes the effects.
    ///
    /// Where the optimizer of Swift 6.3.1 inlines this and nobody wants the array, it frees the array
    /// before it fills it.
    ///
    /// - Returns: The effects of this input alone.
    @inline(never) @discardableResult
    mutating func input(_ body: (inout Machine) -> Void) -> [Effect] {
        let mark = effects.count
        perform(machine.handle(at: now, body))
        return Array(effects[mark...])
    }

    private mutating func perform(_ batch: [Effect]) {
        var pending = batch
        while !pending.isEmpty {
            let effect = pending.removeFirst()
            effects.append(effect)
            pending += perform(effect)
        }
    }

    /// Notes an effect; what performing it at once brings about comes back.
    private mutating func perform(_ effect: Effect) -> [Effect] {
        switch effect {
        case .commit(let mutations, let durability, let continuation):
            line.submit(
                StoreLine.Commit(
                    mutations: mutations,
                    durability: durability,
                    continuation: continuation
                )
            )
        case .query(let query): line.submit(query)
        case .answer(let call, let answer): outcomes[call] = .answer(answer)
        case .refuse(let call, let error): outcomes[call] = .refusal(error)
        case .send(let call, let event): events[call, default: []].append(event)
        case .sendEnd(let call, let record):
            if let event = record.sent { events[call, default: []].append(event) }
        case .start(let start): transfers[start.task.id] = start
        case .limitRate, .limitRates, .prioritize: break
        case .revokeConnection(let task, let host): recalls.append((task, host))
        case .stop(let task): transfers[task] = nil
        case .flush(let task):
            transfers[task] = nil
            tasksPutDown.append(task)
        case .renewConnections, .allowSleep: break
        case .inhibit(let inhibition): inhibitions.append(inhibition)
        case .answerChallenge(let task, let answer):
            challengeAnswers[task, default: []].append(answer)
        case .adopt(_, let task): adoptions.append(task)
        case .secure(let task, let upload, let call): securings.append((task, upload, call))
        case .makeResumeData where makesNoResumeData: break
        case .makeResumeData(let task, let ending):
            let result = resumeData[task.id].map { Result<_, ResumeData.Unavailable>.success($0) }
            return machine.handle(at: now) {
                $0.madeResumeData(result ?? .failure(.nothingReceived), of: task, ending)
            }
        case .launch(_, _, let session): launches.append(session)
        case .observe(let kinds):
            observed = kinds
            let present = conditions?.intersection(kinds)
            return machine.handle(at: now) { $0.conditionsChanged(to: present) }
        case .setTimer(let timer, let date): timers[timer] = date
        case .exit: hasExited = true
        case .terminate(let task, _): terminations.append(task.id)
        case .copyFile(let copy): copies.append(copy)
        case .abandonCopy, .endSubscription, .forgetConnections, .forgetSession, .seal, .keepFile,
            .discardFile,
            .removeFile, .changed, .waitsChanged, .removed, .log:
            break
        }
        return []
    }

    // MARK: The store and the clock

    /// Lets the store do its next job and give the machine what came of it.
    mutating func step() {
        for outcome in line.runNext(on: &database, failure: failure) { take(outcome) }
    }

    /// Lets the store do its next job, whose outcomes the test passes on itself.
    mutating func stepHoldingBack() -> [StoreLine.Outcome] {
        line.runNext(on: &database, failure: failure)
    }

    /// Gives the machine what came of a job of the store.
    mutating func take(_ outcome: StoreLine.Outcome) {
        switch outcome {
        case .committed(let receipt, let commit):
            input { $0.committed(receipt, commit.continuation) }
        case .failed(let error, let commit):
            input { $0.commitFailed(error, commit.continuation) }
        case .answered(let query, let result):
            input { $0.answered(query, result) }
        }
    }

    /// Lets the store do everything that is asked of it.
    mutating func settle() {
        while !line.isEmpty { step() }
    }

    /// Lets time pass, with the timers that become due.
    mutating func wait(_ seconds: Double) {
        let end = now + seconds
        while let next = timers.filter({ $0.value <= end }).min(by: { $0.value < $1.value }) {
            now = max(now, next.value)
            fire(next.key)
            settle()
        }
        now = end
    }

    /// Lets a timer fire now; what it asks of the store is still to be done.
    mutating func fire(_ timer: Machine.Timer) {
        timers[timer] = nil
        input { $0.timerFired(timer) }
    }

    /// A number that nothing else has.
    mutating func makeNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// Forgets what was performed so far.
    mutating func forgetEffects() { effects = [] }

    /// The lines of the log so far.
    var log: [String] {
        effects.compactMap { effect in
            if case .log(_, let text, _) = effect { text } else { nil }
        }
    }

    /// The tasks whose transfers were started, in order.
    var startedTasks: [TaskID] {
        effects.compactMap { effect in
            if case .start(let start) = effect { start.task.id } else { nil }
        }
    }

    /// Whether the store has something to do.
    var hasWork: Bool { !line.isEmpty }
}

extension DaemonPolicy {
    /// Limits that few tasks reach.
    static var bench: DaemonPolicy {
        var policy = DaemonPolicy()
        policy.maximumTransfers = 4
        policy.maximumTransfersPerHost = 3
        policy.eventPageSize = 4
        return policy
    }
}

/// Chance that always takes the least there is, so that delays are half of what they may be.
struct LeastRandom: RandomNumberGenerator, Sendable {
    mutating func next() -> UInt64 { 0 }
}

extension DaemonStateMachine {
    /// How much is under way that changes what the daemon knows of tasks: in the store, and to make resume data.
    var operationCount: Int { work.count(in: .store) + work.count(in: .partialFile) }

    /// How many applications' files something is done with.
    var fileOperationCount: Int { work.count(in: .applicationFile) }
}
