import FerryStore

/// The machine's sleep or shutdown, as far as it is announced, and what ferryd holds against it.
struct MachineSleep: Hashable, Sendable {
    /// What ferryd holds against the machine's sleep.
    struct Inhibition: OptionSet, Hashable, Sendable {
        let rawValue: Int

        /// Sleep and shutdown wait until what is loaded is on the disk.
        static let delay = Inhibition(rawValue: 1)
        /// The machine does not sleep by itself.
        static let awake = Inhibition(rawValue: 2)
    }

    private enum Stage: Hashable, Sendable {
        /// It is not about to sleep.
        case awake
        /// It is about to sleep or to shut down, and waits.
        case announced
        /// What was loaded is on the disk: it need not wait any longer.
        case allowed
    }

    private var stage = Stage.awake
    /// The tasks whose bytes are being forced onto the disk.
    private(set) var settlingTasks: Set<TaskID> = []
    /// What is held, unless logind does not grant it.
    private(set) var inhibition: Inhibition = []
    /// Whether a review of what is held is planned.
    private var isReviewPlanned = false
    /// Whether tasks may start that could not before.
    private var release = Mark()
    /// Whether what was to be held has waited for the machine.
    private var awakening = Mark()

    /// Whether transfers may start.
    var allowsStarts: Bool { stage == .awake }

    // MARK: Sleep

    /// The machine is about to sleep or to shut down.
    ///
    /// - Returns: Whether that is new.
    mutating func announce() -> Bool {
        defer { stage = .announced }
        return stage == .awake
    }

    /// The bytes of a task are to be forced onto the disk.
    mutating func settle(_ task: TaskID) { settlingTasks.insert(task) }

    /// The bytes of a task are on the disk, or could not be forced there.
    mutating func settled(_ task: TaskID) {
        if settlingTasks.remove(task) != nil { release.set() }
    }

    /// Whether the machine waits for nothing but the store.
    var isSettled: Bool { stage == .announced && settlingTasks.isEmpty }

    /// The store has everything.
    ///
    /// - Returns: Whether the machine still waits for that.
    mutating func allow() -> Bool {
        guard isSettled else { return false }
        stage = .allowed
        return true
    }

    /// The machine is awake again, or stays awake.
    ///
    /// - Returns: Whether it was about to sleep.
    mutating func proceed() -> Bool {
        defer { stage = .awake }
        guard stage != .awake else { return false }
        release.set()
        awakening.set()
        return true
    }

    // MARK: Marks

    /// Returns whether tasks may start that could not before, since this was last called.
    mutating func takeRelease() -> Bool { release.take() }

    /// Returns whether the machine goes on since this was last called: what is held did not change meanwhile.
    mutating func takeAwakening() -> Bool { awakening.take() }

    // MARK: Inhibitors

    /// Plans a review of what is held.
    ///
    /// - Returns: Whether none was planned.
    mutating func planReview() -> Bool {
        defer { isReviewPlanned = true }
        return !isReviewPlanned
    }

    /// Reviews what is held.
    ///
    /// - Parameter wanted: What is to be held.
    /// - Returns: Whether that is another than what is held.
    mutating func review(wanted: Inhibition) -> Bool {
        isReviewPlanned = false
        guard wanted != inhibition else { return false }
        inhibition = wanted
        return true
    }
}
