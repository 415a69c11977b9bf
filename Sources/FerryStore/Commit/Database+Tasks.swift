import FerrySystem
import FoundationEssentials

extension Database {
    /// Adds a task, unless its session has it, or has had it, already.
    ///
    /// - Returns: The number of the task in the store; `nil` if the task is gone.
    func insert(_ task: TaskRecord) throws(StoreError) -> Int64? {
        let session = try connection.first(
            "SELECT application_id, next_task_identifier FROM sessions WHERE id = ?",
            task.sessionID
        ) { (application: $0.integer(), nextTaskIdentifier: $0.integer()) }
        guard let session else { throw .missing("session \(task.sessionID)") }
        let isNew = try claim(
            task.identifier,
            in: task.sessionID,
            next: session.nextTaskIdentifier
        )
        guard isNew else { return try repeatInsertion(task) }
        try insert(task, of: session.application)
        return task.id
    }

    private func insert(_ task: TaskRecord, of application: Int64) throws(StoreError) {
        try connection.run(
            """
            INSERT OR FAIL INTO tasks (id, session_id, application_id, identifier, state, host, priority,
                received_byte_count, expected_byte_count, attempts, not_before, created_at,
                started_at, deadline, description, checkpoint, avoids)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            task.id,
            task.sessionID,
            application,
            task.identifier,
            task.state.rawValue,
            task.host,
            task.priority,
            task.receivedByteCount,
            task.expectedByteCount,
            task.attempts,
            task.notBefore,
            task.createdAt,
            task.startedAt,
            task.deadline,
            task.description,
            task.checkpoint,
            task.avoids ?? .overridden
        )
        try connection.run(
            """
            INSERT INTO task_details (task_id, request, current_request, response, last_error,
                upload, delay, options, link)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            task.id,
            task.request,
            task.currentRequest,
            task.response,
            task.lastError,
            task.upload,
            task.delay,
            task.options,
            task.link
        )
    }

    /// Recognizes the repeated insertion of a task that exists, or that is gone.
    private func repeatInsertion(_ task: TaskRecord) throws(StoreError) -> Int64? {
        let known = try self.task(session: task.sessionID, identifier: task.identifier)
        guard let known else { return nil }
        // The bytes of an upload are not compared: those in the store may differ from those that were passed.
        guard known.link != nil || known.host == task.host, known.request == task.request,
            (known.upload == nil) == (task.upload == nil)
        else {
            throw connection.failure(
                .conflict,
                because: "session \(task.sessionID) has another task \(task.identifier)"
            )
        }
        return known.id
    }

    /// Records how much of a body has arrived.
    func setProgress(_ received: Int64, _ expected: Int64?, of task: Int64) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(
                "UPDATE tasks SET received_byte_count = ?, expected_byte_count = ? WHERE id = ?",
                received,
                expected,
                task
            )
        )
    }

    /// Replaces a task's checkpoint.
    func setCheckpoint(_ checkpoint: [UInt8]?, of task: Int64) throws(StoreError) {
        try expectTask(
            task,
            try connection.run("UPDATE tasks SET checkpoint = ? WHERE id = ?", checkpoint, task)
        )
    }

    /// Replaces the stored information about the file that an upload sends.
    func setUpload(_ upload: [UInt8], of task: Int64) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(
                "UPDATE task_details SET upload = ? WHERE task_id = ?",
                upload,
                task
            )
        )
    }

    /// Replaces a task's options.
    func setOptions(_ options: [UInt8]?, of task: Int64) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(
                "UPDATE task_details SET options = ? WHERE task_id = ?",
                options,
                task
            )
        )
    }

    /// Replaces the conditions that a task avoids; those of a task that a person lets run under all stay as they are.
    func setAvoided(_ conditions: Conditions?, of task: Int64) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(
                "UPDATE tasks SET avoids = CASE WHEN avoids = ? THEN avoids ELSE ? END WHERE id = ?",
                Conditions.overridden,
                conditions ?? .overridden,
                task
            )
        )
    }

    /// Records a task's failed attempts.
    func setRetry(
        _ attempts: Int,
        _ notBefore: Date?,
        _ lastError: [UInt8]?,
        of task: Int64
    ) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(
                "UPDATE tasks SET attempts = ?, not_before = ? WHERE id = ?",
                attempts,
                notBefore,
                task
            )
        )
        try setLastError(lastError, of: task)
    }

    /// Records failed attempts at the work that a task requires before it begins.
    func postpone(
        _ task: Int64,
        _ attempts: Int,
        until date: Date,
        _ lastError: [UInt8]?
    ) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(
                "UPDATE tasks SET attempts = ?, not_before = max(ifnull(not_before, ?), ?) WHERE id = ?",
                attempts,
                date,
                date,
                task
            )
        )
        try setLastError(lastError, of: task)
    }

    private func setLastError(_ lastError: [UInt8]?, of task: Int64) throws(StoreError) {
        try connection.run(
            "UPDATE task_details SET last_error = ? WHERE task_id = ?",
            lastError,
            task
        )
    }

    /// Ends the wait of all tasks that wait for a network.
    func endNetworkWait() throws(StoreError) {
        try connection.run(
            "UPDATE tasks SET not_before = NULL WHERE not_before = ?",
            TaskRecord.networkWait
        )
    }

    /// Replaces a task's request after redirects and its response.
    func setExchange(
        _ currentRequest: [UInt8]?,
        _ response: [UInt8]?,
        of task: Int64
    ) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(
                "UPDATE task_details SET current_request = ?, response = ? WHERE task_id = ?",
                currentRequest,
                response,
                task
            )
        )
    }

    /// Replaces the application's description of a task.
    func setDescription(_ description: String?, of task: Int64) throws(StoreError) {
        try expectTask(
            task,
            try connection.run("UPDATE tasks SET description = ? WHERE id = ?", description, task)
        )
    }

    /// Changes a task's priority among the waiting tasks.
    func setPriority(_ priority: Double, of task: Int64) throws(StoreError) {
        try expectTask(
            task,
            try connection.run("UPDATE tasks SET priority = ? WHERE id = ?", priority, task)
        )
    }

    private func expectTask(_ id: Int64, _ changed: Int) throws(StoreError) {
        guard changed == 1 else { throw .missing("task \(id)") }
    }
}
