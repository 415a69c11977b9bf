package import FerryHTTP
package import FerrySystem

/// One attempt to send a file and to receive the response into another one.
///
/// It follows redirects, and sends the file again if they require that. Its owner decides with ``RetryPolicy``
/// whether and when to try again after a failure; the next attempt sends what the server does not have if the
/// server has said where to continue, and else the whole file. A file that was changed since the upload was
/// made is not sent.
///
/// An upload that is running keeps itself alive; its owner ends it with ``cancel()``.
@LoopActor
package final class Upload {
    /// A name for messages and debuggers.
    package let name: String
    /// The request as the app made it; a body in it is not sent.
    package let request: TransferRequest
    /// The file for the response body.
    package let answer: PartialFile

    private let source: UploadSource
    private let fileName: String
    private let resource: UploadResource?
    private let memory: UploadMemory
    private let client: HTTPClient
    private let configuration: Configuration
    private let challenges: (any ChallengeDecider)?
    private let events: Events
    private var machine: StateMachine
    private var hasStarted = false
    private var load: ResumableUpload?
    private var disposition = HTTPBodyDisposition.discard
    /// The events to send at the end of the loop's current turn.
    private var untoldSent: Int64?
    private var untoldReceived: (byteCount: Int64, total: Int64?)?
    private var isTellingScheduled = false

    /// Prepares an upload; nothing happens before ``start()``.
    ///
    /// - Parameters:
    ///   - name: A name for messages and debuggers.
    ///   - request: The request as the app made it.
    ///   - source: The file to send.
    ///   - fileName: The name of the file for a tus server.
    ///   - answer: The file for the response body.
    ///   - resource: The resource that an earlier attempt left at the server.
    ///   - memory: What is known about servers.
    ///   - client: The client that sends the requests.
    ///   - configuration: How the upload is carried out.
    ///   - challenges: Decides about challenges.
    ///   - events: The receivers of the upload's events.
    package init(
        name: String,
        request: TransferRequest,
        source: UploadSource,
        fileName: String = ResumableUpload.Body.namelessName,
        answer: PartialFile,
        resource: UploadResource? = nil,
        memory: UploadMemory = UploadMemory(),
        client: HTTPClient,
        configuration: Configuration = Configuration(),
        challenges: (any ChallengeDecider)? = nil,
        events: Events
    ) {
        self.name = name
        var request = request
        request.body = nil
        self.request = request
        self.source = source
        self.fileName = fileName
        self.answer = answer
        self.resource = resource
        self.memory = memory
        self.client = client
        self.configuration = configuration
        self.challenges = challenges
        self.events = events
        machine = StateMachine(request: request, configuration: configuration)
    }

    /// The limits on how fast the file's bytes may leave, and the response's arrive.
    package var rates: TransferRates? { configuration.load.rates }

    /// Starts the upload; further calls do nothing.
    package func start() {
        guard !hasStarted else { return }
        hasStarted = true
        // Events are never sent from inside a call of the owner.
        LoopActor.perform { self.run { $0.start() } }
    }

    /// Ends the upload at once and without an event.
    package func cancel() {
        run { $0.cancel() }
        untoldSent = nil
        untoldReceived = nil
    }
}

// MARK: - Effects

extension Upload {
    /// Takes an input, and performs what follows.
    private func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() {
            do {
                try perform(effect)
            } catch {
                machine.fileFailed(error)
            }
        }
    }

    private func perform(_ effect: StateMachine.Effect) throws(TransferError) {
        switch effect {
        case .checkSource: source.check { failure in self.run { $0.checkedSource(failure) } }
        case .send: send()
        case .cancelLoad: cancelLoad()
        case .beginAnswer(let version):
            try answer.begin(version)
            disposition = .deliver
        case .reportSent(let byteCount):
            untoldSent = byteCount
            notifySoon()
        case .reportResponse(let head, let request):
            notify()
            events.responded(head, request)
        case .reportReceived(let byteCount, let total):
            untoldReceived = (byteCount, total)
            notifySoon()
        case .synchronize: synchronize()
        case .finish(let result): end { $0.finished(result) }
        case .fail(let error): end { $0.failed(error) }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        do {
            try answer.write(bytes)
            run { $0.wrote() }
        } catch {
            run { $0.fileFailed(error) }
        }
    }

    private func send() {
        let load = ResumableUpload(
            request: request,
            body: ResumableUpload.Body(source, name: fileName) { [source] in source.check(then: $0)
            },
            resource: resource,
            client: client,
            configuration: ResumableUpload.Configuration(
                protocols: configuration.protocols,
                unavailableResponses: configuration.unavailableResponses,
                load: configuration.load
            ),
            memory: memory,
            decider: BackgroundDecider(
                challenges: challenges,
                cookies: configuration.load.cookies,
                onSent: { self.recordSent($0) },
                onCollect: events.collected
            ),
            receiver: self,
            onChange: events.moved
        )
        self.load = load
        load.start()
    }

    /// Records how many bytes of the file were sent.
    private func recordSent(_ byteCount: Int64) { run { $0.sent(byteCount: byteCount) } }

    private func cancelLoad() {
        load?.cancel()
        load = nil
        disposition = .discard
    }

    private func synchronize() {
        guard let synchronizer = configuration.synchronizer else {
            return confirm()
        }
        answer.synchronize(by: synchronizer) { result in
            switch result {
            case .success: self.confirm()
            case .failure(let error): self.run { $0.fileFailed(error) }
            }
        }
    }

    /// Finishes if the response's file is still intact.
    private func confirm() {
        guard !machine.hasEnded else { return }
        do throws(TransferError) {
            try answer.requireIntact()
            run { $0.synchronized() }
        } catch {
            run { $0.fileFailed(error) }
        }
    }

    private func end(_ report: (Events) -> Void) {
        notify()
        report(events)
    }

    /// Sends events once per turn of the loop, for all pieces that move in it.
    private func notifySoon() {
        guard !isTellingScheduled else { return }
        isTellingScheduled = true
        LoopActor.perform { self.notify() }
    }

    private func notify() {
        isTellingScheduled = false
        let (sent, received) = (untoldSent, untoldReceived)
        untoldSent = nil
        untoldReceived = nil
        if let sent { events.sent(sent) }
        if let received { events.received(received.byteCount, received.total) }
    }
}

