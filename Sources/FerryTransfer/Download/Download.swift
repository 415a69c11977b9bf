package import FerryHTTP
package import FerrySystem

/// One attempt to get a resource, or the rest of it, into a file.
///
/// It follows redirects, and starts over if the server refuses to continue the existing bytes. Its owner
/// decides with ``RetryPolicy`` whether and when to try again after a failure; the next attempt is another
/// `Download` on the same file.
///
/// A download that is running keeps itself alive; its owner ends it with ``cancel()``.
@LoopActor
package final class Download {
    /// A name for messages and debuggers.
    package let name: String
    /// The request as the app made it.
    package let request: TransferRequest
    /// The file for the body.
    package let file: PartialFile

    let client: HTTPClient
    let configuration: Configuration
    let events: Events
    let decider: (any LoadDecider)?
    private let givenCheckpoint: Checkpoint?
    let connections: (any ConnectionLender)?
    var machine: StateMachine
    private var hasStarted = false
    var source: (any AnswerSource)?
    /// The loads of the connections beside the first one.
    var parts: [Int: PartLoad] = [:]
    /// The servers that connections were lent to, by the source at that time.
    var lentConnections: [Int: [String]] = [:]
    /// The load of the first response, whose authentication is used for the parts as well.
    var provenLoad: Load?
    /// How the first request is shared, if it is.
    private var sharing: Sharing?
    var disposition = HTTPBodyDisposition.discard
    var synchronizationTimer: LoopTimer?
    var stallTimer: LoopTimer?
    var isSynchronizing = false
    /// The running verification of digests.
    var verification: PartialFile.Verification?
    /// How much of the body has arrived in its coding, if it is decoded and its length in the coding is known.
    var codedProgress: CodedProgress?
    /// The progress to report at the end of the loop's current turn.
    private var progress: (received: Int64, total: Int64?)?

    /// Prepares a download; nothing happens before ``start()``.
    ///
    /// - Parameters:
    ///   - name: A name for messages and debuggers.
    ///   - request: The request as the app made it.
    ///   - file: The file for the body; its bytes are continued if possible.
    ///   - checkpoint: The latest checkpoint of that file that its owner has kept.
    ///   - client: The client that sends the requests.
    ///   - configuration: How the download is carried out.
    ///   - decider: Decides about redirects and challenges for the app.
    ///   - connections: Lends further connections; if `nil`, there may always be another.
    ///   - sharing: Shares the response to the first request; `nil` to make that request alone.
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

    /// Starts the download; further calls do nothing.
    package func start() {
        guard !hasStarted else { return }
        hasStarted = true
        // Events are never sent from inside a call of the owner.
        LoopActor.perform { self.open() }
    }

    /// Ends the download at once and without an event; the file keeps its bytes.
    package func cancel() {
        if !machine.hasEnded { file.keep() }
        run { $0.cancel() }
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

    /// Returns what an app needs to continue this download after it was cancelled or has failed.
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
                    segments: $0.segments?.written,
                    agreed: file.oddAnswer(atLeast: configuration.doubtTime)
                )
            }
            run { $0.start(holding: held) }
        } catch {
            run { $0.fileFailed(error) }
        }
    }
}

// MARK: - Effects

extension Download {
    /// Takes an input, and performs what follows.
    func run(_ input: (inout StateMachine) -> Void) { run(nil, input) }

    /// Takes a piece of a body, performs what follows, and finds out whether more connections are useful then.
    func run(with piece: Piece, _ input: (inout StateMachine) -> Void) {
        run(piece, input)
        run { $0.grow(at: EventLoop.now) }
    }

    private func run(_ piece: Piece?, _ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() {
            do {
                try perform(effect, piece)
            } catch {
                machine.fileFailed(error)
            }
        }
    }

    private func perform(
        _ effect: StateMachine.Effect,
        _ piece: Piece?
    ) throws(TransferError) {
        switch effect {
        case .send(let next): send(next)
        case .cancelLoads: cancelLoads()
        case .takeBody: disposition = .deliver
        case .skipBody: disposition = .discard
        case .beginFile(let version): try file.begin(version)
        case .continueFile(let version): try file.resume(version)
        case .discardFile: try file.remove()
        // If that is lost, only the time starts over.
        case .recordDoubt(let answer): try? file.record(answer)
        case .compare(let count, let offset): try compare(piece?.prefix(count), at: offset)
        case .write(let count): write(piece, dropping: count)
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
            write(piece, count, of: part, at: offset)
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
        request.ask(forPart: next.resumption?.fields ?? [])
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

    private func cancelLoads() {
        cancelLoad()
        for load in parts.values { load.cancel() }
        parts = [:]
        giveConnectionsBack()
    }

    func cancelLoad() {
        source?.cancel()
        source = nil
        disposition = .discard
    }

    /// Writes received bytes; those that reached the file before an error count.
    private func write(_ piece: Piece?, dropping count: Int) {
        guard let piece else { return }
        let (written, failure) = store { () throws(TransferError) in
            try piece.write(to: file, dropping: count)
        }
        recordFruitlessResumptions()
        machine.wrote(count: written, failure: failure)
        if failure == nil { synchronizeSoon() }
    }

    /// Has a write count by the bytes that reached the file, even if it fails.
    func store(
        _ write: () throws(TransferError) -> Void
    ) -> (byteCount: Int, failure: TransferError?) {
        let before = file.byteCount
        var failure: TransferError?
        do throws(TransferError) { try write() } catch { failure = error }
        return (Int(file.byteCount - before), failure)
    }

    private func compare(
        _ bytes: Slice<UnsafeRawBufferPointer>?,
        at offset: Int64
    ) throws(TransferError) {
        guard let bytes else { return }
        if try !file.holds(UnsafeRawBufferPointer(rebasing: bytes), at: offset) {
            machine.compareFailed()
        }
    }

    private func end(_ report: (Events) -> Void) {
        stopSynchronizing()
        stopWatching()
        // They may refer to the owner, and are no longer needed.
        sharing = nil
        provenLoad = nil
        recordFruitlessResumptions()
        notifyProgress()
        report(events)
    }

    private func responded(_ head: HTTPResponseHead, _ request: TransferRequest) {
        events.responded(head, request)
        // The owner must see that earlier bytes are gone, however fast new ones arrive.
        guard machine.receivedByteCount == 0, !machine.hasEnded else { return }
        events.progressed(0, machine.totalByteCount, nil)
    }

    private func restarted(_ reason: String) {
        notifyProgress()
        events.restarted(reason)
    }

    /// Reports the progress once per turn of the loop, for all pieces that arrive in it.
    private func progressed(_ received: Int64, _ total: Int64?) {
        if progress == nil { LoopActor.perform { self.notifyProgress() } }
        progress = (received, total)
    }

    private func notifyProgress() {
        guard let (received, total) = progress else { return }
        progress = nil
        events.progressed(received, total, codedProgress)
    }

    private func recordFruitlessResumptions() {
        // If the count is lost, it only starts over.
        try? file.recordFruitlessResumptions(machine.fruitlessResumptionCount)
    }
}
