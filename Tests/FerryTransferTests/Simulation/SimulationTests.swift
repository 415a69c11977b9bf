import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5)))
@LoopActor
struct SimulationTests {
    @Test func `whatever happens, the file is one version of the resource`() async throws {
        let isMemoryUsable = access("/dev/shm", W_OK) == 0
        let seeds = HistorySeeds(count: 500).all
        var resumptionCount = 0
        var deathCount = 0
        var partCount = 0
        for seed in seeds {
            let temporary = try TemporaryDirectory(in: isMemoryUsable ? "/dev/shm" : "/tmp")
            let history = SimulatedHistory(seed: seed, in: temporary.directory)
            do {
                try await history.run()
            } catch {
                Issue.record("\(error)\nAgain with FERRY_SIMULATION_SEED=\(seed)")
            }
            resumptionCount += history.resumptionCount
            deathCount += history.deathCount
            partCount += history.partCount
        }
        // A simulation in which nothing happens proves nothing.
        if seeds.count >= 100 {
            #expect(resumptionCount > seeds.count)
            #expect(deathCount > seeds.count)
            #expect(partCount > seeds.count)
        }
    }
}
