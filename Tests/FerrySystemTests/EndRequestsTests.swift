import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

/// Signals that ask this process to end.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EndRequestsTests {
    @Test func `each request is told, also of two that come at once`() async throws {
        let told = Recorder<EndRequests.Signal>()
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        try EndRequests.shared.take { signal in
            told.append(signal)
            continuation.yield()
        }
        defer { EndRequests.shared.giveBack() }
        await LoopActor.run {
            // The loop, which would tell the first, is here.
            raise(SIGTERM)
            raise(SIGTERM)
        }
        var iterator = requests.makeAsyncIterator()
        await iterator.next()
        await LoopActor.run {}
        #expect(told.elements == [.terminate, .terminate])
    }
}

extension LoopActor {
    /// Runs `body` on the loop.
    @LoopActor
    fileprivate static func run(_ body: @LoopActor () -> Void) async { body() }
}
