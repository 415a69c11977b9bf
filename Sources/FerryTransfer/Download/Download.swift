package import FerryHTTP
package import FerrySystem

/// One attempt to get a resource, or the rest of it, into a file.
///
/// It follows redirects, and starts over by itself where the server refuses to continue the bytes
/// at hand. Whether and when to try again after a failure is its owner's decision, with
/// ``RetryPolicy``; the next attempt is another `Download` on the same file.
///
/// A download that is running keeps itself alive; its owner ends it with ``cancel()``.
@LoopActor
package final class Download {
    /// A name for messages and debuggers.
    package let name: String
    /// The request as the app made it.
    package let request: TransferRequest
    /// The file that the body goes to.
    package let file: PartialFile

    private let client: HTTPClient
    private let configuration: Configuration
    private let events: Events
    private let decider: (any LoadDecider)?
    private let givenCheckpoint: Checkpoint?
    private let connections: (any ConnectionLender)?
    private var machine: StateMachine
    private var hasStarted = false
    private var source: (any AnswerSource)?
    /// What the connections beside the first one bring.
    private var parts: [Int: PartLoad] = [:]
    /// The servers that connections were lent to, by the sources that were thought to be there.
    private var lentConnections: [Int: [String]] = [:]
    /// The load that has brought the first answer: how it proved who asks is good for the parts as well.
    private var provenLoad: Load?
    /// What the first request is shared by, if it is.
    private var sharing: Sharing?
    private var disposition = HTTPBodyDisposition.discard
    private var runCount: UInt64 = 0
    private var synchronizationTimer: LoopTimer?
    private var stallTimer: LoopTimer?
    private var isSynchronizing = false
    /// The comparison with digests that is under way.
    private var verification: PartialFile.Verification?
    /// What is to be told about the progress when the loop's present turn is over.
    private var progress: (received: Int64, total: Int64?)?

    /// Prepares a download; nothing happens before ``start()``.
    ///
    /// - Parameters:
    ///   - name: A name for messages and debuggers.
    ///   - request: The request as the app made it.
    ///   - file: The file that the body goes to; what it holds is continued if it can be.
    ///   - checkpoint: The latest checkpoint of that file that its owner has kept.
    ///   - client: What sends the requests.
    ///   - configuration: How the download is carried out.
    ///   - decider: Who decides about redirects and challenges for the app.
    ///   - connections: Who lends further connections; without an owner who counts them there may always be
    ///     another.
    ///   - sharing: What the answer to the first request is shared by; `nil` to make that request alone.
    ///   - events: The receivers of the download's events.
    package init(
        name: String,
        request: TransferRequest,
        file: PartialFile,
        checkpoint: Checkpoint? = nil,
        client: HTTPClient,
        configuration: Configuration = Configuration(),
        decider: (any LoadDecider)? = nil,
        connections: (any ConnectionLender)? = nil,
        sharing: Sharing? = nil,
        events: Events
    ) {
        self.name = name
        self.request = request
        self.file = file
        givenCheckpoint = checkpoint
        self.client = client
        self.configuration = configuration
        self.decider = decider
        self.connections = connections
        self.sharing = sharing
        self.events = events
        machine = StateMachine(request: request, configuration: configuration)
    }

    /// Begins; further calls do nothing.
    package func start() {
        guard !hasStarted else { return }
        hasStarted = true
        // Events never come from inside a call of the owner's.
        LoopActor.perform { self.open() }
    }

    /// Ends the download at once and without an event; what the file holds stays.
    package func cancel() {
        run(machine.cancel())
        progress = nil
        sharing = nil
        verification?.cancel()
        provenLoad = nil
        stopSynchronizing()
        stopWatching()
    }

    /// How fast the bytes may arrive.
    package var rates: TransferRates? { configuration.load.rates }

    /// What is known about the bytes in the file; `nil` when it holds none to continue.
    package var checkpoint: Checkpoint? {
        file.isRecovered ? file.checkpoint : givenCheckpoint
    }

    /// The number of bytes in the file.
    package var receivedByteCount: Int64 { checkpoint?.writtenByteCount ?? 0 }

    /// What an app can continue this download from, once it is cancelled or has failed.
    ///
    /// - Throws: Why it cannot be continued.
    package func resumeData() throws(ResumeData.Unavailable) -> ResumeData {
        try ResumeData(request: request, currentURL: machine.currentRequest.url, file: file)
    }

    private func open() {
        guard !machine.hasEnded else { return }
        do {
            let recovered = try file.recover(checkpoint: givenCheckpoint)
            let held = recovered.map {
                StateMachine.Held(
                    byteCount: $0.writtenByteCount,
                    version: $0.version,
                    fruitlessResumptionCount: $0.fruitlessResumptionCount,
                    segments: $0.segments?.written
                )
            }
            run(machine.start(holding: held))
        } catch {
            run(machine.fileFailed(error))
        }
    }
}

