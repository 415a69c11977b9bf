import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// A background session in an application's process, as the library has it.
///
/// Calls that have no answer when the connection is lost are made again over the next one, and
/// an event is shown to the application once, however often it comes.
final class SimulatedSession {
    let name: String
    unowned let process: SimulatedProcess
    /// The daemon's number for it, 0 before it has one.
    private(set) var number: SessionID = 0
    private(set) var isOpen = false
    /// Whether another one has its name now.
    var isReplaced = false
    private var isOpening = false
    private var stream: SimulatedConnection?
    private var unanswered: [SimulatedCall] = []
    private var received: Set<Int64> = []
    /// The events that were handled and are to be acknowledged.
    private var handled: [Int64] = []
    /// The latest question about each task.
    private var asked: [Int: Int] = [:]
    private var untold = 0
    private var isDrained = false
    private var isInvalidated = false
    private var nextIdentifier = 1
    private var refusals = 0
    private var busyUntil = 0.0
    private var world: Simulation { process.world }

    init(_ name: String, in process: SimulatedProcess) {
        self.name = name
        self.process = process
    }

    /// Whether the past was told and nothing is under way; in the harvest, whether no task is left.
    var isDone: Bool {
        guard isOpen, isDrained, unanswered.isEmpty, untold == 0 else { return false }
        return world.season != .harvest || tasks.isEmpty
    }

    private var tasks: [TaskRecord] {
        world.database.current.tasks(TaskFilter(scope: .session(number)), limit: .max)
    }

    // MARK: Opening

    func open() {
        guard !isOpen, !isOpening, !isReplaced else { return }
        isOpening = true
        var open = process.program.open(name)
        if let avoids = world.makeAvoided() { open.configuration.avoids = avoids }
        let call = SimulatedCall(.open(open)) { [self] outcome in
            isOpening = false
            switch outcome {
            case .answer(.opened(let number, let next, _)): opened(number, next)
            case .answer(let answer): world.fail("opening is answered with \(answer)")
            case .refusal(let error): refused(error)
            }
        }
        process.connection?.send(call)
    }

    private func refused(_ error: TransferInterfaceError) {
        refusals += 1
        // Another process of the application has the session; sooner or later one gives up.
        if case .sessionInUse = error, refusals > 3 { return process.end() }
        world.schedule(after: 0.5 + world.random.fraction(), process.lifetime) { [self] _ in
            if process.connection != nil { open() }
        }
    }

    private func opened(_ number: SessionID, _ next: Int) {
        if number != self.number {
            received = []
            handled = []
            unanswered.removeAll { $0.isAcknowledgement }
        }
        self.number = number
        isOpen = true
        nextIdentifier = max(nextIdentifier, next)
        subscribe()
        for call in unanswered {
            call.isRepeated = true
            send(call)
        }
    }

    private func subscribe() {
        guard let daemon = process.connection?.daemon else { return }
        isDrained = false
        stream?.close()
        let stream = SimulatedConnection(process, to: daemon) { [self] in process.lost() }
        self.stream = stream
        let call = SimulatedCall(.subscribe) { [self] outcome in
            // The answer only ends it; the store could not be read, or another one took its place.
            guard case .refusal = outcome, stream === self.stream else { return }
            stream.close()
            world.schedule(after: 1, process.lifetime) { [self] _ in
                if isOpen, stream === self.stream { subscribe() }
            }
        }
        call.session = number.rawValue
        stream.send(call)
    }

    func close() {
        isOpen = false
        isOpening = false
        stream?.close()
        stream = nil
    }

    /// Its process is gone, and with it what it waited for.
    func abandon() { unanswered = [] }

    // MARK: Calls

    private func call(
        _ content: SimulatedCall.Content,
        then completion: @escaping (SimulatedCall.Outcome) -> Void = { _ in }
    ) {
        weak var pending: SimulatedCall?
        let call = SimulatedCall(content) { [self] outcome in
            unanswered.removeAll { $0 === pending }
            check(outcome, of: content, isRepeated: pending?.isRepeated ?? false)
            completion(outcome)
            process.endIfDone()
            leaveIfInvalid()
        }
        pending = call
        unanswered.append(call)
        if isOpen { send(call) }
    }

    private func send(_ call: SimulatedCall) {
        call.session = number.rawValue
        process.connection?.send(call)
    }

