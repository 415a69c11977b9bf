import FerrySystem

/// Decides which requests share a transaction; performs nothing itself.
struct CommitQueue {
    private var requests: [CommitRequest] = []

    /// Adds a request behind all others.
    ///
    /// - Returns: Whether the caller must arrange for a call of ``takeGroups()``: it is the first
    ///   request since the last one.
    mutating func append(_ request: CommitRequest) -> Bool {
        requests.append(request)
        return requests.count == 1
    }

    /// Takes everything that has come in, in the groups that are to be one transaction each.
    mutating func takeGroups() -> [[CommitRequest]] {
        defer { requests = [] }
        var groups: [[CommitRequest]] = []
        var canJoin = false
        for request in requests {
            if canJoin, !request.isUnbounded {
                groups[groups.count - 1].append(request)
            } else {
                groups.append([request])
            }
            canJoin = !request.isUnbounded
        }
        return groups
    }
}

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
