import FerryTestSupport
@preconcurrency import Glibc
import Testing

/// Histories of the daemon at random: whatever happens, the README's promises are kept.
///
/// A history that fails says its seed; `make simulate SEED=…` repeats it, with a record of all that
/// goes on.
@Suite(.timeLimit(.minutes(600))) struct SimulationTests {
    private static let workerCount = 2

    /// Histories that have shown a mistake once.
    private static let regressionSeeds: [UInt64] = [
        // Started for events that were taken, while the queue could not be read.
        1_025_001_958_557_952_686,
        // The store knew of another address before the transfer did: the check was wrong.
        1_715_138_236_579_112_106,
        // A copy came with a repeated call, and with what the store had known before the attempt ended.
        1_007_425_779_807_293_527,
        // A process made a task while the next one opened its session, which was told the same number.
        4_173_334_673_806_784_823,
        // A file was being made sure of: the check was wrong.
        16_677_132_825_876_975,
        // A person had a task forgotten that had ended: the promise was wrong.
        3_469_776_382_924_712_676,
        // Moments of another boot were mended late, as the disk was full, and nobody looked after the deadlines.
        990_691_221_956_610_732,
        160_152_419_927_253_131,
        // The moment of an application's next start was mended in memory alone.
        152_844_146_944_662_165,
        // A search found a file that was being copied by then, and nobody looked for another task in its place.
        1_722_478_328_567_792_980,
        // Of two processes that opened a session at once, the slower one kept another's start back.
        2_983_872_738_155_467_034,
        // A wait for a share was counted while ferryd was dead: the check was wrong.
        141_823_283_787_358_171,
        // An acknowledgement came behind the end of its session: the check was wrong.
        400_568_402_428_411_730,
        // A task whose date had come waited for the disk, and the clock was set back: the check was wrong.
        3_034_920_133_279_824_080,
        // A person had a task forgotten whose end was in its process's queue: the check was wrong.
        684_482_339_328_984_026,
        // A transfer went on where a search had found places, and nobody looked for tasks of another host.
        2_998_246_661_087_631_395,
        // A task began with the bytes of resume data, and won none: the check was wrong.
        2_159_636_536_944_036_771,
        // A task that had waited for its share got it as the disk became full: the check was wrong.
        636_981_315_645_425_504,
        // A task was postponed for want of room while its date followed the clock, and began when there was room.
        289_125_749_901_943_662,
        // A task that avoided hours alone waited for services that nobody asked any more.
        3_554_940_576_076_418_984,
        // The machine had slept, and the timer for the next hours was yet to fire: the check was wrong.
        1_450_939_426_291_346_017,
        // A task was found that avoided unknown conditions, and nobody looked for one that avoided none.
        321_748_796_187_821_240,
        // An upload that its server had refused counted as sent when its password came, and was sent on a metered network.
        375_334_076_097_120_134,
        // A task that was to have its share was hidden by its application's tasks for a full host.
        4_000_715_299_865_338_973,
        // A wait for a share was counted while the queue could not be read: the check was wrong.
        544_028_437_807_777_946,
        // A task that had left its place could have one again while the queue was searched, and nobody looked for it.
        2_041_273_609_293_459_837,
        // A session's tasks could not be cancelled, and it was deleted although its client had it open.
        911_278_117_811_537_958,
        // Resume data was sent again after a task had been made of it: the check was wrong.
        4_202_575_773_459_677_093,
        // A clock that was set between the search that has found a task and its start.
        2_836_787_071_971_855_918,
    ]

    @Test func `whatever happens, every promise is kept`() async throws {
        let seeds = HistorySeeds(count: 2_000)
        guard !seeds.isReplay else {
            return Self.report(Self.history(seed: seeds.all.lowerBound, isTraced: true))
        }
        let clock = ContinuousClock()
        let start = clock.now
        let tally = await Self.tally(of: seeds.all)
        print(tally.summary(of: seeds.all, after: clock.now - start))
        // Of fewer, some may miss what is rare.
        guard tally.historyCount >= 100_000 else { return }
        for happening in Happening.allCases {
            #expect(tally.happenings[happening] != nil, "\(happening) never happens")
        }
    }

    @Test(arguments: regressionSeeds)
    func `what went wrong once goes right`(_ seed: UInt64) {
        Self.report(Self.history(seed: seed, isTraced: true))
    }

    @Test func `a seed determines a history, in every process`() async {
        let first = HistorySeeds(count: 1).all.lowerBound
        let fingerprint = Self.fingerprint(of: 100, from: first)
        // Another process has other hashes, and so another order in every set.
        await #expect(processExitsWith: .success) {
            [first = first as UInt64, fingerprint = fingerprint as UInt64] in
            precondition(Self.fingerprint(of: 100, from: first) == fingerprint)
        }
    }

    /// What many histories lead to: if one depended on an order that nothing determines, few would show it.
    private static func fingerprint(of count: UInt64, from first: UInt64) -> UInt64 {
        (first..<first + count).reduce(0) { $0 &* 31 &+ history(seed: $1).fingerprint }
    }

    @Test func `a history that fails says how to repeat it`() throws {
        let failed = try #require(
            (0..<2000).lazy
                .map { Simulation(seed: $0, sabotage: .endsWithoutFile, isTraced: true) }
                .first {
                    $0.run()
                    return $0.violation != nil
                }
        )
        let lines = failed.report?.split(separator: "\n") ?? []
        #expect(lines.contains("Again with: make simulate SEED=\(failed.seed)"))
        #expect(lines.last?.contains("VIOLATION") == true)
    }

    @Test func `a history that crashes says how to repeat it`() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            CrashNotes.install
            CrashNotes.record(1234, worker: 1)
            preconditionFailure()
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("Again with: make simulate SEED=1234 "))
    }

    // MARK: Running

    /// Goes through histories, on all processors, until one fails.
    private static func tally(of seeds: Range<UInt64>) async -> SimulationTally {
        CrashNotes.install
        return await withTaskGroup { group in
            for worker in 0..<workerCount {
                group.addTask { await histories(seeds, worker: worker) }
            }
            var total = SimulationTally()
            for await part in group {
                total.add(part)
                if part.hasFailed { group.cancelAll() }
            }
            return total
        }
    }

    private static func histories(_ seeds: Range<UInt64>, worker: Int) async -> SimulationTally {
        var tally = SimulationTally()
        let first = seeds.lowerBound + UInt64(worker)
        for seed in stride(from: first, to: seeds.upperBound, by: workerCount) {
            // Other tests run between two histories: the workers have all threads of Swift's pool.
            await Task.yield()
            guard !Task.isCancelled else { break }
            CrashNotes.record(seed, worker: worker)
            let simulation = history(seed: seed)
            tally.count(simulation)
            guard tally.hasFailed else { continue }
            report(history(seed: seed, isTraced: true))
            break
        }
        return tally
    }

    private static func history(seed: UInt64, isTraced: Bool = false) -> Simulation {
        let simulation = Simulation(seed: seed, isTraced: isTraced)
        simulation.run()
        return simulation
    }

    private static func report(_ simulation: Simulation) {
        if let report = simulation.report { Issue.record("\(report)") }
    }
}

