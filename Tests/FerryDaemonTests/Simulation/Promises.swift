import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// What clients were promised, and what became of it.
struct Promises {
    /// The tasks that a client was told exist, by the daemon's number.
    private(set) var tasks: Set<TaskID> = []
    /// What the tasks that were ever stored were called in their sessions.
    private var names: Set<TaskKey> = []
    /// How often each task has ended in the store.
    private var endings: [TaskID: Int] = [:]
    /// Whom each event was shown to.
    private var told: [ModelStore.EventKey: SimulatedProcess] = [:]
    /// The events whose acknowledgement is in the store.
    private var acknowledged: Set<ModelStore.EventKey> = []
    /// The last events that were shown, by task.
    private var lastEvents: [TaskID: ModelStore.EventKey] = [:]
    /// The tasks whose file an application has seen.
    private var seenFiles: Set<TaskID> = []

    /// The tasks that a person has had forgotten after their end: nobody is told of that.
    private var forgotten: Set<TaskID> = []
    /// What these, and all others, are called in their sessions.
    private var namesByTask: [TaskID: TaskKey] = [:]

    /// What was promised of uploads.
    var uploads = UploadPromises()
    /// What was promised of attempts that fail.
    var retries = RetryPromises()
    /// The programs that were quit and that nobody has started since.
    private(set) var quitPrograms: Set<String> = []

    /// The tasks that exist, or existed, without a last event that an application has seen.
    var unfinishedTasks: [TaskID] {
        tasks.subtracting(forgotten).filter { lastEvents[$0] == nil }.sorted()
    }

    /// How many last events applications have seen.
    var finishedCount: Int { lastEvents.count }

    // MARK: The store

    /// The store has done something.
    mutating func executed(_ outcome: StoreLine.Outcome, in world: Simulation) {
        guard case .committed(let receipt, let commit) = outcome else { return }
        uploads.executed(receipt, commit)
        for change in receipt.changes where change.to == .completed {
            endings[change.id, default: 0] += 1
            if endings[change.id] != 1 { world.fail("task \(change.id) has ended twice") }
            if world.database.current.endedTasks.count(where: { $0.id == change.id }) != 1 {
                world.fail("task \(change.id) is not remembered once")
            }
        }
        for case .insertTask(let task) in commit.mutations where receipt.taskIDs == [task.id] {
            let name = TaskKey.identifier(session: task.sessionID, task.identifier)
            if !names.insert(name).inserted { world.fail("\(name) is there twice") }
            namesByTask[task.id] = name
        }
        if case .forgotten(_, let task, let session) = commit.continuation {
            forget(task, of: session, in: world)
        }
        if case .quit(_, let id) = commit.continuation,
            let application = world.database.current.applications[id]
        {
            world.count(.quit)
            quitPrograms.insert(application.identifier)
        }
        for opened in receipt.openedSessions where !opened.application.quit {
            quitPrograms.remove(opened.application.identifier)
        }
        for case .acknowledge(let session, let sequence, _) in commit.mutations {
            acknowledged.insert(ModelStore.EventKey(session: session, sequence: sequence))
        }
    }

    /// A person has a task forgotten: it must have ended, and nobody be there to be told of that.
    private mutating func forget(_ task: TaskID, of session: SessionID, in world: Simulation) {
        world.count(.forgottenTask)
        forgotten.insert(task)
        if endings[task] == nil { world.fail("task \(task) is forgotten before its end") }
        if world.processes.contains(where: { $0.hasOpen(session) }) {
            world.fail("task \(task) is forgotten before its application is told of its end")
        }
    }

    // MARK: Answers

    /// A call is answered: what it has asked for must outlive everything from now on.
    mutating func answered(
        _ call: SimulatedCall,
        with answer: DaemonStateMachine.Answer,
        to process: SimulatedProcess,
        in world: Simulation
    ) {
        let store = world.database.synchronized
        switch (call.content, answer) {
        case (.open, .opened(let session, _, _)):
            if store.sessions[session] == nil { world.fail("session \(session) is not durable") }
        case (.create(let identifier, _, _, _, _, _, _), .created(0)),
            (.createUpload(let identifier, _, _, _, _), .created(0)):
            let name = TaskKey.identifier(session: call.sessionID, identifier)
            if !names.contains(name) { world.fail("\(name) is acknowledged and was never there") }
        case (.create, .created(let task)), (.createUpload, .created(let task)):
            if store.tasks[task] == nil, endings[task] == nil {
                world.fail("task \(task) is acknowledged and not durable")
            }
            tasks.insert(task)
        case (.cancelProducingResumeData(let identifier), .resumeData(let data)):
            checkEnd(.identifier(session: call.sessionID, identifier), in: store, world)
            if let data { check(data, in: world) }
        case (.cancel(let identifier), .done):
            checkEnd(.identifier(session: call.sessionID, identifier), in: store, world)
        case (.cancelTask(let id), .done):
            checkEnd(.id(id), in: store, world)
        case (.acknowledge(let sequences), .done):
            for sequence in sequences {
                let key = ModelStore.EventKey(session: call.sessionID, sequence: sequence)
                if store.ended(key) != nil { world.fail("\(key) is acknowledged and not gone") }
            }
        default:
            break
        }
    }

