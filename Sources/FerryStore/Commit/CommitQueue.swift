import FerrySystem

/// Decides which requests share a transaction; performs nothing itself.
struct CommitQueue {
    private var requests: [CommitRequest] = []

    /// Adds a request after all others.
    ///
    /// - Returns: Whether the caller must arrange for a call of ``takeGroups()``: it is the first request
    ///   since the last such call.
    mutating func append(_ request: CommitRequest) -> Bool {
        requests.append(request)
        return requests.count == 1
    }

    /// Takes all requests, in groups that are to be one transaction each.
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

/// The changes that one caller requests, all or none of which are made.
struct CommitRequest: Sendable {
    /// The changes, in order.
    var mutations: [Mutation]
    /// The durability that they must have before the caller is notified.
    var durability: Durability
    /// Called once on the loop with the result.
    var completion: @LoopActor @Sendable (Result<Receipt, StoreError>) -> Void

    /// Whether the request may change any number of rows, and so must not share its transaction: undoing one
    /// request of several needs a copy in memory of every page that it has changed.
    var isUnbounded: Bool {
        mutations.contains { mutation in
            switch mutation {
            case .deleteApplication, .deleteSession: true
            default: false
            }
        }
    }
}

/// The store's own decisions in a commit.
package struct Receipt: Hashable, Sendable {
    /// An application and a session of it.
    package struct OpenedSession: Hashable, Sendable {
        /// The application.
        package var application: ApplicationRecord
        /// The session.
        package var session: SessionRecord
        /// Whether the session was made by this commit.
        package var isNew: Bool

        /// Creates a description of an opened session.
        package init(application: ApplicationRecord, session: SessionRecord, isNew: Bool) {
            self.application = application
            self.session = session
            self.isNew = isNew
        }
    }

    /// For each ``Mutation/openSession(application:launch:identifier:configuration:avoids:)``, in order: the records
    /// that are now in the store.
    package var openedSessions: [OpenedSession] = []
    /// For each ``Mutation/insertTask(_:)``, in order: the number of the task in the store, which is an
    /// earlier one if the insertion was a repetition; `nil` if that one is gone.
    package var taskIDs: [TaskID?] = []
    /// The sequence numbers of the events that report the ends of tasks, in order.
    package var sequences: [Int64] = []
    /// The tasks that were moved from one state to another, in order.
    package var changes: [TaskChange] = []
    /// The tasks that were deleted because their ends were acknowledged.
    package var removedTaskIDs: [TaskID] = []

    /// Creates an empty receipt.
    package init() {}
}
