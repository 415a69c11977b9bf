import FerrySystem

/// What one caller wants changed, all of it or nothing.
struct CommitRequest: Sendable {
    /// The changes, in order.
    var mutations: [Mutation]
    /// What they must outlive before the caller hears of them.
    var durability: Durability
    /// Called once on the loop with what came of it.
    var completion: @LoopActor @Sendable (Result<Receipt, StoreError>) -> Void

    /// Whether the request may change any number of rows, and so is not to share its transaction:
    /// undoing one request of several needs a copy in memory of every page it has changed.
    var isUnbounded: Bool {
        mutations.contains { mutation in
            switch mutation {
            case .deleteApplication, .deleteSession: true
            default: false
            }
        }
    }
}
