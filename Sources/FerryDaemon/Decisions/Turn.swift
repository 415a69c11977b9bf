import FoundationEssentials

extension DaemonStateMachine {
    /// What one input leads to: its effects, in the order in which the owner must perform them.
    struct Turn: Sendable {
        /// The time of the input.
        private(set) var now = Date.distantPast
        private var effects: [Effect] = []

        /// An input arrives.
        mutating func begin(at now: Date) { self.now = now }

        /// Adds an effect behind the others.
        mutating func add(_ effect: Effect) { effects.append(effect) }

        /// Ends the turn, and returns its effects.
        mutating func end() -> [Effect] {
            defer { effects = [] }
            return effects
        }
    }
}