// MARK: - Effects

extension Download {
    /// Performs effects in order.
    ///
    /// An effect may lead to another input: a file that cannot be written, an owner that cancels
    /// when it hears of an event. What that input decided then takes the place of the rest.
    private func run(_ effects: [StateMachine.Effect], piece: Piece? = nil) {
        runCount += 1
        let count = runCount
        for effect in effects {
            do {
                try perform(effect, piece)
            } catch {
                run(machine.fileFailed(error))
            }
            if runCount != count { return }
        }
    }

    private func perform(
        _ effect: StateMachine.Effect,
        _ piece: Piece?
    ) throws(TransferError) {
        switch effect {
        case .send(let next): send(next)
        case .cancelLoad: cancelLoad()
        case .takeBody: disposition = .deliver
        case .skipBody: disposition = .discard
        case .beginFile(let version): try file.begin(version)
        case .continueFile(let version): try file.resume(version)
        case .discardFile: try file.remove()
        case .compare(let count, let offset): try compare(piece?.prefix(count), at: offset)
        case .write(let count): try write(piece, dropping: count)
        case .synchronize: synchronizeAll()
        case .verify(let checks): verify(checks)
        case .beginSegments: try file.beginSegments()
        case .endSegments: try file.endSegments()
        case .askForConnection(let source): askForConnection(to: source)
        case .giveConnectionBack(let source):
            giveConnectionBack(of: source)
        case .startPart(let part, let next, let source): start(part, next, of: source)
        case .startProbe(let part, let request, let range, let source):
            startProbe(part, request, range, of: source)
        case .compareProbe(let part, let count, let offset):
            try compare(piece?.prefix(count), at: offset, of: part)
        case .cancelPart(let part): cancel(part)
        case .writePart(let part, let offset, let count):
            try write(piece, count, of: part, at: offset)
        case .reportRestart(let reason): restarted(reason)
        case .reportResponse(let head, let request): responded(head, request)
        case .reportResumption(let offset, let total): events.resumed(offset, total)
        case .reportProgress(let received, let total): progressed(received, total)
        case .finish(let result): end { $0.finished(result) }
        case .fail(let error): end { $0.failed(error) }
        }
    }

    private func send(_ next: StateMachine.Request) {
        var request = next.transfer
        request.fields += next.resumption?.fields ?? []
        let makeLoad = { @LoopActor [client, configuration, decider, request] receiver in
            Load(
                request: request,
                client: client,
                configuration: configuration.load,
                decider: decider,
                receiver: receiver
            )
        }
        let sharing = next.resumption == nil ? sharing : nil
        self.sharing = nil
        let source = sharing?(self, makeLoad) ?? makeLoad(self)
        self.source = source
        source.start()
    }

    private func cancelLoad() {
        source?.cancel()
        source = nil
        disposition = .discard
    }

    /// Bytes that reached the file before an error count: they are a part of the whole.
    private func write(_ piece: Piece?, dropping count: Int) throws(TransferError) {
        guard let piece else { return }
        let before = file.byteCount
        let result = Result { () throws(TransferError) in
            try piece.write(to: file, dropping: count)
        }
        noteFruitlessResumptions()
        run(machine.wrote(count: Int(file.byteCount - before)))
        try result.get()
        if !machine.hasEnded { synchronizeSoon() }
        run(machine.grow(at: EventLoop.now))
    }

    private func compare(
        _ bytes: Slice<UnsafeRawBufferPointer>?,
        at offset: Int64
    ) throws(TransferError) {
        guard let bytes else { return }
        if try !file.holds(UnsafeRawBufferPointer(rebasing: bytes), at: offset) {
            run(machine.compareFailed())
        }
    }

    private func end(_ report: (Events) -> Void) {
        stopSynchronizing()
        stopWatching()
        // They may refer to the owner, and are of no use any more.
        sharing = nil
        provenLoad = nil
        noteFruitlessResumptions()
        tellProgress()
        report(events)
    }

