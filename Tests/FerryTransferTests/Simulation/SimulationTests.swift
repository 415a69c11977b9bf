import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5)))
@LoopActor
struct SimulationTests {
    /// `FERRY_SIMULATION_SEED=7` replays one history, `FERRY_SIMULATION_COUNT=100000` runs more.
    private static var seeds: Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FERRY_SIMULATION_SEED"].flatMap({ UInt64($0) }) {
            return seed..<seed + 1
        }
        return 0..<(environment["FERRY_SIMULATION_COUNT"].flatMap { UInt64($0) } ?? 500)
    }

    @Test func `whatever happens, the file is one version of the resource`() async throws {
        let isMemoryUsable = access("/dev/shm", W_OK) == 0
        var resumptionCount = 0
        var deathCount = 0
        for seed in Self.seeds {
            let temporary = try TemporaryDirectory(in: isMemoryUsable ? "/dev/shm" : "/tmp")
            let history = SimulatedHistory(seed: seed, in: temporary.directory)
            do {
                try await history.run()
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
            resumptionCount += history.resumptionCount
            deathCount += history.deathCount
        }
        // A simulation in which nothing happens proves nothing.
        if Self.seeds.count >= 100 {
            #expect(resumptionCount > Self.seeds.count)
            #expect(deathCount > Self.seeds.count)
        }
    }
}