    private func checkEnd(_ key: TaskKey, in store: ModelStore, _ world: Simulation) {
        guard let task = try? store.task(key), task.record.state != .completed else { return }
        world.fail("task \(task.record.id) is said to be cancelled and is not")
    }

    /// What resume data stands for is where it says, or was taken from there.
    private mutating func check(_ resumeData: Data, in world: Simulation) {
        guard !UploadResumeData.isAround(resumeData) else {
            return uploads.handOut(resumeData, in: world)
        }
        let number = TaskID(Int64(String(decoding: resumeData, as: UTF8.self)) ?? 0)
        if world.disk.lacks(number) { world.fail("resume data \(number) stands for nothing") }
        if world.disk.downloads[number] != nil {
            world.fail("task \(number) has the file of its resume data, too")
        }
    }

    // MARK: Events

    /// An event goes to a client.
    mutating func sent(
        _ event: Wire.Event,
        over stream: inout SimulatedStream,
        in world: Simulation
    ) {
        if event.kind == .drained {
            if stream.isDrained { world.fail("the past has been told twice") }
            stream.isDrained = true
        }
        if let task = event.task, stream.completed.contains(task) {
            world.fail("task \(task) is told of after its end: \(event.kind)")
        }
        guard let sequence = event.sequence else { return }
        if sequence <= stream.lastSequence {
            world.fail("event \(sequence) is sent after event \(stream.lastSequence)")
        }
        stream.lastSequence = sequence
        if let data = event.resumeData { check(data, in: world) }
        if event.kind == .completed, let task = event.task { stream.completed.insert(task) }
    }

    /// An application is shown an event of the log.
    ///
    /// - Returns: The resource that its task has loaded.
    mutating func told(
        _ event: Wire.Event,
        _ key: ModelStore.EventKey,
        to process: SimulatedProcess,
        in world: Simulation
    ) -> Int? {
        world.record(
            "process \(process.id) is told \(event.kind) \(key.sequence) of \(key.session)"
        )
        // What a process has in its delegate's queue when it loses its session it tells all the
        // same, and the one that has the session now is told, too.
        let isLate = world.processes.contains { $0 !== process && $0.hasOpen(key.session) }
        if acknowledged.contains(key), !isLate {
            world.fail("\(key) is told after its acknowledgement")
        }
        if let earlier = told[key], !isLate, earlier === process || earlier.hasOpen(key.session) {
            world.fail("\(key) is told twice")
        }
        let isRepetition = told.updateValue(process, forKey: key) != nil
        if isRepetition { world.count(.repeatedEvent) }
        guard let record = world.database.current.ended(key) else {
            // A process that has lost ferryd may have it in its queue while a person has the task forgotten.
            let isForgotten = forgotten.contains { task in
                event.task.map { .identifier(session: key.session, $0) == namesByTask[task] }
                    ?? false
            }
            if !isLate, !isForgotten { world.fail("\(key) is not in the log") }
            return nil
        }
        switch event.kind {
        case .completed:
            if event.path != nil { sawFile(of: record, isRepetition: isRepetition, in: world) }
            sawEnd(event, key, of: record, in: world)
        case .response, .resumed, .progress, .challenged, .delayed, .expired, .drained, .other:
            break
        }
        return record.request.value.flatMap { world.servers.resource(url: $0.url) }
    }

    private mutating func sawEnd(
        _ event: Wire.Event,
        _ key: ModelStore.EventKey,
        of task: TaskRecord,
        in world: Simulation
    ) {
        if let earlier = lastEvents.updateValue(key, forKey: task.id), earlier != key {
            world.fail("task \(task.id) has two last events")
        }
        retries.ended(task, failure: event.failure?.code, in: world)
        switch event.failure?.code {
        case nil: world.count(task.upload == nil ? .success : .uploadSuccess)
        case "cancelled": world.count(.cancellation)
        case "resourceTimedOut": world.count(.timeLimit)
        default: world.count(.finalFailure)
        }
        if event.failure == nil, !seenFiles.contains(task.id) {
            world.fail("task \(task.id) succeeds without a file")
        }
    }

    /// The file must be one version of what was asked for, from its first byte to its last.
    private mutating func sawFile(of task: TaskRecord, isRepetition: Bool, in world: Simulation) {
        let isFirst = seenFiles.insert(task.id).inserted
        guard let file = world.disk.downloads[task.id] else {
            // The application that saw it first may have taken it.
            if isFirst { world.fail("the file of task \(task.id) is not there") }
            return
        }
        let version = file.record.version
        let expected = ResourceVersion(
            validator: nil,
            totalByteCount: nil,
            url: task.request.value?.url ?? ""
        )
        let isWhole = file.count == version.totalByteCount && file.pieces.count <= 1
        if !isWhole || file.pieces.contains(where: { $0.version == 0 })
            || version.path != expected.path
        {
            world.fail("the file of task \(task.id) is not whole: \(file.pieces) of \(version)")
        }
        if world.random.happens(percent: 50) { world.disk.downloads[task.id] = nil }
    }
}