    /// What the library says to an application only if somebody has made a mistake.
    private func check(
        _ outcome: SimulatedCall.Outcome,
        of content: SimulatedCall.Content,
        isRepeated: Bool
    ) {
        guard case .refusal(let error) = outcome else { return }
        switch (error, content) {
        case (.storeUnavailable, _): break
        // While it was away, another process may have had the session and used the identifier.
        case (.invalidRequest, .create) where isRepeated: break
        case (.invalidRequest, .createUpload) where isRepeated: break
        // The end of a task takes its other events along, and the session goes with the last of them.
        case (.sessionNotOpen, .acknowledge) where isInvalidated: break
        case (.taskNotFound, .create), (.taskNotFound, .createUpload), (.invalidRequest, _),
            (.sessionNotOpen, _):
            world.fail("\(content) in the open session \(number) is refused: \(error)")
        default: break
        }
    }

    /// Acknowledges an event, together with those that are handled soon after it.
    private func acknowledge(_ sequence: Int64) {
        handled.append(sequence)
        guard handled.count == 1 else { return }
        untold += 1
        let number = number
        world.schedule(after: world.random.fraction() * 0.1, process.lifetime) { [self] _ in
            untold -= 1
            guard number == self.number else { return }
            let sequences = handled
            handled = []
            acknowledge(sequences)
        }
    }

    private func acknowledge(_ sequences: [Int64]) {
        call(.acknowledge(sequences)) { [self] outcome in
            guard case .refusal(let error) = outcome else { return }
            if case .sessionNotOpen = error { return }
            untold += 1
            let number = number
            world.schedule(after: 1, process.lifetime) { [self] _ in
                untold -= 1
                if number == self.number { acknowledge(sequences) }
            }
        }
    }

    // MARK: Events

    func take(_ event: Wire.Event) {
        // The delegate's queue: one call after the other, each of which takes its time.
        busyUntil = max(busyUntil, world.now) + world.random.fraction() * 0.05
        if let sequence = event.sequence {
            guard received.insert(sequence).inserted else { return }
        }
        untold += 1
        let number = number
        world.schedule(at: busyUntil, process.lifetime) { [self] _ in
            untold -= 1
            notify(event, of: number)
        }
    }

    private func notify(_ event: Wire.Event, of number: SessionID) {
        if event.kind == .drained { drained() }
        if number == self.number { decide(event) }
        guard let sequence = event.sequence else {
            process.endIfDone()
            // It may be the last thing that was waited for.
            return leaveIfInvalid()
        }
        let key = ModelStore.EventKey(session: number, sequence: sequence)
        let resource = world.promises.told(event, key, to: process, in: world)
        if let data = event.resumeData, UploadResumeData.isAround(data) {
            process.program.keep(upload: data)
        } else if let data = event.resumeData, let resource,
            let file = Int64(String(decoding: data, as: UTF8.self))
        {
            process.program.resumeData.append((TaskID(file), resource))
        }
        if number == self.number { acknowledge(sequence) }
    }

    /// Decides what the daemon cannot, once.
    private func decide(_ event: Wire.Event) {
        guard let task = event.task, let question = event.question,
            asked.updateValue(question, forKey: task) != question
        else { return }
        switch event.kind {
        case .expired: return relink(task, question: question)
        case .challenged: break
        default:
            world.count(.delayedBegin)
            return call(.begin(task, question: question))
        }
        world.count(.challengeAnswer)
        var answer = Wire.AnswerChallenge(
            session: 0,
            identifier: task,
            question: question,
            disposition: .use,
            user: "jo",
            password: "secret",
            isKept: world.random.happens(percent: 30)
        )
        if world.random.happens(percent: 20) { answer.disposition = .goOn }
        if world.random.happens(percent: 10) { answer.disposition = .cancel }
        if world.random.happens(percent: 5) { answer.answersNoOthers = true }
        call(.answerChallenge(answer))
    }

    /// Gives a task another address, or none.
    private func relink(_ task: Int, question: Int?) {
        let record = world.database.current.tasks.values.map(\.record)
            .first { $0.sessionID == number && $0.identifier == task }
        let resource = record?.request.value
            .flatMap { world.servers.resource(url: $0.url) }
        guard let resource else { return }
        let isKnown = question == nil || world.random.happens(percent: 70)
        if isKnown { world.count(.relink) }
        let request = isKnown ? world.servers.link(to: resource, using: &world.random) : nil
        call(.relink(task, question: question, request))
    }

    private func drained() {
        isDrained = true
        guard world.season == .harvest else { return }
        for task in tasks where task.state == .suspended || task.state == .heldSuspended {
            call(.resume(task.identifier))
        }
    }

    // MARK: The application

