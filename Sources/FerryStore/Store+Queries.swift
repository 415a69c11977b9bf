import FerrySystem
package import FerryWire
package import FoundationEssentials

extension Store {
    // MARK: Applications and sessions

    /// Returns all applications, by number.
    @LoopActor
    package func applications() async throws(StoreError) -> [ApplicationRecord] {
        try await read { database throws(StoreError) in try database.applications() }
    }

    /// Returns the rates of all tasks together; `nil` if they were never set.
    @LoopActor
    package func rates() async throws(StoreError) -> Encoded<SharedRates>? {
        try await read { database throws(StoreError) in try database.rates() }
    }

    /// Returns the time according to ferryd; `nil` if it was never set.
    @LoopActor
    package func clock() async throws(StoreError) -> Encoded<ClockAnchor>? {
        try await read { database throws(StoreError) in try database.clock() }
    }

    /// Returns the application with a number, or `nil`.
    @LoopActor
    package func application(id: ApplicationID) async throws(StoreError) -> ApplicationRecord? {
        try await read { database throws(StoreError) in try database.application(id: id) }
    }

    /// Returns an application's sessions, by number.
    @LoopActor
    package func sessions(application: ApplicationID) async throws(StoreError) -> [SessionRecord] {
        try await read { database throws(StoreError) in
            try database.sessions(application: application)
        }
    }

    /// Returns the session with a number, or `nil`.
    @LoopActor
    package func session(id: SessionID) async throws(StoreError) -> SessionRecord? {
        try await read { database throws(StoreError) in try database.session(id: id) }
    }

    /// Returns an application's session with a name, or `nil`.
    @LoopActor
    package func session(
        application: ApplicationID,
        identifier: String
    ) async throws(StoreError) -> SessionRecord? {
        try await read { database throws(StoreError) in
            try database.session(application: application, identifier: identifier)
        }
    }

    /// Returns the numbers of tasks of all sessions together.
    @LoopActor
    package func totals() async throws(StoreError) -> SessionCounts {
        try await read { database throws(StoreError) in try database.totals() }
    }

    // MARK: Tasks

    /// Returns the tasks that pass a filter, by number, from the first one above `id` on.
    @LoopActor
    package func tasks(
        _ filter: TaskFilter = TaskFilter(),
        after id: TaskID = 0,
        limit: Int
    ) async throws(StoreError) -> [TaskRecord] {
        try await read { database throws(StoreError) in
            try database.tasks(filter, after: id, limit: limit)
        }
    }

    /// Returns a page of the tasks that pass a filter, by number, from the first one above `id` on.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - id: The number after which the page begins.
    ///   - limit: The maximum number of tasks.
    ///   - byteLimit: The size of the tasks' contents, such as their requests, above which the page ends
    ///     early: they may be long, and a page is held in memory.
    /// - Returns: The page, with at least one task if there is one.
    /// - Throws: A failure of the disk.
    @LoopActor
    package func page(
        of filter: TaskFilter = TaskFilter(),
        after id: TaskID = 0,
        limit: Int,
        byteLimit: Int
    ) async throws(StoreError) -> TaskPage {
        try await read { database throws(StoreError) in
            try database.page(filter, after: id, limit: limit, byteLimit: byteLimit)
        }
    }

    /// Returns the tasks with the given numbers, as far as they exist, in the given order.
    ///
    /// - Parameters:
    ///   - ids: The numbers.
    ///   - byteLimit: The size of the tasks' contents above which the page ends early.
    /// - Returns: The tasks; `next` is the last one of a page that has ended early.
    /// - Throws: A failure of the disk.
    @LoopActor
    package func page(ids: [TaskID], byteLimit: Int) async throws(StoreError) -> TaskPage {
        try await read { database throws(StoreError) in
            try database.page(ids: ids, byteLimit: byteLimit)
        }
    }

    /// Returns the standings of the tasks with the given numbers, as far as they exist, in any order.
    @LoopActor
    package func standings(ofTasks ids: [TaskID]) async throws(StoreError) -> [TaskStanding] {
        try await read { database throws(StoreError) in try database.standings(ids: ids) }
    }

    /// Returns the task with a number, or `nil`.
    @LoopActor
    package func task(id: TaskID) async throws(StoreError) -> TaskRecord? {
        try await read { database throws(StoreError) in try database.task(id: id) }
    }

    /// Returns a session's task with an identifier, or `nil`.
    @LoopActor
    package func task(
        session: SessionID,
        identifier: Int
    ) async throws(StoreError) -> TaskRecord? {
        try await read { database throws(StoreError) in
            try database.task(session: session, identifier: identifier)
        }
    }

    /// Returns the unfinished tasks whose deadline has passed, the earliest deadline first.
    @LoopActor
    package func overdueTasks(
        at now: Date,
        limit: Int
    ) async throws(StoreError) -> [TaskRecord] {
        try await read { database throws(StoreError) in
            try database.overdueTasks(at: now, limit: limit)
        }
    }

    /// Returns the unfinished tasks that wait for a date from their applications, by number, from the first
    /// one above `id` on.
    @LoopActor
    package func datedTasks(after id: TaskID, limit: Int) async throws(StoreError) -> [TaskRecord] {
        try await read { database throws(StoreError) in
            try database.datedTasks(after: id, limit: limit)
        }
    }

    /// Returns tasks that have ended and are gone, the last one first, as far as they are remembered.
    ///
    /// - Parameters:
    ///   - end: The end of the page, as the page before it says; `nil` for the first page.
    ///   - limit: The maximum number of tasks, 1000 by default.
    /// - Returns: The tasks.
    /// - Throws: ``StoreError`` when they cannot be read.
    @LoopActor
    package func endedTasks(
        before end: Int64? = nil,
        limit: Int = 1000
    ) async throws(StoreError) -> EndedTaskPage {
        try await read { database throws(StoreError) in
            try database.endedTasks(before: end, limit: limit)
        }
    }

    /// Returns the earliest deadline of an unfinished task, or `nil`.
    @LoopActor
    package func earliestDeadline() async throws(StoreError) -> Date? {
        try await read { database throws(StoreError) in try database.earliestDeadline() }
    }

    // MARK: The queue

    /// Returns the tasks that may start: waiting tasks whose `notBefore` has passed.
    ///
    /// - Parameter search: The criteria and the limits.
    /// - Returns: The tasks, and when the next one is due.
    /// - Throws: A failure of the disk.
    @LoopActor
    package func candidates(_ search: CandidateSearch) async throws(StoreError) -> Candidates {
        while true {
            // A thousand tasks that become ready at once must not keep commits waiting.
            let found = try await read { database throws(StoreError) -> Candidates? in
                guard try database.releaseElapsed(at: search.now) else { return nil }
                return try database.candidates(search)
            }
            if let found { return found }
        }
    }

    // MARK: Events

    /// Returns the events that report the ends of a session's tasks, by sequence number, from the first one after
    /// `sequence` on.
    @LoopActor
    package func events(
        session: SessionID,
        after sequence: Int64 = 0,
        limit: Int
    ) async throws(StoreError) -> [EventRecord] {
        try await read { database throws(StoreError) in
            try database.events(session: session, after: sequence, limit: limit)
        }
    }
}
