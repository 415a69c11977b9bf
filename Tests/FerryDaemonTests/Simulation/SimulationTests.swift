import FerryTestSupport
import Testing

/// Histories of the daemon at random: whatever happens, the README's promises are kept.
///
/// A history that fails says its seed; `make simulate SEED=…` repeats it, with a record of all that
/// goes on.
@Suite(.timeLimit(.minutes(90))) struct SimulationTests {
    private static let workerCount: UInt64 = 2

    @Test func `whatever happens, every promise is kept`() async throws {
        let seeds = HistorySeeds(count: 10_000)
        guard !seeds.isReplay else {
            return Self.report(Self.history(seed: seeds.all.lowerBound, isTraced: true))
        }
        let happenings = await withTaskGroup { group in
            for worker in 0..<Self.workerCount {
                group.addTask {
                    Self.histories(
                        stride(
                            from: seeds.all.lowerBound + worker,
                            to: seeds.all.upperBound,
                            by: Int(Self.workerCount)
                        )
                    )
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        }
        guard seeds.all.count >= 2000 else { return }
        for happening in Happening.allCases {
            #expect(happenings[happening] != nil, "\(happening) never happens")
        }
    }

    @Test func `a seed determines a history, in every process`() async {
        for seed in HistorySeeds(count: 3).all {
            let fingerprint = Self.history(seed: seed).fingerprint
            // Another process has other hashes, and so another order in every set.
            await #expect(processExitsWith: .success) {
                [seed = seed as UInt64, fingerprint = fingerprint as UInt64] in
                let simulation = Simulation(seed: seed)
                simulation.run()
                precondition(simulation.fingerprint == fingerprint)
            }
        }
    }

    /// Runs histories until one fails, and counts what has happened in them.
    private static func histories(_ seeds: StrideTo<UInt64>) -> [Happening: Int] {
        var happenings: [Happening: Int] = [:]
        for seed in seeds {
            let simulation = history(seed: seed)
            happenings.merge(simulation.happenings) { $0 + $1 }
            guard simulation.violation != nil else { continue }
            report(history(seed: simulation.seed, isTraced: true))
            return happenings
        }
        return happenings
    }

    private static func history(seed: UInt64, isTraced: Bool = false) -> Simulation {
        let simulation = Simulation(seed: seed, isTraced: isTraced)
        simulation.run()
        return simulation
    }

    private static func report(_ simulation: Simulation) {
        guard let violation = simulation.violation else { return }
        let lines = (simulation.trace ?? []).suffix(400).joined(separator: "\n")
        Issue.record(
            """
            \(violation)
            Again with: make simulate SEED=\(simulation.seed)
            \(lines)
            """
        )
    }
}
