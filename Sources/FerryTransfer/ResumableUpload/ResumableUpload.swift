package import FerryHTTP
package import FerrySystem

/// An app's request with a body, which continues after an interruption if the server supports that.
///
/// To its owner it is one source of a response, like a ``Load``. Internally it is a series of loads: the app's
/// request, and after each interruption a question about what the server has, and a request with the rest. A
/// running upload keeps itself alive; its owner ends it with ``cancel()`` or ``terminate()``.
@LoopActor
package final class ResumableUpload: PausableAnswerSource {
    private let body: Body
    private let client: HTTPClient
    private let configuration: Configuration
    private let memory: UploadMemory
    private let onChange: @LoopActor (UploadResource?) -> Void
    package private(set) var decider: (any LoadDecider)?
    private var receiver: (any LoadReceiver)?
    private var machine: StateMachine
    private var generator = SystemRandomNumberGenerator()
    /// The current load, or the last one.
    private var load: Load?
    private var disposition = HTTPBodyDisposition.discard
    private var timer: LoopTimer?

    /// Prepares an upload; nothing happens before ``start()``.
    ///
    /// - Parameters:
    ///   - request: The request as the app made it; a body in it is not sent.
    ///   - body: The body to send.
    ///   - resource: The resource that an earlier attempt left at the server.
    ///   - client: The client that sends the requests.
    ///   - configuration: How the upload is carried out.
    ///   - memory: What is known about servers.
    ///   - decider: Decides for the app.
    ///   - receiver: Receives the response.
    ///   - onChange: Called with what the upload can be continued by now; `nil` when it no longer can.
    package init(
        request: TransferRequest,
        body: Body,
        resource: UploadResource? = nil,
        client: HTTPClient,
        configuration: Configuration = Configuration(),
        memory: UploadMemory,
        decider: (any LoadDecider)? = nil,
        receiver: any LoadReceiver,
        onChange: @escaping @LoopActor (UploadResource?) -> Void = { _ in }
    ) {
        var request = request
        request.body = nil
        self.body = body
        self.client = client
        self.configuration = configuration
        self.memory = memory
        self.decider = decider
        self.receiver = receiver
        self.onChange = onChange
        machine = StateMachine(
            request: request,
            byteCount: body.byteCount,
            isRepeatable: body.isRepeatable,
            name: body.name,
            resource: resource,
            knowledge: memory.knowledge,
            configuration: configuration
        )
    }

    /// Starts the upload; further calls do nothing.
    package func start() { run { $0.start() } }

    /// Ends the upload at once; the server keeps what it has.
    package func cancel() { run { $0.cancel(terminates: false) } }

    /// Ends the upload at once, and has the server forget what it has, if possible.
    package func terminate() { run { $0.cancel(terminates: true) } }

    /// The resource by which the upload could be continued now.
    package var resource: UploadResource? { machine.resource }

    /// Pauses sending and receiving.
    package func pause() {
        machine.pause()
        load?.pause()
    }

    /// Resumes after ``pause()``.
    package func resume() {
        load?.resume()
        run { $0.resume() }
    }

    /// Never: it has one receiver.
    package var isShared: Bool { false }

    /// Returns whether a load belongs to this upload.
    package func owns(_ load: Load) -> Bool { load === self.load }

    private func release() {
        load = nil
        decider = nil
        receiver = nil
        timer = nil
    }

    private var now: Moment { Moment(instant: EventLoop.now, date: .now) }
}

// MARK: - Effects

