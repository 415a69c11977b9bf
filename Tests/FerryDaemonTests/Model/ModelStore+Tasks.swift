import FerryStore
import FerryWire
import FoundationEssentials

extension ModelStore {
    /// Performs a change that is about one task.
    mutating func performOnTask(
        _ mutation: Mutation,
        _ receipt: inout Receipt
    ) throws(StoreError) {
        switch mutation {
        case .insertTask(let task):
            receipt.taskIDs.append(try insert(task))
        case .resumeTask(let key, let now, let timeout):
            try move(key, at: now, resourceTimeout: timeout, &receipt) { state in
                state.isHeld ? .held : .waiting
            }
        case .suspendTask(let key, let now):
            try move(key, at: now, &receipt) { $0.isHeld ? .heldSuspended : .suspended }
        case .holdTask(let id, let now):
            try move(.id(id), at: now, &receipt) {
                $0 == .waiting || $0 == .held ? .held : .heldSuspended
            }
        case .releaseTask(let id, let now):
            try release(id, at: now, &receipt)
        case .completeTask(let key, let end):
            try complete(key, end, &receipt)
        case .delayTask(let key, let notBefore, let delay, let now):
            guard try task(key).record.attempts == 0 else { return }
            try self.delay(key, until: notBefore, delay, at: now, &receipt)
        case .retimeTask(let id, let from, let to, let now):
            guard let task = tasks[id]?.record, task.attempts == 0, task.notBefore == from else {
                return
            }
            try delay(.id(id), until: to, task.delay, at: now, &receipt)
        case .beginTask(let key, let delay, let now):
            try self.delay(key, until: nil, delay, at: now, &receipt)
        case .relinkTask(let key, let host, let link):
            try relink(key, host, link, &receipt)
        case .deleteTask(let id):
            tasks[id] = nil
            updateMemory(of: id) { $0.isDiscarded = true }
        default:
            try assign(mutation)
        }
    }

    /// Performs a change that only replaces what a task holds.
    private mutating func assign(_ mutation: Mutation) throws(StoreError) {
        switch mutation {
        case .setProgress(let id, let received, let expected):
            try change(.id(id)) {
                $0.receivedByteCount = received
                $0.expectedByteCount = expected
            }
        case .setCheckpoint(let id, let checkpoint):
            try change(.id(id)) { $0.checkpoint = checkpoint }
        case .setUpload(let id, let upload):
            try change(.id(id)) { $0.upload = upload }
        case .setRetry(let id, let attempts, let notBefore, let lastError):
            try change(.id(id)) {
                $0.attempts = attempts
                $0.notBefore = notBefore
                $0.lastError = lastError
            }
        case .postponeTask(let id, let attempts, let date, let lastError):
            try change(.id(id)) {
                $0.attempts = attempts
                $0.notBefore = max($0.notBefore ?? date, date)
                $0.lastError = lastError
            }
        case .setExchange(let id, let request, let response):
            try change(.id(id)) {
                $0.currentRequest = request
                $0.response = response
            }
        case .describeTask(let key, let text): try change(key) { $0.description = text }
        case .setOptions(let key, let options): try change(key) { $0.options = options }
        case .avoidConditions(let key, let conditions):
            try change(key) { if $0.avoids != nil { $0.avoids = conditions } }
        case .prioritizeTask(let key, let priority): try change(key) { $0.priority = priority }
        default: throw .model(.internalFailure)
        }
    }

    /// Ends waits that are longer than any, and has times begin now that begin later.
    mutating func distrustTimes(at now: Date, longestWait: Double) {
        for (id, task) in tasks where task.record.state != .completed {
            let isDelayed = task.record.attempts == 0 && task.record.delay != nil
            if let notBefore = task.record.notBefore, notBefore > now + longestWait,
                notBefore != TaskRecord.networkWait, !isDelayed
            {
                tasks[id]?.record.notBefore = nil
            }
            if let started = task.record.startedAt, started > now {
                tasks[id]?.record.deadline = task.record.deadline.map { deadline in
                    deadline.addingTimeInterval(-started.timeIntervalSince(now))
                }
                tasks[id]?.record.startedAt = now
            }
        }
    }

    /// The task that a key names.
    func task(_ key: TaskKey) throws(StoreError) -> Task {
        let found =
            switch key {
            case .id(let id): tasks[id]
            case .identifier(let session, let identifier):
                tasks.values.first {
                    $0.record.sessionID == session && $0.record.identifier == identifier
                }
            }
        guard let found else { throw .model(.notFound) }
        return found
    }

    private mutating func change(
        _ key: TaskKey,
        _ body: (inout TaskRecord) -> Void
    ) throws(StoreError) {
        var task = try task(key)
        body(&task.record)
        tasks[task.record.id] = task
    }

    private mutating func insert(_ record: TaskRecord) throws(StoreError) -> TaskID? {
        guard let session = sessions[record.sessionID] else { throw .model(.notFound) }
        if record.identifier < 1 || session.usedIdentifiers.contains(record.identifier) {
            let key = TaskKey.identifier(session: record.sessionID, record.identifier)
            guard let known = try? task(key) else { return nil }
            guard known.record.link != nil || known.record.host == record.host,
                known.record.request == record.request,
                (known.record.upload == nil) == (record.upload == nil)
            else { throw .model(.conflict) }
            return known.record.id
        }
        guard tasks[record.id] == nil, !record.host.isEmpty else { throw .model(.conflict) }
        tasks[record.id] = Task(record: record, applicationID: session.record.applicationID)
        nextTaskID = max(nextTaskID, record.id.next)
        let next = max(session.record.nextTaskIdentifier, record.identifier + 1)
        sessions[record.sessionID]?.record.nextTaskIdentifier = next
        sessions[record.sessionID]?.usedIdentifiers.insert(record.identifier)
        return record.id
    }

