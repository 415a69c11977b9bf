import FerrySystem
import FerryWire
import FoundationEssentials

extension Database {
    private static let insertTask = Statement(
        """
        INSERT INTO tasks (id, session_id, identifier, state, host, priority, received_byte_count,
            expected_byte_count, attempts, not_before, created_at, started_at, deadline, description,
            checkpoint, avoids)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let insertDetails = Statement(
        """
        INSERT INTO task_details (task_id, request, current_request, response, last_error,
            upload, delay, options, link)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let deleteTask = Statement("DELETE FROM tasks WHERE id = ?")
    private static let deleteDetails = Statement("DELETE FROM task_details WHERE task_id = ?")
    private static let setProgress = Statement(
        "UPDATE tasks SET received_byte_count = ?, expected_byte_count = ? WHERE id = ?"
    )
    private static let setCheckpoint = Statement("UPDATE tasks SET checkpoint = ? WHERE id = ?")
    private static let setDescription = Statement("UPDATE tasks SET description = ? WHERE id = ?")
    private static let setPriority = Statement("UPDATE tasks SET priority = ? WHERE id = ?")
    private static let setUpload = Statement("UPDATE task_details SET upload = ? WHERE task_id = ?")
    private static let setOptions = Statement(
        "UPDATE task_details SET options = ? WHERE task_id = ?"
    )
    private static let setLastError = Statement(
        "UPDATE task_details SET last_error = ? WHERE task_id = ?"
    )
    private static let setExchange = Statement(
        "UPDATE task_details SET current_request = ?, response = ? WHERE task_id = ?"
    )

    /// Adds a task, unless its session has it, or has had it, already.
    ///
    /// - Returns: The number of the task in the store; `nil` if the task is gone.
    func insert(_ task: TaskRecord) throws(StoreError) -> TaskID? {
        let next = try counters(ofSession: task.sessionID).nextTaskIdentifier
        guard try claim(task.identifier, in: task.sessionID, next: next) else {
            return try repeatInsertion(task)
        }
        try insertRows(of: task)
        if Int64(task.identifier) >= next {
            try count(inSession: task.sessionID) {
                $0.nextTaskIdentifier = Int64(min(task.identifier, .max - 1)) + 1
            }
        }
        counters.added(task: task.id)
        try count(nil, Standing(task))
        return task.id
    }

    private func insertRows(of task: TaskRecord) throws(StoreError) {
        try connection.run(
            Self.insertTask,
            task.id,
            task.sessionID,
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
            Self.insertDetails,
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

    /// Deletes a task with all that belongs to it.
    func delete(_ task: Standing) throws(StoreError) {
        try connection.run(Self.deleteTask, task.id)
        try connection.run(Self.deleteDetails, task.id)
        try count(task, nil)
    }

    /// Recognizes the repeated insertion of a task that exists, or that is gone.
    private func repeatInsertion(_ task: TaskRecord) throws(StoreError) -> TaskID? {
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
    func setProgress(_ received: Int64, _ expected: Int64?, of task: TaskID) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(Self.setProgress, received, expected, task)
        )
    }

    /// Replaces a task's checkpoint.
    func setCheckpoint(_ checkpoint: Encoded<ByteState>?, of task: TaskID) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(Self.setCheckpoint, checkpoint, task)
        )
    }

    /// Replaces the stored information about the file that an upload sends.
    func setUpload(_ upload: Encoded<UploadState>, of task: TaskID) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(Self.setUpload, upload, task)
        )
    }

    /// Replaces a task's options.
    func setOptions(_ options: Encoded<Wire.TransferOptions>?, of task: TaskID) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(Self.setOptions, options, task)
        )
    }

    /// Replaces the conditions that a task avoids; those of a task that a person lets run under all stay as they are.
    func setAvoided(_ conditions: Conditions?, of key: TaskKey) throws(StoreError) {
        let standing = try standing(key)
        guard standing.avoids != .overridden else { return }
        try replace(standing) { $0.avoids = conditions ?? .overridden }
    }

    /// Records a task's failed attempts.
    func setRetry(
        _ attempts: Int,
        _ notBefore: Date?,
        _ lastError: Encoded<AttemptFailure>?,
        of task: TaskID
    ) throws(StoreError) {
        try replace(try standing(.id(task))) { standing in
            standing.attempts = attempts
            standing.notBefore = notBefore
        }
        try setLastError(lastError, of: task)
    }

    /// Records failed attempts at the work that a task requires before it begins.
    func postpone(
        _ task: TaskID,
        _ attempts: Int,
        until date: Date,
        _ lastError: Encoded<AttemptFailure>?
    ) throws(StoreError) {
        try replace(try standing(.id(task))) { standing in
            standing.attempts = attempts
            standing.notBefore = max(standing.notBefore ?? date, date)
        }
        try setLastError(lastError, of: task)
    }

    private func setLastError(
        _ lastError: Encoded<AttemptFailure>?,
        of task: TaskID
    ) throws(StoreError) {
        try connection.run(Self.setLastError, lastError, task)
    }

    /// Replaces a task's request after redirects and its response.
    func setExchange(
        _ currentRequest: Encoded<Wire.Request>?,
        _ response: Encoded<Wire.Response>?,
        of task: TaskID
    ) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(Self.setExchange, currentRequest, response, task)
        )
    }

    /// Replaces the application's description of a task.
    func setDescription(_ description: String?, of task: TaskID) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(Self.setDescription, description, task)
        )
    }

    /// Changes a task's priority among the waiting tasks.
    func setPriority(_ priority: Double, of task: TaskID) throws(StoreError) {
        try expectTask(
            task,
            try connection.run(Self.setPriority, priority, task)
        )
    }

    private func expectTask(_ id: TaskID, _ changed: Int) throws(StoreError) {
        guard changed == 1 else { throw .missing("task \(id)") }
    }
}
