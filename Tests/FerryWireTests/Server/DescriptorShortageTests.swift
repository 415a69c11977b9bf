import FerrySystem
import FerryWireTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(1))) struct DescriptorShortageTests {
    @Test func `a server without descriptors neither spins nor forgets who waits`() async {
        // A process of its own, since all its descriptors are used up.
        await #expect(processExitsWith: .success) {
            let daemon = try await TestDaemon()
            let witness = try daemon.connect()
            try witness.call("GetStatus")
            _ = try witness.receive()
            // The loop's own descriptors exist from here on.
            await LoopActor.run { EventLoop.shared.schedule(after: .zero) {}.cancel() }
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var fillers: [Int32] = []
            let waiting = try LoopActor.blocked {
                let waiting = try daemon.connect()
                while case let filler = dup(witness.descriptor), filler >= 0 {
                    fillers.append(filler)
                }
                return waiting
            }
            try waiting.call("GetStatus")
            let before = processorTime()
            // Connected clients are served meanwhile, and nobody is accepted.
            for _ in 0..<100 {
                try witness.call("GetStatus")
                try #require(try witness.receive() != nil)
            }
            try #require(!waiting.hasInput)
            // Room for the one that waits; the server looks again after a second.
            for filler in fillers { close(filler) }
            try #require(try waiting.receive() != nil)
            try #require(processorTime() - before < 0.5)
        }
    }
}

/// The seconds that the process has computed for.
private func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