// MARK: - The answer

extension Upload: LoadReceiver {
    package func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        guard self.load?.owns(load) == true else { return .cancel }
        run { $0.receivedHead(head, to: request) }
        return self.load?.owns(load) == true ? disposition : .cancel
    }

    package func load(
        _ load: Load,
        didReceive bytes: UnsafeRawBufferPointer
    ) -> HTTPBodyDisposition {
        guard self.load?.owns(load) == true else { return .cancel }
        var isWanted = false
        run { isWanted = $0.receivedBytes(count: bytes.count) }
        if isWanted { write(bytes) }
        return self.load?.owns(load) == true ? disposition : .cancel
    }

    package func load(_ load: Load, didFinishWith error: TransferError?) {
        guard self.load?.owns(load) == true else { return }
        self.load = nil
        run { $0.loadFinished(error, sourceFailure: source.failure) }
    }
}

extension Upload {
    /// How an upload is carried out.
    package struct Configuration: Sendable {
        /// The maximum size of the response body; 16 MiB by default.
        package var greatestAnswerByteCount: Int64
        /// The synchronizer that forces the response body onto the disk before the upload finishes, if any.
        package var synchronizer: FileSynchronizer?
        /// The protocols by which an upload may be continued; `automatic` by default.
        package var protocols: ResumableUpload.Protocols
        /// How to treat a response that says that the server is unavailable; `deliver` by default.
        package var unavailableResponses: Download.UnavailableResponses
        /// The configuration of the request's load.
        package var load: Load.Configuration

        /// Makes a configuration.
        package init(
            greatestAnswerByteCount: Int64 = 16 << 20,
            synchronizer: FileSynchronizer? = nil,
            protocols: ResumableUpload.Protocols = .automatic,
            unavailableResponses: Download.UnavailableResponses = .deliver,
            load: Load.Configuration = Load.Configuration()
        ) {
            self.greatestAnswerByteCount = greatestAnswerByteCount
            self.synchronizer = synchronizer
            self.protocols = protocols
            self.unavailableResponses = unavailableResponses
            self.load = load
        }
    }
}

extension Upload {
    /// The events of an upload, sent on the loop and never from inside a call of the owner.
    ///
    /// They are sent in this order: `sent`…, then `responded` and `received`…, then exactly one of `finished`
    /// and `failed`, which is the last. A server may respond before it has the whole file. `moved` may be sent
    /// at any time before the end. No event follows ``Upload/cancel()``.
    package struct Events: Sendable {
        /// The number of bytes of the file that were sent; fewer than before if a redirect makes it start over,
        /// or if the server has received fewer.
        package var sent: @LoopActor (_ byteCount: Int64) -> Void
        /// The resource by which a later attempt can continue the upload from now on; `nil` for none.
        package var moved: @LoopActor (UploadResource?) -> Void
        /// The response head, and the request that the redirects led to.
        package var responded: @LoopActor (HTTPResponseHead, TransferRequest) -> Void
        /// The number of received bytes of the response body, and its length.
        package var received: @LoopActor (_ byteCount: Int64, _ total: Int64?) -> Void
        /// A request has ended, with its metrics.
        package var collected: @LoopActor (LoadTransaction) -> Void
        /// The response is complete.
        package var finished: @LoopActor (UploadResult) -> Void
        /// The attempt has failed; nothing of it is kept.
        package var failed: @LoopActor (TransferError) -> Void

        /// Makes a set of receivers; one that is left out ignores its event.
        package init(
            sent: @escaping @LoopActor (Int64) -> Void = { _ in },
            moved: @escaping @LoopActor (UploadResource?) -> Void = { _ in },
            responded: @escaping @LoopActor (HTTPResponseHead, TransferRequest) -> Void = { _, _ in
            },
            received: @escaping @LoopActor (Int64, Int64?) -> Void = { _, _ in },
            collected: @escaping @LoopActor (LoadTransaction) -> Void = { _ in },
            finished: @escaping @LoopActor (UploadResult) -> Void = { _ in },
            failed: @escaping @LoopActor (TransferError) -> Void = { _ in }
        ) {
            self.sent = sent
            self.moved = moved
            self.responded = responded
            self.received = received
            self.collected = collected
            self.finished = finished
            self.failed = failed
        }
    }
}

/// The result of a finished upload; the response body is in its ``PartialFile``.
package struct UploadResult: Hashable, Sendable {
    /// The response head.
    package var response: HTTPResponseHead
    /// The request that the redirects led to.
    package var currentRequest: TransferRequest
    /// How many bytes of the file were sent.
    package var sentByteCount: Int64
    /// The length of the response body.
    package var receivedByteCount: Int64
}
