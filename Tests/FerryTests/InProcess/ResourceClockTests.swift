import FerrySystem
import Testing

@testable import Ferry

@Suite("The resource timeout of a task", .timeLimit(.minutes(5)))
@LoopActor
struct ResourceClockTests {
    private let start = EventLoop.now

    @Test(arguments: [[], [1], [1, 2], [0, 4, 0, 3], [2, 2, 2, 2]])
    func `TEST-19: the time before each interruption counts, the interruptions do not`(
        running: [Int]
    ) {
        var clock = ResourceClock(seconds: 1000)
        var now = start
        for seconds in running {
            clock.start(at: now) {}
            now += .seconds(seconds)
            clock.stop(at: now)
            // Stopping twice takes nothing away.
            clock.stop(at: now + .seconds(50))
            now += .seconds(100)
        }
        #expect(clock.remaining == .seconds(1000 - running.reduce(0, +)))
    }

    @Test func `TEST-19: a clock that runs is not started again`() {
        var clock = ResourceClock(seconds: 1000)
        clock.start(at: start) {}
        clock.start(at: start + .seconds(300)) {}
        clock.stop(at: start + .seconds(400))
        #expect(clock.remaining == .seconds(600))
    }

    @Test func `TEST-19: what is left after interruptions runs out`() async {
        var clock = ResourceClock(seconds: 1000)
        clock.start(at: start) {}
        clock.stop(at: start + .milliseconds(999_999))
        await withCheckedContinuation { continuation in
            clock.start { continuation.resume() }
        }
    }

    @Test(arguments: [0, -1, 1e9, .infinity])
    func `no limit stays none`(seconds: Double) {
        var clock = ResourceClock(seconds: seconds)
        clock.start(at: start) { Issue.record("it has none") }
        clock.stop(at: start + .seconds(5))
        #expect(clock.remaining == nil)
    }
}
