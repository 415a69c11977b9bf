package import FerrySystem
package import FerryWire
package import FoundationEssentials

/// A change to the store.
///
/// Changes that a client may send twice are harmless the second time: opening a session, inserting a task,
/// acknowledging an event, deleting. A change to a missing object fails with ``StoreError/Code/notFound``.
package enum Mutation: Hashable, Sendable {
    /// Creates or updates the application and its session, with this launch, configuration and the conditions that
    /// its tasks avoid; the result is in ``Receipt/openedSessions``.
    case openSession(
        application: String,
        launch: Wire.Launch?,
        identifier: String,
        configuration: Encoded<Wire.SessionConfiguration>,
        avoids: Conditions = []
    )
    /// Replaces how an application is started again; with `nil`, it is not started again.
    case setLaunch(application: ApplicationID, Wire.Launch?)
    /// Records the outcome of starting an application again.
    case setLaunchState(application: ApplicationID, attempts: Int, nextLaunchAt: Date?)
    /// Records whether an application was quit by force.
    case setQuit(application: ApplicationID, Bool)
    /// Deletes an application with its sessions, their tasks and events.
    case deleteApplication(id: ApplicationID)
    /// Replaces a session's configuration.
    case setConfiguration(session: SessionID, Encoded<Wire.SessionConfiguration>)
    /// Deletes a session with its tasks and events.
    case deleteSession(id: SessionID)

    /// Replaces the value of a setting.
    case set(Setting)

    /// Adds a task with the number that its caller has chosen.
    ///
    /// If the session already has a task with this identifier, nothing changes: with the same host, kind and
    /// bytes of request, it is a repetition of the same call, and ``Receipt/taskIDs`` has the number of the
    /// first; otherwise it is a ``StoreError/Code/conflict``. Nothing changes either if the session has had a
    /// task with this identifier that is gone.
    indirect case insertTask(TaskRecord)
    /// Records how much of a body has arrived.
    case setProgress(task: TaskID, receivedByteCount: Int64, expectedByteCount: Int64?)
    /// Replaces a task's checkpoint.
    case setCheckpoint(task: TaskID, Encoded<ByteState>?)
    /// Replaces the stored information about the file that an upload sends.
    case setUpload(task: TaskID, Encoded<UploadState>)
    /// Records how many attempts have failed, when the next may start, and why the last one failed.
    case setRetry(
        task: TaskID,
        attempts: Int,
        notBefore: Date?,
        lastError: Encoded<AttemptFailure>?
    )
    /// Records the same for the work that a task requires before it begins: it does not begin earlier than it
    /// would have.
    case postponeTask(TaskID, attempts: Int, until: Date, lastError: Encoded<AttemptFailure>?)
    /// Ends the wait of all tasks whose next attempt waits until ``TaskRecord/networkWait``.
    case endNetworkWait
    /// Replaces a task's request after redirects and its response.
    case setExchange(
        task: TaskID,
        currentRequest: Encoded<Wire.Request>?,
        response: Encoded<Wire.Response>?
    )
    /// Resumes a task for its application; its time begins, or continues where it stopped.
    ///
    /// This and the other changes that name a ``TaskKey`` take effect according to the state in
    /// which they find the task, and report it in ``Receipt/changes`` if they have changed it.
    case resumeTask(TaskKey, at: Date, resourceTimeout: Double)
    /// Suspends a task for its application.
    case suspendTask(TaskKey, at: Date)
    /// Holds a task back for the user.
    case holdTask(TaskID, at: Date)
    /// Releases a task for the user; if it is backing off, the next attempt need not wait.
    case releaseTask(TaskID, at: Date)
    /// Ends a task with the event that reports it, under the session's next number, which is in
    /// ``Receipt/sequences``; does nothing if it has ended already.
    indirect case completeTask(TaskKey, NewEnd)
    /// Replaces the application's description of a task.
    case describeTask(TaskKey, String?)
    /// Replaces a task's options.
    case setOptions(TaskKey, Encoded<Wire.TransferOptions>?)
    /// Replaces the conditions that a task avoids besides its session's; `nil` lets it run under all from then on,
    /// which later changes leave so.
    case avoidConditions(TaskKey, Conditions?)
    /// Changes a task's priority among the waiting tasks.
    case prioritizeTask(TaskKey, Double)
    /// Replaces the date before which a task does not begin, if it has had no failed attempt; its time moves
    /// along. The task is treated as if its state had changed.
    case delayTask(TaskKey, notBefore: Date?, Encoded<DelayState>?, at: Date)
    /// Changes the date that a task waits for, if it is still this one; its time moves along. The task is
    /// treated as if its state had changed.
    case retimeTask(TaskID, from: Date, to: Date, at: Date)
    /// Ends waits between attempts that are longer than any valid one, and makes times that begin in the
    /// future begin now, as they were recorded by a different clock.
    case distrustTimes(at: Date, longestWait: Double)
    /// Lets a task begin at once, and records what its application has said about that; the task is treated
    /// as if its state had changed.
    case beginTask(TaskKey, Encoded<DelayState>?, at: Date)
    /// Makes a task wait for another host with a request to send in place of its own; if it is backing off,
    /// the next attempt need not wait. The task is treated as if its state had changed.
    case relinkTask(TaskKey, host: String, Encoded<LinkState>)
    /// Deletes a task; if it had ended, it is remembered that nobody has taken its file.
    case deleteTask(id: TaskID)

    /// Deletes the task whose end an event reports; remembers where the application has put the task's file.
    case acknowledge(session: SessionID, sequence: Int64, path: String? = nil)
}

