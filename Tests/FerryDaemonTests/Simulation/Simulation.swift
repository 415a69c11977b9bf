import FerryStore
import FerrySystem
import FerryTransfer
import FoundationEssentials

@testable import FerryDaemon

/// A world in which the daemon's decisions are tried: clocks, disks, servers, applications and
/// persons, all of them in one process and without waiting.
///
/// A seed determines everything that happens. For a while faults come at random; then the world
/// is healed, runs until nothing is left to happen, and every promise must have been kept.
final class Simulation {
    let seed: UInt64
    let sabotage: Sabotage?
    let policy: DaemonPolicy
    /// Whether nothing goes wrong, but two applications want more than slow servers bring.
    let isCrowded: Bool
    /// Whether nothing goes wrong, but servers cut off their answers again and again, as long as there are any.
    let isCutShort: Bool
    /// Whether the machine sleeps now and then.
    let isSleepy: Bool
    /// Whether tasks avoid conditions, which come and go.
    let hasConditions: Bool
    /// How often in a thousand events something is killed.
    let killRate: Double
    var random: SeededRandom
    /// Seconds since the beginning.
    private(set) var now = 0.0
    private(set) var eventCount = 0
    /// How often the store was asked.
    private(set) var queryCount = 0
    /// What was not as it must be, the first of it.
    private(set) var violation: String?
    /// How often each thing has happened.
    private(set) var happenings: [Happening: Int] = [:]
    /// What happened, if somebody wants to read it.
    private(set) var trace: [String]?
    private var events = EventQueue()
    private var lastNumber: Int64 = 0
    private var lastProcess: Int32 = 100

    var database = ModelDatabase()
    var disk = SimulatedDisk()
    var servers: SimulatedServers
    var sources = SimulatedSources()
    var uploads = SimulatedUploads()
    var daemon: SimulatedDaemon?
    var programs: [SimulatedProgram] = []
    var processes: [SimulatedProcess] = []
    var promises = Promises()
    /// Since when tasks wait whose applications have fewer places than they should.
    var unfairSince: [TaskID: Double] = [:]
    /// Since when a sleep that was announced does not come, which nobody says.
    var forgottenSince: Double?
    /// The hosts that have failed for an application.
    var failedLines: Set<HostBreaker.Line> = []
    /// The tasks whose date has come, or that a person has let go.
    var releasedTasks: Set<TaskID> = []
    /// What has become of the world's troubles.
    var season = Season.wild
    var connectivity = Connectivity.connected
    /// The conditions that the machine is in.
    var conditions: Conditions = []
    var conditionRandom: SeededRandom
    /// By how much the time of day is ahead of what it was at first.
    var wallOffset = 0.0
    /// The user's timetable, and the time zone that it is of.
    var timetable = Timetable()
    let zone = SettableZone()
    /// The present boot, and when it began.
    var boot = (number: 1, start: 0.0)
    /// The sleep that the machine is about to.
    var announcement: Int64?
    /// Whether the machine has slept, and the daemon is about to be told.
    var isWaking = false
    /// Whether nothing can be written.
    var isDiskFull = false
    var storeFailure: StoreError?

    /// How the world goes on.
    enum Season {
        /// Everything may happen.
        case wild
        /// No faults any more; applications are started by the daemon alone.
        case calm
        /// Persons start every application, which brings everything to its end.
        case harvest
    }

    /// Creates a world.
    ///
    /// - Parameters:
    ///   - seed: What determines all that happens.
    ///   - sabotage: A mistake to build in.
    ///   - isTraced: Whether a record is kept for reading.
    init(seed: UInt64, sabotage: Sabotage? = nil, isTraced: Bool = false) {
        self.seed = seed
        self.sabotage = sabotage
        trace = isTraced ? [] : nil
        random = SeededRandom(seed: seed)
        var policy = DaemonPolicy()
        policy.maximumTransfers = 1 + random.number(below: 6)
        policy.maximumTransfersPerHost = 1 + random.number(below: 5)
        // Many are over by the time that is looked otherwise.
        policy.shareReviewInterval = 1
        policy.eventPageSize = random.happens(percent: 50) ? 2 : 64
        policy.diskFullDelay = 5
        policy.minimumSlotTime = 4
        policy.stallTime = 15
        policy.longestBelievedWait = 400
        let killRate: Double = random.one(of: [0, 2, 8, 20])
        servers = SimulatedServers(using: &random)
        // Those that have shown a mistake once are neither.
        isCrowded = seed % 16 == 13
        isCutShort = seed % 16 == 3
        isSleepy = seed % 8 == 1 || sabotage?.isAboutSleep == true
        hasConditions = [1, 6, 8, 9].contains(seed % 16)
        conditionRandom = SeededRandom(seed: ~seed)
        self.killRate = killRate
        if isCrowded {
            policy.maximumTransfers = 3
            policy.maximumTransfersPerHost = 3
            servers.slowDown()
        }
        self.policy = policy
        for number in 0..<(1 + (isCrowded ? 1 : random.number(below: 2))) {
            programs.append(
                SimulatedProgram(number, isGreedy: isCrowded || isCutShort, using: &random)
            )
        }
    }