    /// Does what its user wants, whatever that is.
    func act() {
        // Before the session is open for the first time, the library knows no identifier to use.
        guard !isInvalidated, number != 0 else { return }
        guard nextIdentifier > 1, !process.program.isGreedy || world.isCutShort else {
            return create()
        }
        let identifier = 1 + world.random.number(below: nextIdentifier - 1)
        if process.program.isGreedy {
            return world.random.happens(percent: 15) ? call(.cancel(identifier)) : create()
        }
        switch world.random.number(below: 100) {
        case 0..<25: create()
        case 25..<45: createUpload()
        case 45..<55: call(.resume(identifier))
        case 55..<62: call(.suspend(identifier))
        case 62..<67: call(.cancel(identifier))
        // The last one is the likeliest to have loaded a part.
        case 67..<78: call(.cancelProducingResumeData(nextIdentifier - 1))
        case 78..<80: call(.setPriority(identifier, world.random.fraction()))
        case 84..<88: relink(identifier, question: nil)
        case 88..<92:
            world.count(.optionsSet)
            call(.setOptions(identifier, world.makeOptions()))
        case 80..<84: invalidate(cancelling: world.random.happens(percent: 50))
        default: break
        }
    }

    private func create() {
        guard process.program.taskBudget > 0 else { return }
        process.program.taskBudget -= 1
        let identifier = nextIdentifier
        nextIdentifier += 1
        var resource = world.random.number(below: world.servers.resources.count)
        var data: TaskID?
        if !process.program.resumeData.isEmpty, world.random.happens(percent: 90) {
            let earlier = process.program.resumeData.removeLast()
            (data, resource) = (earlier.number, earlier.resource)
            // Some forget that they have used it.
            if world.random.happens(percent: 50) { process.program.resumeData.append(earlier) }
        }
        let request = Wire.Request(
            url: world.servers.resources[resource].url,
            method: "GET",
            fields: [],
            idleTimeout: 30
        )
        // The library asks for both at once, unless its loop is quicker than the application.
        let isResumed = world.random.happens(percent: 50)
        let begin: Wire.EarliestBegin? =
            world.random.happens(percent: 15)
            ? Wire.EarliestBegin(
                date: world.wall + world.random.fraction() * 20,
                asks: world.random.happens(percent: 60)
            ) : nil
        call(
            .create(
                identifier: identifier,
                request,
                resumeData: data,
                resource: resource,
                resumed: isResumed,
                earliestBegin: begin,
                options: world.makeOptions()
            )
        )
        if !isResumed, world.random.happens(percent: 70) { call(.resume(identifier)) }
    }

    private func createUpload() {
        guard process.program.taskBudget > 0 else { return }
        process.program.taskBudget -= 1
        let identifier = nextIdentifier
        nextIdentifier += 1
        let (source, url, resumeData) = chooseUpload()
        let request = Wire.Request(url: url, method: "POST", fields: [], idleTimeout: 30)
        let isResumed = world.random.happens(percent: 50)
        call(
            .createUpload(
                identifier: identifier,
                request,
                of: source,
                resumeData: resumeData,
                resumed: isResumed
            )
        ) { [self] outcome in
            guard case .answer = outcome, world.random.happens(percent: 50) else { return }
            // Some do what they like with the file as soon as the daemon has it.
            world.schedule(after: world.random.fraction() * 3) { world in
                world.sources.spoil(source, using: &world.random)
            }
        }
        if !isResumed, world.random.happens(percent: 70) { call(.resume(identifier)) }
    }

    /// What to upload, and where to: what an earlier task has not come to the end of, or something new.
    private func chooseUpload() -> (source: FileIdentity, url: String, resumeData: Data?) {
        if world.random.happens(percent: 80), let (blob, content) = process.program.takeUpload(),
            case .file(_, let identity, _) = content.content,
            let present = world.sources.present(identity)
        {
            world.count(.uploadResumeData)
            return (present, content.request.url, blob)
        }
        let source = world.sources.make(using: &world.random)
        let resource = world.random.number(below: world.servers.resources.count)
        return (source, world.servers.resources[resource].url, nil)
    }

    private func invalidate(cancelling: Bool) {
        guard isOpen else { return }
        isInvalidated = true
        call(.closeSession(cancel: cancelling)) { [self] outcome in
            if case .refusal = outcome { isInvalidated = false }
        }
    }

    /// A session that was invalidated is gone with its last task; another may take its name.
    private func leaveIfInvalid() {
        guard isInvalidated, isOpen, unanswered.isEmpty, untold == 0, tasks.isEmpty else { return }
        // The connection goes on, for the other sessions and the next one of this name.
        send(SimulatedCall(.release))
        process.replace(self)
    }
}

extension SimulatedCall {
    fileprivate var isAcknowledgement: Bool {
        if case .acknowledge = content { true } else { false }
    }
}