/// What has happened in many histories.
struct SimulationTally {
    private(set) var historyCount = 0
    /// How often each thing has happened.
    private(set) var happenings: [Happening: Int] = [:]
    /// How many things have happened, of any kind.
    private(set) var eventCount = 0
    /// How often the store was asked.
    private(set) var queryCount = 0
    /// What all histories lead to: if one differs, this does.
    private(set) var fingerprint: UInt64 = 0
    /// Whether a promise was broken.
    private(set) var hasFailed = false

    mutating func count(_ simulation: Simulation) {
        historyCount += 1
        eventCount += simulation.eventCount
        queryCount += simulation.queryCount
        // The order of the histories depends on the processors.
        fingerprint &+= simulation.fingerprint &* (simulation.seed | 1)
        happenings.merge(simulation.happenings, uniquingKeysWith: +)
        hasFailed = hasFailed || simulation.violation != nil
    }

    mutating func add(_ other: SimulationTally) {
        historyCount += other.historyCount
        eventCount += other.eventCount
        queryCount += other.queryCount
        fingerprint &+= other.fingerprint
        happenings.merge(other.happenings, uniquingKeysWith: +)
        hasFailed = hasFailed || other.hasFailed
    }

    /// The numbers in words.
    func summary(of seeds: Range<UInt64>, after duration: Duration) -> String {
        let seconds = max(duration / .seconds(1), 0.001)
        let rate = Int(Double(historyCount) / seconds)
        let counts = Happening.allCases.map { "\($0) \(happenings[$0] ?? 0)" }
        return """
            \(historyCount) histories from seed \(seeds.lowerBound) on, \(eventCount) events, in \
            \(Int(seconds)) s: \(rate) histories a second\(hasFailed ? ", FAILED" : "")
            \(counts.joined(separator: ", "))
            \(queryCount) queries, fingerprint \(String(fingerprint, radix: 16))
            """
    }
}

/// Says which histories were under way when a trap ends the process, which reports nothing else.
enum CrashNotes {
    private static let lineLength = 64
    private static let lineCount = 8
    private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT]
    // The handler only writes what lies ready: in a crash nothing else can be relied upon.
    nonisolated(unsafe) private static let lines = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: lineLength * lineCount
    )
    nonisolated(unsafe) private static let earlier = UnsafeMutableBufferPointer<sigaction>.allocate(
        capacity: 65
    )

    /// Has the notes written when the process crashes, ahead of what a crash does anyway.
    static let install: Void = {
        lines.initialize(repeating: UInt8(ascii: "\n"))
        earlier.initialize(repeating: sigaction())
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            _ = write(STDERR_FILENO, CrashNotes.lines.baseAddress, CrashNotes.lines.count)
            // The instruction is executed again and ends in what was there before.
            sigaction(number, &CrashNotes.earlier[Int(number)], nil)
        }
        for number in signals { sigaction(number, &action, &earlier[Int(number)]) }
    }()

    /// Notes what a worker goes through from now on.
    static func record(_ seed: UInt64, worker: Int) {
        let text = "Again with: make simulate SEED=\(seed)"
        let line = lines.extracting(worker * lineLength..<(worker + 1) * lineLength)
        let blanks = repeatElement(UInt8(ascii: " "), count: lineLength - text.utf8.count - 1)
        _ = line.update(fromContentsOf: Array(text.utf8) + blanks + [UInt8(ascii: "\n")])
    }
}