    private func responded(_ head: HTTPResponseHead, _ request: TransferRequest) {
        events.responded(head, request)
        // Nobody is to miss that earlier bytes are gone, however fast the new ones come.
        guard machine.receivedByteCount == 0, !machine.hasEnded else { return }
        events.progressed(0, machine.totalByteCount)
    }

    private func restarted(_ reason: String) {
        tellProgress()
        events.restarted(reason)
    }

    /// A response comes in many pieces per turn of the loop, of which the last says it all.
    private func progressed(_ received: Int64, _ total: Int64?) {
        if progress == nil { LoopActor.perform { self.tellProgress() } }
        progress = (received, total)
    }

    private func tellProgress() {
        guard let (received, total) = progress else { return }
        progress = nil
        events.progressed(received, total)
    }

    private func noteFruitlessResumptions() {
        // A count that is lost is only begun anew.
        try? file.noteFruitlessResumptions(machine.fruitlessResumptionCount)
    }
}

// MARK: - Parts

extension Download {
    /// Who counts the connections of this download.
    private func origin(of source: Int) -> String {
        let url = machine.request(of: source).url
        return Origin(url: url)?.description ?? url
    }

    private func askForConnection(to source: Int) {
        let isAlone = self.source?.isShared != true
        let origin = origin(of: source)
        let isGranted = isAlone && connections?.lend(connectionTo: origin) ?? true
        if isGranted { lentConnections[source, default: []].append(origin) }
        run(machine.connectionAnswered(isGranted, source: source, at: EventLoop.now))
    }

    /// The machine may be on its way elsewhere by now: another redirect, another address.
    private func giveConnectionBack(of source: Int) {
        guard let origin = lentConnections[source]?.popLast() else { return }
        connections?.takeBack(connectionTo: origin)
    }

    private func start(_ part: Int, _ next: StateMachine.Request, of source: Int) {
        var request = next.transfer
        request.fields += next.resumption?.fields ?? []
        start(part, request, for: next.resumption, of: source)
    }

    private func startProbe(
        _ part: Int,
        _ next: TransferRequest,
        _ range: Range<Int64>,
        of source: Int
    ) {
        var request = next
        let value = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        request.fields.append(HTTPField(name: "Range", value: value))
        start(part, request, for: nil, of: source)
    }

    private func start(
        _ part: Int,
        _ request: TransferRequest,
        for resumption: Resumption?,
        of source: Int
    ) {
        let isElsewhere = Origin(url: request.url) != Origin(url: self.request.url)
        let load = PartLoad(
            of: self,
            part: part,
            resumption: resumption,
            request: request,
            client: client,
            configuration: configuration.load,
            decider: PartDecider(
                decider,
                followsRedirects: source > 0,
                keepsSecrets: source > 0 && isElsewhere
            ),
            proven: provenLoad
        )
        parts[part] = load
        watchForStalls()
        load.start()
    }

    /// Arms the timer for the connection that has brought nothing for the longest time; without several there
    /// is none.
    private func watchForStalls() {
        // What is slow by our own will has not stalled.
        guard stallTimer == nil, configuration.load.rates?.receiveRate == nil,
            let due = machine.nextStall
        else { return }
        stallTimer = EventLoop.shared.schedule(after: due - EventLoop.now) { [weak self] in
            guard let self else { return }
            self.stallTimer = nil
            self.run(self.machine.stallTimePassed(at: EventLoop.now))
            self.watchForStalls()
        }
    }

    private func compare(
        _ bytes: Slice<UnsafeRawBufferPointer>?,
        at offset: Int64,
        of part: Int
    ) throws(TransferError) {
        guard let bytes else { return }
        if try !file.holds(UnsafeRawBufferPointer(rebasing: bytes), at: offset) {
            run(machine.probeDiffers(part, at: EventLoop.now))
        }
    }

    private func cancel(_ part: Int) {
        guard part != StateMachine.firstConnection else { return cancelLoad() }
        parts.removeValue(forKey: part)?.cancel()
    }

    /// Bytes that reached the file before an error count: they are a part of the whole.
    private func write(
        _ piece: Piece?,
        _ count: Int,
        of part: Int,
        at offset: Int64
    ) throws(TransferError) {
        guard let piece else { return }
        let before = file.byteCount
        let result = Result { () throws(TransferError) in
            try piece.write(count, to: file, at: offset)
        }
        let written = Int(file.byteCount - before)
        run(machine.wrotePart(part, count: written, at: EventLoop.now))
        try result.get()
        if !machine.hasEnded { synchronizeSoon() }
        run(machine.grow(at: EventLoop.now))
    }

