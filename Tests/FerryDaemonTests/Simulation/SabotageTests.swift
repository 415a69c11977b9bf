import FerryStore
import FerryWire
import Testing

@testable import FerryDaemon

/// A simulation that cannot fail proves nothing: each of these mistakes must be found.
@Suite(.timeLimit(.minutes(5))) struct SabotageTests {
    /// The rarest ones are found in one history of some hundred; as a rule it takes a few.
    private static let historyCount = 2000

    @Test(arguments: Sabotage.allCases)
    func `the simulation finds what is wrong`(_ sabotage: Sabotage) {
        let base = UInt64.random(in: 0 ... .max / 2)
        let isFound = (0..<Self.historyCount).contains { offset in
            let simulation = Simulation(seed: base + UInt64(offset), sabotage: sabotage)
            simulation.run()
            return simulation.violation != nil
        }
        #expect(isFound, "not in \(Self.historyCount) histories from \(base) on")
    }
}

/// A mistake that is built into the simulated world, to see that it is found.
enum Sabotage: CaseIterable, Sendable {
    /// A client is told that its task is there before it is in the store.
    case acknowledgesBeforeCommit
    /// An event of the log is sent twice.
    case deliversTwice
    /// A search for tasks is forgotten, with all that waits for its answer.
    case losesWakeUp
    /// Now and then nobody sets the timer that looks after the tasks that back off.
    case losesTimer
    /// After a power cut the length of a file is taken for the length of its content.
    case trustsLengthAfterPowerCut
    /// The store does not find some of the tasks that wait.
    case forgetsWaitingTasks
    /// A transfer is continued without its validator, whatever the version on the server is now.
    case mixesVersions
    /// More transfers run than may.
    case exceedsBudget
    /// Nothing is waited for to be on the disk.
    case relaxesCommits
    /// An application is not started for its events.
    case forgetsRelaunch
    /// The event that reports the end of a task does not say where its file is.
    case endsWithoutFile
    /// A transfer goes on when it is stopped.
    case keepsTransfers
    /// The daemon stays with nothing to do.
    case staysForever
    /// A session is thought to be empty when it is not.
    case overlooksTasks
    /// An acknowledgement is answered, but the event stays.
    case forgetsAcknowledgements
    /// A copy of what a task sends is said to be there and is not.
    case losesCopies
    /// An upload is not continued where its server keeps it.
    case forgetsUploads
    /// An application is not told what it has to decide.
    case losesQuestions
    /// Further connections are used that were not lent.
    case takesUnlentConnections
    /// A further connection is not given back now and then.
    case keepsConnections
    /// It is not heard how fast a task may load.
    case forgetsRates
    /// It is not looked whether an application has more than its share.
    case neverShares
    /// A host that fails for one application is left alone by all of them.
    case blamesOthers
    /// The daemon's moments are of the time of day, whoever sets that.
    case followsWallClock
    /// The dates of applications stay where they were when the clock is set.
    case forgetsDates
    /// Nobody looks when other hours of the timetable begin.
    case forgetsHours
    /// A task that follows another gets only a half of its file.
    case losesSharedBytes
    /// It is forgotten that a user has quit an application.
    case forgetsQuit
    /// It is forgotten how many bytes a task had that has lost them.
    case forgetsLosses
    /// It is not seen that an attempt has won something.
    case overlooksGains
    /// What has failed is tried again at once.
    case neverPauses
    /// Now and then a task is said to have failed once more than it has.
    case miscountsAttempts
    /// It is not seen that connections from before the machine's sleep are dead.
    case keepsDeadConnections
    /// The machine may sleep before what was loaded is on the disk.
    case sleepsTooSoon
    /// A condition that tasks avoid is not reported.
    case overlooksConditions
    /// Now and then an effect is performed twice.
    case performsTwice
    /// Now and then an effect is not performed.
    case skipsEffects
    /// Now and then two effects are performed in the wrong order.
    case swapsEffects
}

