import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

extension Simulation {
    /// The time of day.
    var wall: Date { moment(now + wallOffset) }

    /// How long the boot has lasted, in seconds.
    var sinceBoot: Double { now - boot.start }

    /// The clock of a daemon that starts now.
    func makeClock() -> DaemonClock {
        var clock = DaemonClock(
            continuing: database.current.clock?.value,
            boot: BootIdentifier(rawValue: "\(boot.number)"),
            wall: wall,
            sinceBoot: sinceBoot
        )
        _ = clock.record(wall: wall, sinceBoot: sinceBoot)
        return clock
    }

    /// The machine is started again.
    func reboot() {
        count(.anotherBoot)
        boot = (boot.number + 1, now)
    }

    /// Somebody sets the clock.
    func setClock() {
        wallOffset += random.one(of: [-86400, 86400, -10, 10])
        record("the clock is set, by \(wallOffset) in all")
        count(.clockSet)
        guard let daemon, daemon.hasBooted, sabotage != .forgetsDates else { return }
        var clock = daemon.machine.clock
        guard clock.record(wall: wall, sinceBoot: sinceBoot) else { return }
        daemon.input { [clock] in $0.clockSet(clock) }
    }

    /// What has begun is not held back by a clock that is set later, such as right after a search has found it.
    func recordReleasedTasks(_ machine: DaemonStateMachine) {
        for task in database.current.tasks.values.map(\.record) where task.state != .completed {
            let hasBegun =
                machine.running[task.id] != nil || machine.creations.isAdopting(for: task.id)
            if hasBegun || wantedBegin(of: task).map({ $0 <= wall }) ?? false {
                releasedTasks.insert(task.id)
            }
        }
    }

    private func wantedBegin(of task: TaskRecord) -> Date? {
        task.attempts == 0 ? task.delay?.value?.date : nil
    }

    /// Dates follow the time of day, and no wait is longer than any.
    func checkClock(_ daemon: SimulatedDaemon) {
        let (machine, date) = (daemon.machine, date)
        guard !machine.timekeeping.isPassUnderWay, daemon.dueDate(of: .clock) == nil else { return }
        let longest = max(policy.longestBelievedWait, policy.retry.maximumDelay.inSeconds) + 1
        for task in database.current.tasks.values.map(\.record) where task.state != .completed {
            let wanted = wantedBegin(of: task)
            guard let notBefore = task.notBefore, notBefore != TaskRecord.networkWait else {
                continue
            }
            if let wanted, wanted > wall {
                let moment = date + wanted.timeIntervalSince(wall)
                // One that was let go may wait for something else, such as room on the disk.
                if !releasedTasks.contains(task.id), notBefore < moment - 2 {
                    fail("task \(task.id) begins at \(notBefore), not at \(moment)")
                }
            } else if notBefore > date + longest {
                fail("task \(task.id) waits until \(notBefore), longer than any")
            }
        }
    }
}
