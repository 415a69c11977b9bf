import FerryStore
import FoundationEssentials

extension DaemonStateMachine {
    /// What one input leads to: its effects, in the order in which the owner must perform them, and what has to be looked
    /// at before it ends.
    ///
    /// Parts of the machine mark themselves where a change of theirs always has to be looked at. What comes from outside
    /// (the store, the network, a person) is marked here.
    struct Turn: Hashable, Sendable {
        /// The time of the input.
        private(set) var now = Date.distantPast
        private var effects: [Effect] = []
        private var sessionsToCount: [SessionID] = []
        private var search = Mark()

        /// An input arrives.
        mutating func begin(at now: Date) { self.now = now }

        /// Adds an effect behind the others.
        mutating func add(_ effect: Effect) { effects.append(effect) }

        /// Ends the turn, and returns its effects.
        mutating func end() -> [Effect] {
            defer { effects = [] }
            return effects
        }

        // MARK: Marks

        /// Tasks may start that could not before.
        mutating func searchForTasks() { search.set() }

        /// A session has other tasks or events than when they were counted.
        mutating func recount(_ session: SessionID) {
            if !sessionsToCount.contains(session) { sessionsToCount.append(session) }
        }

        /// Returns whether tasks may start that could not before.
        mutating func takeSearch() -> Bool { search.take() }

        /// Returns the sessions to count.
        mutating func takeSessionsToCount() -> [SessionID] {
            defer { sessionsToCount = [] }
            return sessionsToCount
        }
    }
}