    /// What a history leads to: two that differ anywhere differ in this.
    var fingerprint: UInt64 {
        var random = random
        return random.next() ^ UInt64(eventCount) ^ now.bitPattern
    }

    /// What went wrong, how to repeat it, and the record of it.
    var report: String? {
        guard let violation else { return nil }
        return """
            \(violation)
            Again with: make simulate SEED=\(seed)
            \((trace ?? []).suffix(400).joined(separator: "\n"))
            """
    }

    /// The present moment, as the daemon's clock shows it.
    var date: Date {
        guard let daemon, sabotage != .followsWallClock else { return wall }
        return daemon.driver.machine.clock.now(sinceBoot: sinceBoot)
    }

    /// The time of a moment.
    func time(of date: Date) -> Double { now + date.timeIntervalSince(self.date) }

    /// Runs from the beginning to the end.
    func run() {
        for program in programs {
            schedule(after: random.fraction() * 3) { world in
                _ = SimulatedProcess(program, in: world)
            }
        }
        schedule(after: 1) { $0.changeConditions() }
        let length = 5 + random.fraction() * 60
        schedule(at: length) { $0.calmDown() }
        runUntilNothingIsLeft()
        checkRelaunches()
        harvest()
        runUntilNothingIsLeft()
        checkEnd()
    }

    private func runUntilNothingIsLeft() {
        while violation == nil, let event = events.next() {
            now = max(now, event.time)
            eventCount += 1
            if eventCount > 50_000 { return fail("it does not come to an end") }
            if season == .wild { disturb() }
            if event.lifetime?.isOver != true { event.action(self) }
            if random.happens(percent: 25) { checkInstant() }
        }
    }

    /// Time passes in which nothing happens; what was to happen meanwhile happens afterwards.
    func jump(by seconds: Double) { now += seconds }

    // MARK: What everything needs

    /// Lets something happen later, unless its cause is gone by then.
    func schedule(
        after delay: Double,
        _ lifetime: Lifetime? = nil,
        _ action: @escaping (Simulation) -> Void
    ) {
        schedule(at: now + delay, lifetime, action)
    }

    /// Lets something happen at a time, unless its cause is gone by then.
    func schedule(
        at time: Double,
        _ lifetime: Lifetime? = nil,
        _ action: @escaping (Simulation) -> Void
    ) {
        events.insert(EventQueue.Event(time: time, lifetime: lifetime, action: action))
    }

    /// A number that nothing else has.
    func makeNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// A number for a process.
    func makeProcessNumber() -> Int32 {
        lastProcess += 1
        return lastProcess
    }

    /// Whether something happens that does so, while the world is wild, so often in a thousand
    /// times.
    func happens(perThousand part: Double) -> Bool {
        season == .wild && !isCrowded && !isCutShort && random.happens(percent: part / 10)
    }

    /// Keeps a line for the reader.
    func record(_ text: @autoclosure () -> String) {
        guard trace != nil else { return }
        trace?.append("\((now * 10_000).rounded() / 10_000) \(text())")
    }

    /// Counts a query to the store.
    func countQuery() { queryCount += 1 }

    /// Counts something that has happened.
    func count(_ happening: Happening) { happenings[happening, default: 0] += 1 }

    /// Something is not as it must be.
    func fail(_ text: String) {
        record("VIOLATION: \(text)")
        violation = violation ?? text
    }

    /// The daemon, started if there is none.
    func daemonForClient() -> SimulatedDaemon {
        if let daemon { return daemon }
        let started = SimulatedDaemon(in: self)
        daemon = started
        return started
    }
}
