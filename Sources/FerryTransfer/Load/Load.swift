package import FerryHTTP
package import FerrySystem

/// One request of an app, carried through redirects, passwords and trust to its response.
///
/// A ``LoadDecider`` makes the decisions of the app; a ``LoadReceiver`` receives the response. A running load
/// keeps itself and both of them alive; its owner ends it with ``cancel()``.
@LoopActor
package final class Load {
    /// The request as the app made it.
    package let request: TransferRequest

    private let client: HTTPClient
    private let configuration: Configuration
    private var decider: (any LoadDecider)?
    private var receiver: (any LoadReceiver)?
    private var machine: StateMachine
    private var body: (any HTTPBodySource)?
    private var exchange: HTTPExchange?
    private var disposition = HTTPBodyDisposition.discard
    /// The fields that the decider has added to the current request.
    private var addedFields: [HTTPField] = []
    /// The request of the current exchange, with its response head once that has arrived.
    private var transaction: LoadTransaction?
    /// Whether the body waits for a decision, or for the receiver.
    private var isHeld = false
    private var isPaused = false
    /// Whether the response's or the request's body waits because of a rate limit.
    private var isSlowedDown = false
    private var receivingFlow: RateFlow?
    private var sendingFlow: RateFlow?
    private var sentBodyByteCount: Int64 = 0

    /// Prepares a load; nothing happens before ``start()``.
    ///
    /// - Parameters:
    ///   - request: The request as the app made it; a body in it is sent where `body` is `none`.
    ///   - body: Where the request's body comes from.
    ///   - client: The client that sends the requests.
    ///   - configuration: How the load is carried out.
    ///   - previous: An earlier load, after which the server need not ask for the same credentials again.
    ///   - decider: Decides for the app; without it, redirects are followed and no credentials are sent.
    ///   - proven: A load whose credentials and trust are reused if this one goes to the same server.
    ///   - receiver: Receives the response.
    package init(
        request: TransferRequest,
        body: Body = .none,
        client: HTTPClient,
        configuration: Configuration = Configuration(),
        following previous: Load? = nil,
        decider: (any LoadDecider)? = nil,
        proven: Load? = nil,
        receiver: any LoadReceiver
    ) {
        self.request = request
        self.client = client
        self.configuration = configuration
        self.decider = decider
        self.receiver = receiver
        if case .source(let source) = body {
            self.body = source
        }
        machine = StateMachine(
            request: request,
            following: previous?.machine.current,
            hasBody: !body.isNone,
            isBodyThere: !body.isOnDemand,
            redirectPolicy: configuration.redirectPolicy,
            alwaysTunnels: client.configuration.proxies.alwaysTunnels
        )
        if let proven { machine.inherit(from: proven.machine) }
    }

    /// Starts the load; further calls do nothing.
    package func start() { run { $0.start() } }

    /// Ends the load at once; the receiver is not notified.
    package func cancel() { run { $0.cancel() } }

    /// Delivers no more of the response's body, so that the server has to wait.
    ///
    /// If the whole body was delivered, its end is reported all the same.
    package func pause() {
        isPaused = true
        exchange?.pause()
    }

    /// Resumes after ``pause()``.
    package func resume() {
        isPaused = false
        proceed()
    }

    /// Whether the latest request was sent with a credential for its server: a password or a certificate.
    package private(set) var usesCredential = false

    /// The latest request, after redirects.
    package var currentRequest: TransferRequest { machine.current.transfer }

    /// How much of the response's body has arrived; `nil` where it is not decoded, or its length is not known.
    package var codedProgress: CodedProgress? {
        guard let exchange, let head = transaction?.response, head.isDecoded,
            let total = head.contentLength
        else { return nil }
        return CodedProgress(
            receivedByteCount: min(exchange.takenBodyByteCount, total),
            totalByteCount: total
        )
    }

    private func proceed() {
        if !isHeld, !isPaused, !isSlowedDown { exchange?.resume() }
    }

    private func release() {
        receivingFlow?.end()
        sendingFlow?.end()
        receivingFlow = nil
        sendingFlow = nil
        exchange = nil
        decider = nil
        receiver = nil
        body = nil
    }
}

// MARK: - Effects