/// The failures that an acknowledged commit survives.
package enum Durability: Hashable, Sendable {
    /// It survives a kill of the process, but perhaps not a power failure.
    case relaxed
    /// It survives a power failure.
    case synchronized
}

/// The end of a task.
package struct NewEnd: Hashable, Sendable {
    /// The event that reports it, without its number and its path.
    package var event: Encoded<Wire.Event>
    /// The absolute path of the task's file; `nil` if there is none.
    package var path: String?
    /// The number of bytes of the body that have arrived.
    package var receivedByteCount: Int64
    /// The number of bytes in the whole body, if known.
    package var expectedByteCount: Int64?
    /// What is to be remembered of the task, if anything, among the last ``Store/endedTaskCount``.
    package var memory: Encoded<Wire.EndedTask>?

    /// Creates the end of a task.
    package init(
        event: Encoded<Wire.Event>,
        path: String? = nil,
        receivedByteCount: Int64 = 0,
        expectedByteCount: Int64? = nil,
        memory: Encoded<Wire.EndedTask>? = nil
    ) {
        self.event = event
        self.path = path
        self.receivedByteCount = receivedByteCount
        self.expectedByteCount = expectedByteCount
        self.memory = memory
    }
}

/// A reference to a task.
package enum TaskKey: Hashable, Sendable {
    /// By ferryd's number.
    case id(TaskID)
    /// By its number within its session.
    case identifier(session: SessionID, Int)
}

/// A setting for all tasks.
package enum Setting: Hashable, Sendable {
    /// The rates at which all tasks together may download and upload.
    case rates(Encoded<SharedRates>)
    /// The time according to ferryd.
    case clock(Encoded<ClockAnchor>)
}

/// A change of a task from one state to another by a commit.
package struct TaskChange: Hashable, Sendable {
    /// ferryd's number for the task.
    package var id: TaskID
    /// The session's number.
    package var sessionID: SessionID
    /// The task's number within its session.
    package var identifier: Int
    /// The state before.
    package var from: TaskRecord.State
    /// The state now.
    package var to: TaskRecord.State
    /// When it now fails if it has not ended by then.
    package var deadline: Date?

    /// Creates a description of a change.
    package init(
        id: TaskID,
        sessionID: SessionID,
        identifier: Int,
        from: TaskRecord.State,
        to: TaskRecord.State,
        deadline: Date? = nil
    ) {
        self.id = id
        self.sessionID = sessionID
        self.identifier = identifier
        self.from = from
        self.to = to
        self.deadline = deadline
    }
}
