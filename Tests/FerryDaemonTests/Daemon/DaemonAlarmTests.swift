import FerryStore
import FerrySystem
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// The alarms of a real daemon, by which the timers of its decisions fire.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct DaemonAlarmTests {
    private let bench: DaemonBench

    init() async throws { bench = try await DaemonBench() }

    private static let timers: [DaemonStateMachine.Timer] = [
        .retry, .deadline, .progress, .relaunch(application: 1), .launch(application: 1),
        .recount(session: 1), .shares, .sharing(task: 1), .clock, .hours, .inhibition, .sleep,
        .idle,
    ]

    @Test func `a timer that is set for a date in two months does not fire after one`()
        async throws
    {
        let daemon = try await bench.start()
        let date = daemon.now + 60 * 86_400
        for timer in Self.timers {
            daemon.driver.perform([.setTimer(timer, date)])
            // No alarm is set for more than a month.
            daemon.driver.alarmRang(timer)
            #expect(daemon.driver.timers[timer] == date, "\(timer)")
        }
        await bench.end()
    }

    @Test func `a timer whose date has come fires once`() async throws {
        let daemon = try await bench.start()
        daemon.driver.perform([.setTimer(.retry, daemon.now)])
        daemon.driver.alarmRang(.retry)
        #expect(daemon.driver.timers[.retry] == nil)
        await bench.end()
    }
}