extension ResumableUpload {
    /// Takes an input, and performs what follows.
    private func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .send(let dispatch): send(dispatch)
        case .cancelLoad: load?.cancel()
        case .abandonLoad: abandonLoad()
        case .skipBody: disposition = .discard
        case .answer(let head, let request):
            guard let load else { return }
            disposition = receiver?.load(load, didReceive: head, to: request) ?? .discard
        case .wait(let delay): wait(delay)
        case .stopWaiting: timer?.cancel()
        case .digest(let part, let checksum): digest(part, checksum)
        case .remember(let evidence): memory.knowledge.record(evidence)
        case .report(let resource): onChange(resource)
        case .reportSent(let byteCount): reportSent(byteCount)
        case .terminate(let request): terminate(by: request)
        case .finish(let error): finish(error)
        case .release: release()
        }
    }

    private func send(_ dispatch: Dispatch) {
        guard dispatch.checksBody else { return sendNow(dispatch) }
        body.findFailure { [self] failure in
            guard !machine.hasEnded else { return }
            guard let failure else { return sendNow(dispatch) }
            // The server has a part of something that no longer exists.
            run { $0.sourceFailed(failure) }
        }
    }

    private func sendNow(_ dispatch: Dispatch) {
        switch dispatch.body {
        case .none:
            start(dispatch.request, .none)
        case .whole:
            startWhole(dispatch.request)
        case .part(let part):
            findBody(from: part) { [self] source in
                guard let source else {
                    let message = "cannot read the body of the upload from offset \(part.start)"
                    let error = TransferError(code: .bodySpent, message: message)
                    return run { $0.sourceFailed(error) }
                }
                if let load { decider?.load(load, resumesBodyAt: part.start) }
                start(dispatch.request, .source(source))
            }
        }
    }

    private func startWhole(_ request: TransferRequest) {
        guard let source = body.source else { return start(request, .onDemand) }
        start(request, source.seek(to: 0) ? .source(source) : .onDemand)
    }

    private func start(_ request: TransferRequest, _ body: Load.Body) {
        guard !machine.hasEnded else { return }
        let load = Load(
            request: request,
            body: body,
            client: client,
            configuration: configuration.load,
            following: load,
            decider: self,
            receiver: self
        )
        self.load = load
        disposition = .discard
        if machine.isPaused { load.pause() }
        load.start()
    }

    /// Provides a part of the body, by seeking or by asking the decider.
    private func findBody(
        from part: Part,
        then send: @escaping @LoopActor ((any HTTPBodySource)?) -> Void
    ) {
        if let source = body.source, source.seek(to: part.start) {
            return send(UploadPart(source, byteCount: part.byteCount))
        }
        guard let decider, let load else { return send(nil) }
        decider.loadNeedsBody(load, from: part.start, then: send)
    }

    private func abandonLoad() {
        load?.cancel()
        finishLoad(nil)
    }

    private func finishLoad(_ error: TransferError?) {
        run { $0.loadFinished(error, at: now, using: &generator) }
    }

    private func wait(_ delay: Duration) {
        timer = EventLoop.shared.schedule(after: delay) { [self] in
            timer = nil
            run { $0.waited() }
        }
    }

    private func digest(_ part: Part, _ checksum: TusChecksum) {
        guard let source = body.source, let byteCount = part.byteCount else {
            return run { $0.digested(nil) }
        }
        UploadDigest(of: source, from: part.start, byteCount: byteCount, checksum).start {
            [self] digest in run { $0.digested(digest) }
        }
    }

    private func reportSent(_ byteCount: Int64) {
        guard let load else { return }
        decider?.load(load, didSendBodyBytes: byteCount)
    }

    /// Has the server forget the upload; the result is ignored.
    private func terminate(by request: TransferRequest) {
        let farewell = UploadTermination(decider: decider)
        Load(
            request: request,
            client: client,
            configuration: configuration.load,
            following: load,
            decider: farewell,
            receiver: farewell
        ).start()
    }

    private func finish(_ error: TransferError?) {
        // A failure before the first load is reported for the load that it would have been.
        let load = load ?? Load(request: machine.request, client: client, receiver: self)
        self.load = load
        let receiver = receiver
        receiver?.load(load, didFinishWith: error)
        release()
    }
}

// MARK: - The loads

extension ResumableUpload: LoadReceiver {
    package func load(
        _ load: Load,
        prepare request: TransferRequest,
        adding fields: [HTTPField],
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) { receiver?.load(load, prepare: request, adding: fields, then: send) }

    package func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        guard load === self.load else { return .cancel }
        run { $0.receivedHead(head, to: request, at: now) }
        return self.load === load && !machine.hasEnded ? disposition : .cancel
    }

    package func load(
        _ load: Load,
        didReceive bytes: UnsafeRawBufferPointer
    ) -> HTTPBodyDisposition {
        guard load === self.load else { return .cancel }
        if disposition != .discard, let receiver {
            disposition = receiver.load(load, didReceive: bytes)
        }
        return disposition
    }

    package func load(_ load: Load, didReceive pipe: SplicePipe) -> HTTPBodyDisposition {
        guard load === self.load, let receiver else { return .cancel }
        disposition = receiver.load(load, didReceive: pipe)
        return disposition
    }

    package func load(_ load: Load, didFinishWith error: TransferError?) {
        guard load === self.load else { return }
        finishLoad(error)
    }
}

extension ResumableUpload: ForwardingDecider {
    package func loadNeedsBody(
        _ load: Load,
        from offset: Int64,
        then send: @escaping @LoopActor ((any HTTPBodySource)?) -> Void
    ) {
        switch machine.needsBody() {
        case .none: send(nil)
        case .part(let part): findBody(from: part, then: send)
        case .whole:
            guard let decider else { return send(nil) }
            decider.loadNeedsBody(load, from: offset, then: send)
        }
    }

    package func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    ) {
        switch machine.redirected(by: head, to: request) {
        case .follow: follow(request)
        case .isAnswer: follow(nil)
        case .offer(let request):
            guard let decider else { return follow(request) }
            decider.load(load, mayRedirectTo: request, for: head, then: follow)
        }
    }

    package func load(
        _ load: Load,
        decideOn challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    ) {
        guard let decider, !machine.leavesOpen(challenge) else {
            return answer(.performDefaultHandling)
        }
        decider.load(load, decideOn: challenge, then: answer)
    }

    package func load(_ load: Load, didSendBodyBytes byteCount: Int64) {
        guard load === self.load else { return }
        run { $0.sent(byteCount: byteCount) }
    }

    package func load(_ load: Load, resumesBodyAt offset: Int64) {}

    package func load(_ load: Load, didReceiveInformational head: HTTPResponseHead) {
        guard load === self.load else { return }
        decider?.load(load, didReceiveInformational: head)
        run { $0.informational(head) }
    }

    package func load(
        _ load: Load,
        didReceiveAny head: HTTPResponseHead,
        to request: TransferRequest
    ) {
        machine.receivedAnyHead()
        decider?.load(load, didReceiveAny: head, to: request)
    }

    package func load(_ load: Load, didCollect transaction: LoadTransaction) {
        decider?.load(load, didCollect: transaction)
    }
}
