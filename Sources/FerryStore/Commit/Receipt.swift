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

    /// For each ``Mutation/openSession(application:launch:identifier:configuration:)``, in order: the records
    /// that are now in the store.
    package var openedSessions: [OpenedSession] = []
    /// For each ``Mutation/insertTask(_:)``, in order: the number of the task in the store, which is an
    /// earlier one if the insertion was a repetition; `nil` if that one is gone.
    package var taskIDs: [Int64?] = []
    /// The sequence numbers of the events that were added, in order.
    package var sequences: [Int64] = []
    /// The tasks that were moved from one state to another, in order.
    package var changes: [TaskChange] = []
    /// The tasks that were deleted with their last event.
    package var removedTaskIDs: [Int64] = []

    /// Creates an empty receipt.
    package init() {}
}
