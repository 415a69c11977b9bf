import FerryStore
import FoundationEssentials

@testable import FerryDaemon

extension Simulation {
    /// A host has failed for a session's application.
    func noteFailure(of session: Int64, at host: String, on daemon: SimulatedDaemon) {
        let application = daemon.machine.sessions[session]?.applicationID ?? 0
        failedLines.insert(HostBreaker.Line(application: application, host: host))
        guard sabotage == .blamesOthers else { return }
        for other in daemon.machine.applications.ids {
            let line = HostBreaker.Line(application: other, host: host)
            daemon.driver.change { [date] in
                $0.breaker.failed(line, delay: 60, isAsked: true, at: date)
            }
        }
    }

    /// No application waits for long while another has two places more, and none for the failures of another.
    func checkShares(_ daemon: SimulatedDaemon) {
        let (machine, date) = (daemon.machine, date)
        var unfair: [Int64: Double] = [:]
        for task in database.current.tasks.values.map(\.record)
        where task.state == .waiting && task.notBefore == nil && machine.running[task.id] == nil {
            let line = machine.line(of: task)
            if machine.isLeftAlone(line, at: date), !failedLines.contains(line) {
                fail("task \(task.id) waits for \(task.host), which has not failed for it")
            }
            guard machine.isReady(task, at: date), machine.yield(of: task.id, at: date) == nil,
                isUnfair(to: task, machine)
            else { continue }
            unfair[task.id] = unfairSince[task.id] ?? now
        }
        unfairSince = unfair
        guard let first = unfair.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            now - first.value > policy.minimumPlaceTime + 12
        else { return }
        fail("task \(first.key) has waited since \(first.value) for its share")
    }

    private func isUnfair(to task: TaskRecord, _ machine: DaemonStateMachine) -> Bool {
        let budget = machine.running.budget
        let host = budget.isFull(host: task.host) ? task.host : nil
        guard host != nil || budget.free == 0 else { return false }
        let own = budget.places(of: machine.application(of: task), host: host)
        let places = budget.places(host: host)
        return machine.running.values.contains { other in
            other.place == .transfer && other.phase == .loading && other.question == nil
                && (host == nil || other.record.host == host)
                && places[machine.application(of: other.record)] ?? 0 >= own + 2
                && !other.isActedUpon
        }
    }
}
