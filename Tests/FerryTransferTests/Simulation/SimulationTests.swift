import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5)))
@LoopActor
struct SimulationTests {
    @Test func `whatever happens, the file is one version of the resource`() async throws {
        let seeds = HistorySeeds(count: 500).all
        var resumptionCount = 0
        var deathCount = 0
        var partCount = 0
        var disturbanceCount = 0
        for seed in seeds {
            let temporary = try TemporaryDirectory(in: Self.place)
            let history = SimulatedHistory(seed: seed, in: temporary.directory)
            do {
                try await history.run()
            } catch {
                Issue.record("\(error)\nAgain with FERRY_SIMULATION_SEED=\(seed)")
            }
            resumptionCount += history.resumptionCount
            deathCount += history.deathCount
            partCount += history.partCount
            disturbanceCount += history.disturbanceCount
        }
        // A simulation in which nothing happens proves nothing.
        if seeds.count >= 100 {
            #expect(resumptionCount > seeds.count)
            #expect(deathCount > seeds.count)
            #expect(partCount > seeds.count)
            #expect(disturbanceCount > seeds.count / 4)
        }
    }

    @Test func `SEC-6: the simulation finds who calls a file complete that was changed`()
        async throws
    {
        let base = UInt64.random(in: 0 ... .max / 2)
        for seed in base..<base + 2000 {
            let temporary = try TemporaryDirectory(in: Self.place)
            let history = SimulatedHistory(
                seed: seed,
                in: temporary.directory,
                sabotage: .trustsTheFile
            )
            do {
                try await history.run()
            } catch {
                return
            }
        }
        Issue.record("not in 2000 histories from \(base) on")
    }

    private static let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
}

/// Chance that repeats itself for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Whether something happens that does so in that many of a hundred cases.
    mutating func happens(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }
}
