import Testing

@testable import FerrySystem

/// Whether the machine has slept, by the clocks.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct SleepMonitorTests {
    /// How long a machine has slept, as a test says.
    @LoopActor private final class Machine {
        var sleepSeconds = 100.0
        var wakeCount = 0
    }

    private let machine = Machine()
    private let monitor: SleepMonitor

    init() {
        monitor = SleepMonitor { [machine] in
            LoopActor.assumeIsolated { machine.sleepSeconds }
        }
    }

    private func observe() -> SleepObservation {
        monitor.observe { [machine] in machine.wakeCount += 1 }
    }

    @Test func `each sleep is reported once`() {
        let observation = observe()
        monitor.check()
        #expect(machine.wakeCount == 0)
        machine.sleepSeconds += 0.5
        monitor.check()
        monitor.check()
        #expect(machine.wakeCount == 1)
        machine.sleepSeconds += 3600
        monitor.check()
        #expect(machine.wakeCount == 2)
        observation.cancel()
    }

    @Test func `a clock that was set is no sleep, nor is the time between two readings`() {
        let observation = observe()
        machine.sleepSeconds += 0.000_1
        monitor.check()
        machine.sleepSeconds -= 0.000_1
        monitor.check()
        #expect(machine.wakeCount == 0)
        observation.cancel()
    }

    @Test func `what was slept before anybody observed is not reported, nor anything afterwards`() {
        machine.sleepSeconds += 10
        let observation = observe()
        monitor.check()
        observation.cancel()
        machine.sleepSeconds += 10
        monitor.check()
        #expect(machine.wakeCount == 0)
    }

    @Test func `the machine's own clocks differ by what it has slept`() {
        let first = BootClock.sleepSeconds
        #expect(first > -0.01)
        // It does not sleep during the tests.
        #expect(abs(BootClock.sleepSeconds - first) < 1)
    }
}
