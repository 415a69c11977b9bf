import FerrySystem

/// The conditions that waiting tasks avoid, and those that the machine is in.
///
/// Only conditions that a waiting task avoids are watched. A task runs while the machine is known to be in none of those
/// that it avoids.
struct ConditionWatch: Hashable, Sendable {
    /// All conditions.
    private static let all = Conditions.network.union(.discretionary)

    /// The conditions that are watched, because waiting tasks avoid them.
    private(set) var avoided: Conditions = []
    /// Whether the store has said which conditions waiting tasks avoid.
    private var isRead = false
    /// What the services of the machine report; `nil` until they have answered.
    private var reported: Conditions?
    /// Whether the present hour is not one that the user has set for discretionary work.
    private var isOutsideHours = false

    /// Those of the watched conditions that the machine is in; `nil` while that is not known of each.
    var present: Conditions? {
        let isKnown = reported != nil || avoided.subtracting(.outsideHours).isEmpty
        return isKnown ? known : nil
    }

    /// Those of the watched conditions that the machine is known to be in.
    ///
    /// The hours are always known, while the services have yet to answer, too.
    var known: Conditions {
        (reported ?? []).union(isOutsideHours ? .outsideHours : []).intersection(avoided)
    }

    /// The conditions that keep waiting tasks from running: while the present ones are not known, all.
    var preventing: Conditions { isRead ? present ?? avoided : Self.all }

    /// Whether tasks that avoid some conditions may run.
    func allows(_ conditions: Conditions) -> Bool {
        conditions.isEmpty
            || avoided.isSuperset(of: conditions) && present?.isDisjoint(with: conditions) == true
    }

    /// Whether it is known that tasks that avoid some conditions must not run.
    func forbids(_ conditions: Conditions) -> Bool { !known.isDisjoint(with: conditions) }

    /// Returns whether conditions of which a search was told are still those that keep waiting tasks from running.
    ///
    /// - Parameter conditions: What ``preventing`` was when the search began.
    /// - Returns: Whether it is the same now, but for conditions that no waiting task avoids.
    func isStillPrevented(by conditions: Conditions) -> Bool {
        conditions.intersection(avoided) == preventing
    }

    /// A task that avoids some conditions waits.
    ///
    /// - Parameter conditions: The conditions.
    /// - Returns: Whether more have to be watched than before, which is then reported anew.
    mutating func add(_ conditions: Conditions) -> Bool {
        guard !avoided.isSuperset(of: conditions) else { return false }
        avoided.formUnion(conditions)
        reported = nil
        return true
    }

    /// The store has said which conditions waiting tasks avoid.
    ///
    /// - Parameters:
    ///   - conditions: The conditions.
    ///   - isLatest: Whether nothing has changed since.
    /// - Returns: Whether other conditions have to be watched than before.
    mutating func read(_ conditions: Conditions, isLatest: Bool) -> Bool {
        isRead = true
        if add(conditions) { return true }
        guard isLatest, avoided != conditions else { return false }
        avoided = conditions
        return true
    }

    /// The services of the machine have reported.
    ///
    /// - Parameter conditions: The conditions; `nil` if they have yet to answer.
    /// - Returns: Whether tasks may have to stop, or may start.
    mutating func report(_ conditions: Conditions?) -> Bool {
        apply { $0.reported = conditions }
    }

    /// The hours that the user has set for discretionary work begin or end.
    ///
    /// - Parameter isOutside: Whether they end.
    /// - Returns: Whether tasks may have to stop, or may start.
    mutating func record(isOutsideHours isOutside: Bool) -> Bool {
        apply { $0.isOutsideHours = isOutside }
    }

    /// Applies a change.
    ///
    /// - Returns: Whether something else is known now.
    private mutating func apply(_ change: (inout Self) -> Void) -> Bool {
        let (earlier, earlierKnown) = (present, known)
        change(&self)
        return (present, known) != (earlier, earlierKnown)
    }
}
