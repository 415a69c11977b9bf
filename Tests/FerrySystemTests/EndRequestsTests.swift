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
            // The loop, which would tell the first, is here. Its thread takes no signals; where one does, `raise`
            // returns when the handler has, so that the second is not lost in the first.
            var terminate = sigset_t()
            var before = sigset_t()
            sigemptyset(&terminate)
            sigaddset(&terminate, SIGTERM)
            pthread_sigmask(SIG_UNBLOCK, &terminate, &before)
            raise(SIGTERM)
            raise(SIGTERM)
            pthread_sigmask(SIG_SETMASK, &before, nil)
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