extension Load {
    /// Takes an input, and performs what follows.
    private func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .prepare(let next): prepare(next)
        case .needBody: findBody()
        case .send(let next): send(next)
        case .cancelExchange: cancelExchange()
        case .pause: hold()
        case .takeBody: takeBody()
        case .skipBody: skipBody()
        case .askRedirect(let head, let next): askRedirect(head, next)
        case .ask(let challenge): ask(challenge)
        case .reportResponse(let head, let request):
            disposition =
                receiver?.load(self, didReceive: head, to: request) ?? .discard
        case .finish(let error): finish(error.map(located))
        case .release: release()
        }
    }

    private func prepare(_ next: StateMachine.Request) {
        guard let decider else { return prepare(next.transfer, adding: []) }
        decider.load(self, prepare: next.transfer) { [self] in prepare(next.transfer, adding: $0) }
    }

    private func prepare(_ request: TransferRequest, adding fields: [HTTPField]) {
        receiver?.load(self, prepare: request, adding: fields) { [self] fields in
            addedFields = fields
            run { $0.prepared() }
        }
    }

    private func findBody() {
        if let body, body.seek(to: 0) { return run { $0.foundBody(true) } }
        guard let decider else { return run { $0.foundBody(false) } }
        decider.loadNeedsBody(self, from: 0) { [self] source in
            body = source
            run { $0.foundBody(source != nil) }
        }
    }

    private func send(_ next: StateMachine.Request) {
        do throws(HTTPError) {
            var request = next.transfer.httpRequest(
                adding: addedFields,
                protocolChoice: configuration.protocolChoice
            )
            try machine.prove(in: &request.fields, clientNonce: Self.makeClientNonce())
            // A part of a coded body could not be decoded; browsers do not ask for one, either (the Fetch standard, §4.5).
            if let codings = configuration.acceptedCodings,
                request.fields.first(named: "Accept-Encoding") == nil,
                request.fields.first(named: "Range") == nil
            {
                request.fields.append(HTTPField(name: "Accept-Encoding", value: codings))
            }
            request.connectTimeout = configuration.connectTimeout
            request.minimumReceiveRate = configuration.minimumReceiveRate
            request.asksForTrust = configuration.asksForTrust
            request.acceptsInvalidCertificates = configuration.acceptsInvalidCertificates
            request.identity =
                next.isIdentityDecided
                ? next.identity : decider?.load(self, identityFor: next.transfer)
            request.asksForIdentity = configuration.asksForTrust && !next.isIdentityDecided
            usesCredential = next.proofs.areForServer || request.identity != nil
            request.receiveBufferByteCount =
                configuration.rates?.receiveRate.map(HTTPRequest.bufferByteCount)
            transaction = LoadTransaction(
                request: next.transfer,
                sentFields: request.fields,
                conditions: decider?.conditions ?? []
            )
            isHeld = false
            sentBodyByteCount = 0
            let body = machine.sendsBody ? body : nil
            exchange = client.start(request, body: body, handler: self)
            if isPaused || isSlowedDown { exchange?.pause() }
        } catch {
            run { $0.exchangeFinished(error) }
        }
    }

    /// Returns an unpredictable text.
    static func makeClientNonce() -> String {
        String(UInt128.random(in: .min ... .max), radix: 16)
    }

    private func cancelExchange() {
        guard let exchange else { return }
        exchange.cancel()
        collect(exchange)
        self.exchange = nil
        disposition = .discard
    }

    private func hold() {
        isHeld = true
        disposition = .deliver
        exchange?.pause()
    }

    private func takeBody() {
        isHeld = false
        proceed()
    }

    private func skipBody() {
        disposition = .discard
        isHeld = false
        // This body is not needed.
        exchange?.resume()
    }

    private func askRedirect(_ head: HTTPResponseHead, _ next: TransferRequest) {
        guard let decider else { return run { $0.redirectAnswered(next) } }
        decider.load(self, mayRedirectTo: next, for: head) { [self] request in
            run { $0.redirectAnswered(request) }
        }
    }

    private func ask(_ challenge: LoadChallenge) {
        guard let decider else { return run { $0.challengeAnswered(.performDefaultHandling) } }
        decider.load(self, decideOn: challenge) { [self] answer in
            run { $0.challengeAnswered(answer) }
        }
    }

    private func finish(_ error: TransferError?) {
        let receiver = receiver
        release()
        receiver?.load(self, didFinishWith: error)
    }

    /// Adds where the load has failed, if redirects have led it elsewhere.
    private func located(_ error: TransferError) -> TransferError {
        let url = machine.current.transfer.url
        guard error.failingURL == nil, url != request.url else { return error }
        var error = error
        error.failingURL = url
        return error
    }

    /// Reports the metrics of an exchange that has ended.
    private func collect(_ exchange: HTTPExchange) {
        guard var transaction else { return }
        self.transaction = nil
        transaction.metrics = exchange.metrics
        decider?.load(self, didCollect: transaction)
    }
}

