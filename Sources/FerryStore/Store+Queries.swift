import FerrySystem
package import FoundationEssentials

extension Store {
    // MARK: Applications and sessions

    /// All applications, by number.
    @LoopActor
    package func applications() async throws(StoreError) -> [ApplicationRecord] {
        try await read { database throws(StoreError) in try database.applications() }
    }

    /// Something that holds for all tasks, in the daemon's own encoding; `nil` where it was never set.
    @LoopActor
    package func value(of setting: Setting) async throws(StoreError) -> [UInt8]? {
        try await read { database throws(StoreError) in try database.value(of: setting) }
    }

    /// The application with a number, or `nil`.
    @LoopActor
    package func application(id: Int64) async throws(StoreError) -> ApplicationRecord? {
        try await read { database throws(StoreError) in try database.application(id: id) }
    }

    /// An application's sessions, by number.
    @LoopActor
    package func sessions(application: Int64) async throws(StoreError) -> [SessionRecord] {
        try await read { database throws(StoreError) in
            try database.sessions(application: application)
        }
    }

    /// The session with a number, or `nil`.
    @LoopActor
    package func session(id: Int64) async throws(StoreError) -> SessionRecord? {
        try await read { database throws(StoreError) in try database.session(id: id) }
    }

    /// An application's session of a name, or `nil`.
    @LoopActor
    package func session(
        application: Int64,
        identifier: String
    ) async throws(StoreError) -> SessionRecord? {
        try await read { database throws(StoreError) in
            try database.session(application: application, identifier: identifier)
        }
    }

    /// How many tasks and events all sessions have together.
    @LoopActor
    package func totals() async throws(StoreError) -> SessionCounts {
        try await read { database throws(StoreError) in try database.totals() }
    }

    // MARK: Tasks

    /// The tasks that pass a filter, by number, from the first one above `id` on.
    @LoopActor
    package func tasks(
        _ filter: TaskFilter = TaskFilter(),
        after id: Int64 = 0,
        limit: Int
    ) async throws(StoreError) -> [TaskRecord] {
        try await read { database throws(StoreError) in
            try database.tasks(filter, after: id, limit: limit)
        }
    }

    /// A page of the tasks that pass a filter, by number, from the first one above `id` on.
    ///
    /// - Parameters:
    ///   - filter: Which tasks.
    ///   - id: What the page is after.
    ///   - limit: How many tasks at most.
    ///   - byteLimit: Above how many bytes of what tasks consist of, such as their requests, the
    ///     page ends early: they may be long, and a page is held in memory.
    /// - Returns: The page; at least one task where there is one.
    /// - Throws: What the disk reports.
    @LoopActor
    package func page(
        of filter: TaskFilter = TaskFilter(),
        after id: Int64 = 0,
        limit: Int,
        byteLimit: Int
    ) async throws(StoreError) -> TaskPage {
        try await read { database throws(StoreError) in
            try database.page(filter, after: id, limit: limit, byteLimit: byteLimit)
        }
    }

    /// The tasks with the given numbers, as far as they exist, in the order in which they are given.
    ///
    /// - Parameters:
    ///   - ids: The numbers.
    ///   - byteLimit: Above how many bytes of what tasks consist of the page ends early.
    /// - Returns: The tasks; `next` is the last one of a page that has ended early.
    /// - Throws: What the disk reports.
    @LoopActor
    package func page(ids: [Int64], byteLimit: Int) async throws(StoreError) -> TaskPage {
        try await read { database throws(StoreError) in
            try database.page(ids: ids, byteLimit: byteLimit)
        }
    }

    /// What has become of the tasks with the given numbers, as far as they exist, in any order.
    @LoopActor
    package func standings(ofTasks ids: [Int64]) async throws(StoreError) -> [TaskStanding] {
        try await read { database throws(StoreError) in try database.standings(ids: ids) }
    }

    /// The task with a number, or `nil`.
    @LoopActor
    package func task(id: Int64) async throws(StoreError) -> TaskRecord? {
        try await read { database throws(StoreError) in try database.task(id: id) }
    }

    /// A session's task of an identifier, or `nil`.
    @LoopActor
    package func task(
        session: Int64,
        identifier: Int
    ) async throws(StoreError) -> TaskRecord? {
        try await read { database throws(StoreError) in
            try database.task(session: session, identifier: identifier)
        }
    }

    /// Unfinished tasks whose deadline has passed, the earliest deadline first.
    @LoopActor
    package func overdueTasks(
        at now: Date,
        limit: Int
    ) async throws(StoreError) -> [TaskRecord] {
        try await read { database throws(StoreError) in
            try database.overdueTasks(at: now, limit: limit)
        }
    }

    /// Unfinished tasks that wait for a date which their applications have given, by number, from the first one above
    /// `id` on.
    @LoopActor
    package func datedTasks(after id: Int64, limit: Int) async throws(StoreError) -> [TaskRecord] {
        try await read { database throws(StoreError) in
            try database.datedTasks(after: id, limit: limit)
        }
    }

    /// The earliest deadline of an unfinished task, or `nil`.
    @LoopActor
    package func earliestDeadline() async throws(StoreError) -> Date? {
        try await read { database throws(StoreError) in try database.earliestDeadline() }
    }

    // MARK: The queue

    /// The tasks that may start: those that wait and whose `notBefore` has passed.
    ///
    /// - Parameter search: Which ones, and how many.
    /// - Returns: The tasks, and when the next one is due.
    /// - Throws: What the disk reports.
    @LoopActor
    package func candidates(_ search: CandidateSearch) async throws(StoreError) -> Candidates {
        while true {
            // A thousand tasks whose moment has come at once do not keep commits waiting.
            let found = try await read { database throws(StoreError) -> Candidates? in
                guard try database.releaseElapsed(at: search.now) else { return nil }
                return try database.candidates(search)
            }
            if let found { return found }
        }
    }

    // MARK: Events

    /// A session's events, by sequence number, from the first one after `sequence` on.
    @LoopActor
    package func events(
        session: Int64,
        after sequence: Int64 = 0,
        limit: Int
    ) async throws(StoreError) -> [EventRecord] {
        try await read { database throws(StoreError) in
            try database.events(session: session, after: sequence, limit: limit)
        }
    }
}