extension Sabotage {
    /// Whether it shows only where the machine sleeps, which is in one history of eight.
    var isAboutSleep: Bool { self == .keepsDeadConnections || self == .sleepsTooSoon }

    /// Changes a commit.
    func falsify(_ commit: inout CommitBacklog.Commit) {
        switch (self, commit.continuation) {
        case (.relaxesCommits, _):
            commit.durability = .relaxed
        case (.forgetsAcknowledgements, .acknowledged), (.forgetsQuit, .quit):
            commit.mutations = []
        case (.endsWithoutFile, .ended):
            commit.mutations = commit.mutations.map { mutation in
                guard case .completeTask(let key, var end) = mutation else { return mutation }
                end.path = nil
                return .completeTask(key, end)
            }
        case (.forgetsLosses, .backedOff):
            commit.mutations = commit.mutations.map {
                $0.changingFailure { $0.mostByteCount = nil }
            }
        case (.overlooksGains, .backedOff):
            commit.mutations = commit.mutations.map {
                $0.changingFailure { $0.mostByteCount = .max }
            }
        case (.neverPauses, .backedOff):
            commit.mutations = commit.mutations.map { mutation in
                guard case .setRetry(let task, let attempts, _, let failure) = mutation else {
                    return mutation
                }
                return .setRetry(task: task, attempts: attempts, notBefore: nil, lastError: failure)
            }
        case (.miscountsAttempts, .backedOff(let task)) where task.rawValue.isMultiple(of: 3):
            commit.mutations = commit.mutations.map { mutation in
                guard case .setRetry(let task, let attempts, let date, let failure) = mutation
                else {
                    return mutation
                }
                return .setRetry(
                    task: task,
                    attempts: attempts + 1,
                    notBefore: date,
                    lastError: failure
                )
            }
        default:
            break
        }
    }

    /// Changes what the store has found.
    func falsify(_ finding: DaemonStateMachine.Finding) -> DaemonStateMachine.Finding {
        switch (self, finding) {
        case (.forgetsWaitingTasks, .candidates(var candidates, let search)):
            candidates.tasks.removeAll { $0.id.rawValue.isMultiple(of: 3) }
            return .candidates(candidates, for: search)
        case (.overlooksTasks, .session(var record?)):
            record.counts = SessionCounts()
            return .session(record)
        default:
            return finding
        }
    }
}

extension Mutation {
    /// Changes what the store keeps about an attempt that has failed.
    fileprivate func changingFailure(_ change: (inout AttemptFailure) -> Void) -> Mutation {
        guard case .setRetry(let task, let attempts, let notBefore, let bytes) = self,
            var failure = bytes?.value
        else { return self }
        change(&failure)
        return .setRetry(
            task: task,
            attempts: attempts,
            notBefore: notBefore,
            lastError: Encoded(failure)
        )
    }
}

/// A driver that performs effects wrongly.
final class SabotagedDriver: DaemonDriver<SimulatedDaemon> {
    private let sabotage: Sabotage
    private unowned let daemon: SimulatedDaemon

    /// Makes one, if the mistake is one of the driver.
    init?(_ sabotage: Sabotage, _ machine: DaemonStateMachine, in daemon: SimulatedDaemon) {
        guard [.performsTwice, .skipsEffects, .swapsEffects].contains(sabotage) else { return nil }
        self.sabotage = sabotage
        self.daemon = daemon
        super.init(machine, in: daemon)
    }

    override func perform(_ effects: [DaemonStateMachine.Effect]) {
        var effects = effects
        if !effects.isEmpty, daemon.world.random.happens(percent: 5) {
            let index = Int.random(in: effects.indices, using: &daemon.world.random)
            switch sabotage {
            case .performsTwice: effects.insert(effects[index], at: index)
            case .skipsEffects: effects.remove(at: index)
            case .swapsEffects where index > 0: effects.swapAt(index, index - 1)
            default: break
            }
        }
        super.perform(effects)
    }
}