// MARK: - Rates

extension Load {
    /// Whether there is a limit, so that the body would arrive in bursts if in large pieces.
    private var isLimited: Bool { configuration.rates?.receiveRate != nil }

    private func recordReceived(_ count: Int) {
        // The receiver may have cancelled the load.
        guard isLimited, exchange != nil else { return }
        receivingFlow = receivingFlow ?? configuration.rates?.makeReceivingFlow()
        slowDown(receivingFlow, after: count)
    }

    /// Pauses the body if more of it would be too fast.
    private func slowDown(_ flow: RateFlow?, after count: Int) {
        guard let flow, flow.passed(count), !isSlowedDown, exchange != nil else { return }
        isSlowedDown = true
        exchange?.pause()
        flow.wait { [weak self] in
            self?.isSlowedDown = false
            self?.proceed()
        }
    }
}

extension HTTPRequest {
    /// Returns the size of a buffer that a slow body fills several times in a second.
    fileprivate static func bufferByteCount(forRate rate: Int64) -> Int {
        Int(min(max(rate / 8, 1 << 10), 512 << 10))
    }
}

// MARK: - The exchange

extension Load: HTTPExchangeHandler {
    package func exchange(
        _ exchange: HTTPExchange,
        decideOn trust: HTTPServerTrust
    ) -> HTTPTrustDecision {
        guard exchange === self.exchange else { return .followVerdict }
        if decider?.load(self, hasApproved: trust) == true { return .accept }
        return machine.decide(on: trust)
    }

    package func exchange(
        _ exchange: HTTPExchange,
        decideOn certificateRequest: CertificateRequest
    ) -> HTTPIdentityDecision {
        guard exchange === self.exchange else { return .goOnWithout }
        return machine.decide(on: certificateRequest)
    }

    package func exchange(_ exchange: HTTPExchange, didSendBodyBytes byteCount: Int64) {
        guard exchange === self.exchange else { return }
        let count = byteCount - sentBodyByteCount
        sentBodyByteCount = byteCount
        if count > 0, configuration.rates?.sendRate != nil {
            sendingFlow = sendingFlow ?? configuration.rates?.makeSendingFlow()
            slowDown(sendingFlow, after: Int(count))
        }
        decider?.load(self, didSendBodyBytes: byteCount)
    }

    package func exchange(
        _ exchange: HTTPExchange,
        didReceiveInformational head: HTTPResponseHead
    ) {
        guard exchange === self.exchange else { return }
        decider?.load(self, didReceiveInformational: head)
    }

    package func exchange(
        _ exchange: HTTPExchange,
        didReceive head: HTTPResponseHead
    ) -> HTTPBodyDisposition {
        guard exchange === self.exchange else { return .cancel }
        // A proxy's refusal is no response of the server's.
        if !exchange.isTunnelRefusal {
            transaction?.response = head
            decider?.load(self, didReceiveAny: head, to: machine.current.transfer)
        }
        run { $0.receivedHead(head, isTunnelRefusal: exchange.isTunnelRefusal) }
        return exchange === self.exchange ? disposition : .cancel
    }

    package func exchange(
        _ exchange: HTTPExchange,
        didReceive bytes: UnsafeRawBufferPointer
    ) -> HTTPBodyDisposition {
        guard exchange === self.exchange else { return .cancel }
        if disposition != .discard, let receiver {
            disposition = receiver.load(self, didReceive: bytes)
        }
        recordReceived(bytes.count)
        return isLimited && disposition == .deliverInPipes ? .deliver : disposition
    }

    package func exchange(
        _ exchange: HTTPExchange,
        didReceive pipe: SplicePipe
    ) -> HTTPBodyDisposition {
        guard exchange === self.exchange else { return .cancel }
        let count = pipe.count
        if disposition != .discard, let receiver {
            disposition = receiver.load(self, didReceive: pipe)
        }
        recordReceived(count)
        return disposition
    }

    package func exchange(_ exchange: HTTPExchange, didFinishWith error: HTTPError?) {
        guard exchange === self.exchange else { return }
        self.exchange = nil
        collect(exchange)
        run { $0.exchangeFinished(error) }
    }
}
