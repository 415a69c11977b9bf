import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Applications that make the reasons for their next start themselves.
@Suite(.timeLimit(.minutes(1))) struct SelfMadeRelaunchTests {
    /// The started process takes its events, makes a task whose file is there at once, and ends.
    ///
    /// - Returns: How long it takes until it is started again.
    private func nextPause(
        _ bench: inout MachineBench,
        round: Int,
        makesTask: Bool = true,
        takesEventsLast: Bool = false
    ) -> Double {
        let count = bench.launches.count
        bench.input { $0.launched(1, error: nil) }
        let client = bench.open(process: Int64(round + 10))
        let early = makesTask && takesEventsLast ? bench.start(client, round + 10) : nil
        bench.acknowledgeAll(client)
        let task = makesTask && !takesEventsLast ? bench.start(client, round + 10) : early
        bench.disconnect(client)
        bench.input { $0.applicationExited(1, status: "ended") }
        if let task { bench.finish(task) }
        bench.settle()
        let start = bench.now
        while bench.launches.count == count, bench.now < start + 10_000 { bench.wait(0.5) }
        return bench.now.timeIntervalSince(start)
    }

    @Test(arguments: [false, true])
    func `REL-12: an application that makes a task each time is started less and less often`(
        takesEventsLast: Bool
    ) {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        let pauses = (0..<14).map {
            nextPause(&bench, round: $0, takesEventsLast: takesEventsLast)
        }
        #expect(pauses.prefix(5) == [1, 2, 4, 8, 16] && pauses.suffix(1) == [3600], "\(pauses)")
    }

    @Test func `REL-12: who is started by somebody else begins anew`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        for round in 0..<5 { _ = nextPause(&bench, round: round) }
        // It has not come yet.
        bench.input { $0.launched(1, error: nil) }
        bench.input { $0.applicationExited(1, status: "ended") }
        bench.settle()
        let user = bench.open(process: 5)
        bench.acknowledgeAll(user)
        let later = bench.start(user, 2)
        bench.disconnect(user)
        let count = bench.launches.count
        bench.finish(later)
        #expect(bench.launches.count == count + 1)
    }

    @Test
    func `REL-12: an application that only takes its events is started at once the next time`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        for round in 0..<3 { _ = nextPause(&bench, round: round) }
        bench.input { $0.launched(1, error: nil) }
        let client = bench.open(process: 50)
        bench.acknowledgeAll(client)
        #expect(bench.machine.applications[1]?.record.launchAttempts == 0)
        bench.disconnect(client)
    }
}
