import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

// Chance of its own decides about the conditions: all other histories stay what they were.
extension Simulation {
    /// Changes the conditions that the machine is in, from time to time.
    func changeConditions() {
        guard hasConditions, season == .wild else { return }
        let all: [Conditions] = [
            .expensiveNetwork, .cellularNetwork, .battery, .battery, .powerSaver,
            [.expensiveNetwork, .constrainedNetwork],
        ]
        set(conditions.symmetricDifference(conditionRandom.one(of: all)))
        schedule(after: 0.1 + conditionRandom.fraction() * 6) { $0.changeConditions() }
    }

    /// Ends all conditions that tasks may avoid.
    func endConditions() {
        if !conditions.isEmpty { set([]) }
    }

    private func set(_ new: Conditions) {
        conditions = new
        record("conditions: \(new)")
        count(.conditionsChanged)
        daemon?.notifyConditions()
    }

    /// What a session or a task is to avoid.
    func makeAvoided() -> [Wire.Condition]? {
        guard hasConditions, conditionRandom.happens(percent: 60) else { return nil }
        return conditionRandom.one(of: [
            [], [.battery], [.expensiveNetwork], [.expensiveNetwork, .battery, .powerSaver],
            [.cellularNetwork], [.outsideHours], [.battery, .outsideHours],
        ])
    }

    /// A task receives or sends bytes: the machine must be in none of the conditions that it avoids, as far as both the
    /// store and the daemon know of them.
    func carries(_ id: TaskID) {
        guard hasConditions, let daemon, !daemon.awaitsConditions,
            let task = database.current.tasks[id]?.record
        else { return }
        var avoided = storedAvoided(by: task)
        if let running = daemon.machine.running[id] {
            avoided.formIntersection(daemon.machine.avoided(by: running))
        }
        let present = conditions(by: period).intersection(conditions(by: periodBefore))
        if !avoided.isDisjoint(with: present) {
            fail("task \(id) avoids \(avoided), and carries bytes in \(present)")
        }
    }

    /// The conditions that hold, those of the user's hours among them.
    private func conditions(by period: Timetable.Period) -> Conditions {
        conditions.union(period.conditions)
    }

    private func storedAvoided(by task: TaskRecord) -> Conditions {
        task.avoids.map { $0.union(database.current.sessions[task.sessionID]?.avoids ?? []) } ?? []
    }

    /// Whether a waiting task has to wait for the end of a condition.
    func isHeldByConditions(_ task: TaskRecord, _ daemon: SimulatedDaemon) -> Bool {
        let avoided = storedAvoided(by: task)
        let isHeld =
            !avoided.isDisjoint(with: conditions(by: period).union(conditions(by: periodBefore)))
            || !avoided.isEmpty && daemon.awaitsConditions
        if isHeld { count(.conditionWait) }
        return isHeld
    }
}
