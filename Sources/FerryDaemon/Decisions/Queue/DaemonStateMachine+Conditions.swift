import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

// A task does not run while the machine is in a condition that the task or its session avoids, such as a metered network.
// It keeps its bytes and leaves its slot, as one that is paused; the search passes over its queue.
//
// The conditions hold for every host. A server on this machine is often the end of a tunnel or a cache that uses the
// network, which its address does not show.
extension DaemonStateMachine {
    // MARK: Inputs

    /// The services of the machine report the conditions that it is in; `nil` until they have answered.
    mutating func conditionsChanged(to conditions: Conditions?) {
        if watch.report(conditions) { conditionsChanged() }
    }

    /// The hours that the user has set for discretionary work begin or end.
    mutating func hoursChanged(isOutside: Bool) {
        if watch.record(isOutsideHours: isOutside) { conditionsChanged() }
    }

    private mutating func conditionsChanged() {
        let text = watch.present.map { $0.isEmpty ? "none" : $0.detail } ?? "not known yet"
        turn.add(.log(.info, "conditions that transfers avoid: \(text)", task: nil))
        turn.add(.waitsChanged)
        followConditions()
    }

    // MARK: What tasks avoid

    /// Returns the conditions under which a task does not run.
    func avoided(by task: TaskRecord) -> Conditions {
        avoided(task.avoids, session: task.sessionID)
    }

    /// Returns the conditions under which a running task is halted.
    func avoided(by task: RunningTask) -> Conditions {
        avoided(task.avoids, session: task.record.sessionID)
    }

    private func avoided(_ own: Conditions?, session: SessionID) -> Conditions {
        own.map { $0.union(Conditions(sessions[session]?.configuration.avoids)) } ?? []
    }

    /// Returns the conditions that a task with some options avoids besides its session's.
    ///
    /// A task that an application makes while it runs in the background, because ferryd has started it, is discretionary
    /// (BG-22), unless the user's timetable says that such work is urgent.
    func avoided(by options: Wire.TransferOptions?, inSession session: SessionID) -> Conditions {
        let own = Conditions(options?.avoids)
        let application = sessions[session].flatMap { applications[$0.applicationID] }
        let isInBackground = application?.isLaunched == true
        return isInBackground && !hours.timetable.isBackgroundUrgent
            ? own.union(.discretionary) : own
    }

    /// A task that avoids conditions waits: they are watched.
    mutating func watch(for task: TaskRecord) {
        guard task.state == .waiting, watch.add(avoided(by: task)) else { return }
        turn.add(.observe(watch.avoided))
    }

    /// The store has said which conditions waiting tasks avoid.
    mutating func recordAvoided(_ conditions: Conditions, isLatest: Bool) {
        if watch.read(conditions, isLatest: isLatest) { turn.add(.observe(watch.avoided)) }
    }

    /// Running tasks may avoid other conditions than before: these are watched, and the tasks halted if they must be.
    ///
    /// A search tells what the waiting tasks avoid now.
    mutating func avoidedAnew() {
        let conditions = running.values.reduce(into: Conditions()) { all, task in
            all.formUnion(avoided(by: task))
        }
        if watch.add(conditions) { turn.add(.observe(watch.avoided)) }
        followConditions()
    }

    // MARK: Halting

    /// Halts the tasks that must not run, and starts those that may.
    mutating func followConditions() {
        guard !isStopping else { return }

        for task in running.sorted(where: isForbidden) where running[task.record.id] != nil {
            halt(forConditions: task)
        }
        turn.searchForTasks()
    }

    /// Returns whether a task is to be halted.
    ///
    /// One whose file is complete needs no network. A server that has all of an upload may act on it: it is not sent
    /// again, unless the server refuses it. A question is asked again when the task may run, as its answer may no
    /// longer hold by then.
    func isForbidden(_ task: RunningTask) -> Bool {
        guard watch.forbids(avoided(by: task)) else { return false }
        switch task.phase {
        case .loading: return task.question != nil || task.hasSentAll != true
        case .asking: return true
        case .following: return task.leader.flatMap { running[$0]?.phase } != .finishing
        case .finishing, .backingOff, .ending: return false
        }
    }

    /// Halts a task, which keeps its bytes, until the conditions that it avoids end.
    mutating func halt(forConditions task: RunningTask) {
        let detail = avoided(by: task).intersection(watch.known).detail
        turn.add(.log(.info, "waits: \(detail)", task: task.record.id))
        interrupt(task)
    }

    // MARK: Waiting

    /// Returns the wait for the end of conditions that the machine is in, or may be in.
    func conditionWait(avoiding avoided: Conditions, at now: Date) -> Wire.Wait {
        let present = watch.known.intersection(avoided)
        guard let reason = present.reason else {
            let detail = "the services of this machine have yet to answer: \(avoided.question)"
            return Wire.Wait(reason: .starting, detail: detail)
        }
        return Wire.Wait(
            reason: reason,
            until: end(of: present, after: now),
            detail: present.detail
        )
    }

    /// Returns when conditions end; `nil` if that is not known.
    private func end(of conditions: Conditions, after now: Date) -> Date? {
        guard conditions == .outsideHours else { return nil }
        return hours.endOfWait(after: clock.wall(at: now)).map(clock.moment(ofWall:))
    }
}

extension Conditions {
    private static let parts: [(Conditions, Wire.WaitReason, String)] = [
        (.expensiveNetwork, .expensiveNetwork, "the network is metered"),
        (.cellularNetwork, .cellularNetwork, "the network is cellular"),
        (.battery, .battery, "the machine runs on battery"),
        (.powerSaver, .powerSaver, "the machine saves power"),
        // Saving power is one reason for it.
        (.constrainedNetwork, .constrainedNetwork, "the network is to carry few bytes"),
        (.outsideHours, .outsideHours, "this is not an hour for discretionary transfers"),
    ]

    /// The first of them, as a reason to wait.
    fileprivate var reason: Wire.WaitReason? { Self.parts.first { contains($0.0) }?.1 }

    /// They hold, for people.
    fileprivate var detail: String {
        Self.parts.filter { contains($0.0) }.map(\.2).joined(separator: "; ")
    }

    /// Whether they hold, for people.
    fileprivate var question: String {
        Self.parts.filter { contains($0.0) }.map { "whether \($0.2)" }.joined(separator: ", ")
    }
}
