import FerryTestSupport
import Testing

/// Histories of downloads from several places at random: whatever happens, the file is one version.
///
/// A history that fails says its seed; `make simulate SEED=…` repeats it, with a record of all that goes on.
@Suite(.timeLimit(.minutes(600))) struct MirrorSimulationTests {
    private static let workerCount = 2

    /// Histories that have shown a mistake once.
    private static let regressionSeeds: [UInt64] = [
        // A response that only repeated the end of a file with gaps was divided among connections.
        1_321_250_675_114_071_008
    ]

    @Test(arguments: regressionSeeds)
    func `what went wrong once goes right`(_ seed: UInt64) {
        Self.report(seed: seed)
    }

    @Test func `wherever parts come from, the file is one version of the resource`() async {
        let seeds = HistorySeeds(count: 10_000)
        guard !seeds.isReplay else { return Self.report(seed: seeds.all.lowerBound) }
        let clock = ContinuousClock()
        let start = clock.now
        let tally = await Self.tally(of: seeds.all)
        let counts = MirrorHappening.allCases.map { "\($0) \(tally[$0] ?? 0)" }
        print(
            """
            \(seeds.all.count) histories of mirrors from seed \(seeds.all.lowerBound) on, in \
            \(Int((clock.now - start) / .seconds(1))) s
            \(counts.joined(separator: ", "))
            """
        )
        guard seeds.all.count >= 10_000 else { return }
        for happening in MirrorHappening.allCases {
            #expect(tally[happening] != nil, "\(happening) never happens")
        }
    }

    /// Goes through histories, on all processors; each worker until one fails.
    private static func tally(of seeds: Range<UInt64>) async -> [MirrorHappening: Int] {
        await withTaskGroup { group in
            for worker in 0..<workerCount {
                group.addTask { await histories(seeds, worker: worker) }
            }
            var total: [MirrorHappening: Int] = [:]
            for await part in group { total.merge(part, uniquingKeysWith: +) }
            return total
        }
    }

    private static func histories(
        _ seeds: Range<UInt64>,
        worker: Int
    ) async -> [MirrorHappening: Int] {
        var tally: [MirrorHappening: Int] = [:]
        let first = seeds.lowerBound + UInt64(worker)
        for seed in stride(from: first, to: seeds.upperBound, by: workerCount) {
            // Other tests run between two histories: the workers have all threads of Swift's pool.
            await Task.yield()
            let history = MirrorHistory(seed: seed)
            do {
                try history.run()
            } catch {
                report(seed: seed)
                break
            }
            tally.merge(history.happenings, uniquingKeysWith: +)
        }
        return tally
    }

    private static func report(seed: UInt64) {
        let history = MirrorHistory(seed: seed, isTraced: true)
        do {
            try history.run()
        } catch {
            let trace = (history.trace ?? []).suffix(300).joined(separator: "\n")
            Issue.record("\(error)\nAgain with: make simulate SEED=\(seed)\n\(trace)")
        }
    }
}

/// What histories of mirrors are to be full of; without it they prove little.
enum MirrorHappening: CaseIterable {
    case death
    case powerCut
    case cancellation
    case fullDisk
    case proof
    case refutation
    case mirrorPart
    case mirrorLead
    case continuedByMirror
    case heldParts
    case replacedConnection
    case refusedConnection
    case lentConnection
    case idleTimeout
    case restart
    case digestMismatch
    case errorPage
    case success
}
