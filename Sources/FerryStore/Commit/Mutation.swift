package import FoundationEssentials

/// A change to the store.
///
/// Those that a client may send twice are harmless the second time: opening a session, inserting
/// a task, acknowledging an event, deleting. A change to something that is not there fails with
/// ``StoreError/Code/notFound``.
package enum Mutation: Hashable, Sendable {
    /// Makes sure that the application and its session exist and have this launch and
    /// configuration; what they are then is in ``Receipt/openedSessions``.
    case openSession(
        application: String,
        launch: LaunchRecord?,
        identifier: String,
        configuration: [UInt8]
    )
    /// Replaces how an application is started again; `nil`: not at all.
    case setLaunch(application: Int64, LaunchRecord?)
    /// Notes how starting an application again has gone.
    case setLaunchState(application: Int64, attempts: Int, nextLaunchAt: Date?)
    /// Notes whether an application was quit by force.
    case setQuit(application: Int64, Bool)
    /// Deletes an application with its sessions, their tasks and events.
    case deleteApplication(id: Int64)
    /// Replaces a session's configuration.
    case setConfiguration(session: Int64, [UInt8])
    /// Deletes a session with its tasks and events.
    case deleteSession(id: Int64)

    /// Replaces something that holds for all tasks.
    case set(Setting, [UInt8])

    /// Adds a task under the number its caller has chosen.
    ///
    /// When the session already has a task of this identifier, nothing changes: with the same
    /// host, kind and bytes of request it is the same call once more, and ``Receipt/taskIDs``
    /// has the number of the first; otherwise it is a ``StoreError/Code/conflict``. Nor does
    /// anything change when the session has had a task of this identifier that is gone.
    case insertTask(TaskRecord)
    /// Notes how much of a body has arrived.
    case setProgress(task: Int64, receivedByteCount: Int64, expectedByteCount: Int64?)
    /// Replaces a task's checkpoint.
    case setCheckpoint(task: Int64, [UInt8]?)
    /// Replaces what is known of the file that an upload sends.
    case setUpload(task: Int64, [UInt8])
    /// Notes how many attempts have failed, when the next may start, and why the last one failed.
    case setRetry(task: Int64, attempts: Int, notBefore: Date?, lastError: [UInt8]?)
    /// Notes the same of what has to be done before a task begins: it does not begin earlier than it would have.
    case postponeTask(Int64, attempts: Int, until: Date, lastError: [UInt8]?)
    /// Lets all tasks go whose next attempt waits until ``TaskRecord/networkWait``.
    case endNetworkWait
    /// Replaces a task's request after redirects and its response.
    case setExchange(task: Int64, currentRequest: [UInt8]?, response: [UInt8]?)
    /// Lets a task run, for its application; its time begins, or goes on where it stopped.
    ///
    /// This and the other changes that name a ``TaskKey`` take effect according to the state in
    /// which they find the task, and report it in ``Receipt/changes`` if they have changed it.
    case resumeTask(TaskKey, at: Date, resourceTimeout: Double)
    /// Stops a task, for its application.
    case suspendTask(TaskKey, at: Date)
    /// Holds a task back, for a person.
    case holdTask(Int64, at: Date)
    /// Lets a task go, for a person; if it backs off, the next attempt need not wait.
    case releaseTask(Int64, at: Date)
    /// Ends a task and adds its last events to its session's log, under the session's next
    /// numbers, which are in ``Receipt/sequences``; nothing happens to one that has ended already.
    case completeTask(TaskKey, [NewEvent], at: Date)
    /// Replaces what the application noted on a task.
    case describeTask(TaskKey, String?)
    /// Replaces how a task is carried out.
    case setOptions(TaskKey, [UInt8]?)
    /// Changes a task's place among those that wait.
    case prioritizeTask(TaskKey, Double)
    /// Replaces until when a task does not begin, which has not had a failed attempt; its time goes along. It is
    /// looked at as if its state had changed.
    case delayTask(TaskKey, notBefore: Date?, [UInt8]?, at: Date)
    /// Has a task that waits for a date, and for this moment, wait for another moment; its time goes along. It is looked
    /// at as if its state had changed.
    case retimeTask(Int64, from: Date, to: Date, at: Date)
    /// Ends waits between attempts that are longer than any, and has times begin now that begin later, as the clock by
    /// which they were noted was another one.
    case distrustTimes(at: Date, longestWait: Double)
    /// Lets a task begin at once, and notes what its application has said about that; it is looked at as if its
    /// state had changed.
    case beginTask(TaskKey, [UInt8]?, at: Date)
    /// Has a task wait for another host with something to send in place of its request; if it backs off, the next
    /// attempt need not wait. It is looked at as if its state had changed.
    case relinkTask(TaskKey, host: String, [UInt8])
    /// Deletes a task with its events.
    case deleteTask(id: Int64)

    /// Deletes an event, and its task if that is completed and has no other event.
    case acknowledge(session: Int64, sequence: Int64)
}

/// What an acknowledged commit outlives.
package enum Durability: Hashable, Sendable {
    /// It outlives a kill of the process, but perhaps not a loss of power.
    case relaxed
    /// It outlives a loss of power.
    case synchronized
}

/// An event to be added to a session's log.
package struct NewEvent: Hashable, Sendable {
    /// What happened, in the daemon's own numbering.
    package var kind: Int
    /// The details, in the daemon's own encoding.
    package var payload: [UInt8]

    /// Creates an event.
    package init(kind: Int, payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }
}

/// How a task is named.
package enum TaskKey: Hashable, Sendable {
    /// By the daemon's own number.
    case id(Int64)
    /// By its number within its session.
    case identifier(session: Int64, Int)
}

/// Something that holds for all tasks, by its name in the database.
package enum Setting: String, Hashable, Sendable {
    /// How fast all of them together may load and send.
    case rates
    /// What time it is for the daemon.
    case clock
}