    /// The head of the answer to the request for a part; returns whether its body is wanted.
    func received(_ head: HTTPResponseHead, by load: PartLoad) -> Bool {
        guard parts[load.part] === load else { return false }
        let now = EventLoop.now
        if let resumption = load.resumption {
            run(machine.partAnswered(load.part, head, to: resumption, at: now))
        } else {
            run(machine.probeAnswered(load.part, head, at: now))
        }
        return parts[load.part] === load
    }

    /// Bytes of a part; returns whether more of them are wanted.
    func received(_ piece: Piece, by load: PartLoad) -> Bool {
        guard parts[load.part] === load else { return false }
        let effects =
            load.resumption == nil
            ? machine.probeReceivedBytes(load.part, count: piece.count, at: EventLoop.now)
            : machine.partReceivedBytes(load.part, count: piece.count)
        run(effects, piece: piece)
        return parts[load.part] === load
    }

    /// The connection for a part has ended.
    func finished(_ load: PartLoad, with error: TransferError?) {
        guard parts[load.part] === load else { return }
        parts[load.part] = nil
        let now = EventLoop.now
        if load.resumption == nil { return run(machine.probeFinished(load.part, at: now)) }
        run(machine.partFinished(load.part, error, at: now))
    }
}

// MARK: - Synchronisation

extension Download {
    /// Arms the timer for bytes that are not on the disk; without bytes there is no timer.
    private func synchronizeSoon() {
        guard case .periodic(let interval, let synchronizer) = configuration.synchronization,
            synchronizationTimer == nil, !isSynchronizing
        else { return }
        synchronizationTimer = EventLoop.shared.schedule(after: interval) { [weak self] in
            self?.synchronize(by: synchronizer)
        }
    }

    private func synchronize(by synchronizer: FileSynchronizer) {
        synchronizationTimer = nil
        isSynchronizing = true
        file.synchronize(by: synchronizer) { result in
            self.isSynchronizing = false
            guard !self.machine.hasEnded else { return }
            switch result {
            case .success:
                if let checkpoint = self.checkpoint {
                    if checkpoint.synchronizedBytes.byteCount < checkpoint.writtenByteCount {
                        self.synchronizeSoon()
                    }
                    self.events.checkpointed(checkpoint)
                }
            case .failure(let error):
                self.run(self.machine.fileFailed(error))
            }
        }
    }

    private func synchronizeAll() {
        stopSynchronizing()
        guard case .periodic(_, let synchronizer) = configuration.synchronization else {
            return run(machine.synchronized())
        }
        file.synchronize(by: synchronizer) { result in
            switch result {
            case .success: self.run(self.machine.synchronized())
            case .failure(let error): self.run(self.machine.fileFailed(error))
            }
        }
    }

    private func verify(_ checks: [DigestCheck]) {
        verification = file.verify(checks) { result in
            self.verification = nil
            switch result {
            case .success(let mismatch): self.run(self.machine.verified(mismatch))
            case .failure(let error): self.run(self.machine.fileFailed(error))
            }
        }
    }

    private func stopSynchronizing() {
        synchronizationTimer?.cancel()
        synchronizationTimer = nil
    }

    private func stopWatching() {
        stallTimer?.cancel()
        stallTimer = nil
    }
}

// MARK: - The answer

extension Download: LoadReceiver {
    package func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        guard isCurrent(load) else { return .cancel }
        provenLoad = load
        run(machine.receivedHead(head, to: request, now: .now, at: EventLoop.now))
        return disposition
    }

    package func load(
        _ load: Load,
        didReceive bytes: UnsafeRawBufferPointer
    ) -> HTTPBodyDisposition {
        receive(.memory(bytes), from: load)
    }

    package func load(_ load: Load, didReceive pipe: SplicePipe) -> HTTPBodyDisposition {
        receive(.pipe(pipe), from: load)
    }

    private func isCurrent(_ load: Load) -> Bool { source?.brings(load) == true }

    private func receive(_ piece: Piece, from load: Load) -> HTTPBodyDisposition {
        guard isCurrent(load) else { return .cancel }
        run(machine.receivedBytes(count: piece.count), piece: piece)
        guard isCurrent(load) else { return .cancel }
        guard disposition == .deliver, machine.acceptsPipes else { return disposition }
        return .deliverInPipes
    }

    package func load(_ load: Load, didFinishWith error: TransferError?) {
        guard isCurrent(load) else { return }
        source = nil
        run(machine.loadFinished(error, at: EventLoop.now))
    }
}
