import FoundationEssentials
import Testing

/// Histories of the daemon at random: whatever happens, what `docs/design.md` promises is kept.
///
/// A history that fails says its seed; it happens again, with a record of all that goes on, when
/// `FERRY_SIMULATION_SEED` is set to it. `FERRY_SIMULATION_COUNT` sets how many there are.
@Suite(.timeLimit(.minutes(5))) struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let workerCount = 2

    @Test func `whatever happens, every promise is kept`() async throws {
        if let text = Self.environment["FERRY_SIMULATION_SEED"] {
            let seed = try #require(UInt64(text), "FERRY_SIMULATION_SEED is not a number: \(text)")
            return Self.report(Self.history(seed: seed, isTraced: true))
        }
        let count = Self.environment["FERRY_SIMULATION_COUNT"].flatMap { Int($0) } ?? 2000
        let base = Self.freshSeed()
        let happenings = await withTaskGroup { group in
            for worker in 0..<Self.workerCount {
                group.addTask {
                    Self.histories(
                        from: base,
                        stride(from: worker, to: count, by: Self.workerCount)
                    )
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        }
        guard count >= 2000 else { return }
        for happening in Happening.allCases {
            #expect(happenings[happening] != nil, "\(happening) never happens")
        }
    }

    @Test func `a seed determines a history, in every process`() async {
        for seed in [Self.freshSeed(), Self.freshSeed(), Self.freshSeed()] {
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

    private static func freshSeed() -> UInt64 { .random(in: 0 ... .max / 2) }

    /// Runs histories until one fails, and counts what has happened in them.
    private static func histories(
        from base: UInt64,
        _ offsets: StrideTo<Int>
    ) -> [Happening: Int] {
        var happenings: [Happening: Int] = [:]
        for offset in offsets {
            let simulation = history(seed: base + UInt64(offset))
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
            Again with FERRY_SIMULATION_SEED=\(simulation.seed)
            \(lines)
            """
        )
    }
}
