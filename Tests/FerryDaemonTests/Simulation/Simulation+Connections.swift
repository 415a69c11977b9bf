import FerryStore
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

extension Simulation {
    /// Other addresses of the same, connections and rates; often the daemon is to choose.
    func makeOptions() -> Wire.TransferOptions? {
        var options = makeOptionsWithoutConditions()
        if let avoids = makeAvoided() { options?.avoids = avoids }
        return options
    }

    private func makeOptionsWithoutConditions() -> Wire.TransferOptions? {
        guard isCutShort else { return makeUsualOptions() }
        // Mostly the same ones: tasks share a transfer if all that is set for them is equal.
        let isUsual = random.happens(percent: 30)
        var options = (isUsual ? makeUsualOptions() : nil) ?? Wire.TransferOptions()
        // Without any pause, as far as that is to be had.
        options.retry = Wire.RetryRules(
            maximumAttempts: isUsual ? 2 + random.number(below: 4) : 4,
            firstDelay: 0,
            factor: 1,
            maximumDelay: 0
        )
        return options
    }

    private func makeUsualOptions() -> Wire.TransferOptions? {
        guard random.happens(percent: 60) else { return nil }
        let hosts = (0..<servers.moods.count).filter { _ in
            random.happens(percent: 40)
        }
        return Wire.TransferOptions(
            mirrors: hosts.map { "http://host\($0)/copy" },
            maximumConnections: 1 + random.number(below: 6),
            receiveRate: random.happens(percent: 50)
                ? Int64(1 + random.number(below: 9)) * 1000 : nil
        )
    }

    /// The budget is what transfers have: no more, and no less.
    func checkBudget(_ daemon: SimulatedDaemon) {
        let budget = daemon.machine.running.budget
        let lent = daemon.transfers.flatMap { transfer in
            transfer.connections.hosts.map { (transfer.session, $0) }
        }
        let places = daemon.machine.running.values.filter { $0.slot == .transfer }
        if budget.count != places.count + lent.count {
            return fail("the budget is wrong, with \(lent) lent: \(budget)")
        }
        for host in Set(places.map(\.record.host) + lent.map(\.1)) {
            let count = places.count { $0.record.host == host } + lent.count { $0.1 == host }
            if budget.count(host: host) != count {
                return fail("the budget of \(host) is wrong, with \(lent) lent: \(budget)")
            }
        }
        checkLanes(daemon, lent: lent)
    }

    private func checkLanes(_ daemon: SimulatedDaemon, lent: [(session: SessionID, host: String)]) {
        // One that waits for its application is in the way of its own session's.
        let places = daemon.machine.running.values.filter { $0.slot != .none }
        for session in daemon.machine.sessions.ids {
            let own = places.filter { $0.record.sessionID == session }.map(\.record.host)
            let all = own + lent.filter { $0.session == session }.map(\.host)
            for host in Set(all)
            where daemon.machine.running.budget.count(session: session, host: host)
                != all.count(where: { $0 == host })
            {
                return fail("the budget of session \(session) and \(host) is wrong: \(all)")
            }
        }
    }

    /// What was asked of a task holds for its transfer, too.
    func checkOptions(_ daemon: SimulatedDaemon) {
        // What was refused for the store's sake holds until the transfer ends.
        guard happenings[.storeFailure] == nil else { return }
        for transfer in daemon.transfers where transfer.isActive {
            guard let record = database.current.tasks[transfer.task]?.record else { continue }
            let rates = record.validOptions?.rates ?? SharedRates()
            if rates != transfer.rates {
                fail("task \(transfer.task) has \(transfer.rates), not \(rates)")
            }
            if record.priority != transfer.priority {
                fail("task \(transfer.task) has \(transfer.priority), not \(record.priority)")
            }
        }
    }
}

extension Simulation {
    /// A host has failed for a session's application.
    func recordFailure(of session: SessionID, at host: String, on daemon: SimulatedDaemon) {
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
        var unfair: [TaskID: Double] = [:]
        for task in database.current.tasks.values.map(\.record)
        where task.state == .waiting && task.notBefore == nil && machine.running[task.id] == nil {
            let line = machine.line(of: task)
            if machine.isBackedOff(line, at: date), !failedLines.contains(line) {
                fail("task \(task.id) waits for \(task.host), which has not failed for it")
            }
            guard machine.isReady(task, at: date),
                machine.preemptionWait(of: task.id, at: date) == nil,
                isUnfair(to: task, machine)
            else { continue }
            unfair[task.id] = unfairSince[task.id] ?? now
        }
        unfairSince = unfair
        guard let first = unfair.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            now - first.value > policy.minimumSlotTime + 12
        else { return }
        fail("task \(first.key) has waited since \(first.value) for its share")
    }

    private func isUnfair(to task: TaskRecord, _ machine: DaemonStateMachine) -> Bool {
        let budget = machine.running.budget
        let host = budget.isFull(host: task.host) ? task.host : nil
        guard host != nil || budget.free == 0 else { return false }
        let own = budget.slots(of: machine.application(of: task), host: host)
        let places = budget.slots(host: host)
        return machine.running.values.contains { other in
            other.slot == .transfer && other.phase == .loading && other.question == nil
                && (host == nil || other.record.host == host)
                && places[machine.application(of: other.record)] ?? 0 >= own + 2
                && !other.isActedUpon
        }
    }
}
