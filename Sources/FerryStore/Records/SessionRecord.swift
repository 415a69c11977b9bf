package import FerryWire

/// A background session of an application.
package struct SessionRecord: Hashable, Sendable {
    /// The store's number for the session, never used again after it is deleted.
    package var id: SessionID
    /// The application's number.
    package var applicationID: ApplicationID
    /// The name the application gave the session, unique within the application.
    package var identifier: String
    /// The session's configuration.
    package var configuration: Encoded<Wire.SessionConfiguration>
    /// A task identifier above all that this session's tasks ever had.
    package var nextTaskIdentifier: Int
    /// The sequence number of the session's next event.
    package var nextSequence: Int64
    /// The numbers of its tasks; kept by the store.
    package var counts: SessionCounts

    /// Creates a record of a session.
    package init(
        id: SessionID,
        applicationID: ApplicationID,
        identifier: String,
        configuration: Encoded<Wire.SessionConfiguration>,
        nextTaskIdentifier: Int = 1,
        nextSequence: Int64 = 1,
        counts: SessionCounts = SessionCounts()
    ) {
        self.id = id
        self.applicationID = applicationID
        self.identifier = identifier
        self.configuration = configuration
        self.nextTaskIdentifier = nextTaskIdentifier
        self.nextSequence = nextSequence
        self.counts = counts
    }
}

/// The numbers of tasks of a session, or of the whole store.
package struct SessionCounts: Hashable, Sendable {
    /// Tasks that are not to run.
    package var suspendedTasks: Int
    /// Tasks that are to run, or are running.
    package var waitingTasks: Int
    /// Tasks that have ended, but whose events are not acknowledged.
    package var completedTasks: Int

    /// Tasks that have not ended.
    package var unfinishedTasks: Int { suspendedTasks + waitingTasks }

    /// Creates counts, all zero unless given.
    package init(
        suspendedTasks: Int = 0,
        waitingTasks: Int = 0,
        completedTasks: Int = 0
    ) {
        self.suspendedTasks = suspendedTasks
        self.waitingTasks = waitingTasks
        self.completedTasks = completedTasks
    }
}