    // MARK: From state to state

    /// Moves a task that has not ended; its time runs only while it waits or runs.
    private mutating func move(
        _ key: TaskKey,
        at now: Date,
        resourceTimeout: Double? = nil,
        _ receipt: inout Receipt,
        _ next: (TaskRecord.State) -> TaskRecord.State
    ) throws(StoreError) {
        var task = try task(key)
        let from = task.record.state
        let to = from == .completed ? from : next(from)
        guard from != to else { return }
        let begin = task.record.begin(at: now)
        var time = task.record.deadline?.timeIntervalSince(begin) ?? task.timeLeft
        if task.record.deadline == nil, task.record.startedAt == nil, let resourceTimeout {
            time = resourceTimeout
        }
        if let left = time, left <= 0 { time = nil }
        task.record.state = to
        task.record.deadline = to == .waiting ? time.map { begin.addingTimeInterval($0) } : nil
        task.timeLeft = to == .waiting ? nil : time
        if to == .waiting { task.record.startedAt = task.record.startedAt ?? now }
        tasks[task.record.id] = task
        receipt.changes.append(TaskChange(task, from: from))
    }

    private mutating func relink(
        _ key: TaskKey,
        _ host: String,
        _ link: Encoded<LinkState>,
        _ receipt: inout Receipt
    ) throws(StoreError) {
        var task = try task(key)
        guard task.record.state != .completed else { return }
        task.record.host = host
        task.record.link = link
        if task.record.attempts > 0 || task.record.notBefore == TaskRecord.networkWait {
            task.record.notBefore = nil
        }
        tasks[task.record.id] = task
        receipt.changes.append(TaskChange(task, from: task.record.state))
    }

    private mutating func delay(
        _ key: TaskKey,
        until notBefore: Date?,
        _ delay: Encoded<DelayState>?,
        at now: Date,
        _ receipt: inout Receipt
    ) throws(StoreError) {
        var task = try task(key)
        guard task.record.state != .completed else { return }
        task.record.deadline = task.record.deadline.map { deadline in
            max(now, notBefore ?? now)
                + deadline.timeIntervalSince(task.record.begin(at: now))
        }
        task.record.notBefore = notBefore
        task.record.delay = delay
        tasks[task.record.id] = task
        receipt.changes.append(TaskChange(task, from: task.record.state))
    }

    private mutating func release(
        _ id: TaskID,
        at now: Date,
        _ receipt: inout Receipt
    ) throws(StoreError) {
        var task = try task(.id(id))
        guard task.record.state == .waiting else {
            if task.record.attempts > 0 { tasks[id]?.record.notBefore = nil }
            return try move(.id(id), at: now, &receipt) { $0 == .held ? .waiting : .suspended }
        }
        task.record.deadline = task.record.deadline.map { deadline in
            now + deadline.timeIntervalSince(task.record.begin(at: now))
        }
        task.record.notBefore = nil
        tasks[id] = task
        receipt.changes.append(TaskChange(task, from: .waiting))
    }

    private mutating func complete(
        _ key: TaskKey,
        _ end: NewEnd,
        _ receipt: inout Receipt
    ) throws(StoreError) {
        var task = try task(key)
        let from = task.record.state
        guard from != .completed else { return }
        guard let sequence = sessions[task.record.sessionID]?.record.nextSequence else {
            throw .model(.notFound)
        }
        if let record = end.memory { remember(EndedTaskRecord(id: task.record.id, task: record)) }
        task.record.state = .completed
        task.record.notBefore = nil
        task.record.deadline = nil
        task.timeLeft = nil
        task.record.receivedByteCount = end.receivedByteCount
        task.record.expectedByteCount = end.expectedByteCount
        task.record.event = end.event
        task.endSequence = sequence
        task.endPath = end.path
        tasks[task.record.id] = task
        sessions[task.record.sessionID]?.record.nextSequence += 1
        receipt.changes.append(TaskChange(task, from: from))
        receipt.sequences.append(sequence)
    }
}

// MARK: - Tasks that have ended

extension ModelStore {
    /// Tasks that have ended and are gone, the last one first.
    func endedTasks(limit: Int) -> [EndedTaskRecord] {
        Array(endedTasks.reversed().filter { tasks[$0.id] == nil }.prefix(limit))
    }

    /// Remembers a task, and forgets the oldest, many at a time.
    fileprivate mutating func remember(_ record: EndedTaskRecord) {
        endedTasks.append(record)
        rememberedCount += 1
        if rememberedCount.isMultiple(of: 64) {
            endedTasks = Array(endedTasks.suffix(History().count))
        }
    }

    /// Changes what is remembered of a task, if anything is.
    mutating func updateMemory(of task: TaskID, _ body: (inout EndedTaskRecord) -> Void) {
        guard let index = endedTasks.lastIndex(where: { $0.id == task }) else { return }
        body(&endedTasks[index])
    }
}

extension TaskRecord.State {
    fileprivate var isHeld: Bool { self == .held || self == .heldSuspended }
}

extension TaskChange {
    fileprivate init(_ task: ModelStore.Task, from: TaskRecord.State) {
        self.init(
            id: task.record.id,
            sessionID: task.record.sessionID,
            identifier: task.record.identifier,
            from: from,
            to: task.record.state,
            deadline: task.record.deadline
        )
    }
}

extension TaskRecord {
    /// When its time begins to run, or has.
    fileprivate func begin(at now: Date) -> Date {
        guard attempts == 0, let notBefore, notBefore != TaskRecord.networkWait else { return now }
        return max(now, notBefore)
    }
}
