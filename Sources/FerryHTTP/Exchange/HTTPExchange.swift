package import FerrySystem

/// One request and its response.
@LoopActor package final class HTTPExchange {
    /// The request as it was given.
    package let request: HTTPRequest
    /// The address that the request went to, once known: `192.0.2.1` or `2001:db8::1`.
    package private(set) var remoteAddress: String?
    /// The metrics so far; complete when the exchange has finished.
    package internal(set) var metrics: HTTPMetrics
    /// When the exchange was made.
    let start: ContinuousClock.Instant

    /// The libcurl handle of this exchange, while it has one.
    var easy: CurlEasy?

    var machine: StateMachine
    private(set) var handler: (any HTTPExchangeHandler)?
    private(set) weak var client: HTTPClient?
    /// The reader that replaces libcurl for the rest of the body.
    var splicedBody: SplicedBody?
    /// Whether libcurl is to be left out as soon as it has returned.
    var isAboutToSplice = false
    /// What undoes the coding of the response's body; `nil` for a body that is delivered as it comes.
    var decoder: BodyDecoder?
    /// The pieces of the body that were not delivered yet; `nil` for none.
    var gathered: GatheredPieces?
    /// The error of an end that waits for the gathered pieces, or `nil` in it; `nil` for no such end.
    var keptEnd: HTTPError??
    /// How much of the piece that libcurl brings again was decoded before it had to be held.
    var decodedPieceByteCount = 0
    /// How many bytes of the response's body were taken, before they were decoded.
    package internal(set) var takenBodyByteCount: Int64 = 0
    /// The source of the request's body; `nil` for none.
    let body: (any HTTPBodySource)?
    var sentBodyByteCount: Int64 = 0
    var pieceSize = BodyPieceSize()
    /// Whether the request's body waits for the end of a pause.
    var isSendingHeld = false
    /// The reason why the exchange has told libcurl to end it.
    var cause: HTTPError?
    /// Whether a server that requested a certificate was told that the client has none.
    var hasGoneOnWithoutIdentity = false
    /// What TLS has reported about the connection's end.
    private var tlsEnd: HandshakeContext?
    /// Whether the request needs a new connection.
    private(set) var needsNewConnection = false
    /// Whether a connection is being made for the exchange, so that a response is a proxy's.
    private var isConnecting = false
    /// Whether the server has ended the handshake because it does not speak the protocol that was asked for.
    var isProtocolRefused = false
    /// The HTTP/2 stream that the request was sent on.
    private var stream: UInt32?
    private var idleTimer: LoopTimer?
    private var connectTimer: LoopTimer?

    init(
        request: HTTPRequest,
        body: (any HTTPBodySource)?,
        handler: any HTTPExchangeHandler,
        client: HTTPClient
    ) {
        self.request = request
        start = EventLoop.now
        metrics = HTTPMetrics(startTime: WallClock.secondsSince1970)
        self.body = body ?? request.body.map { BytesBodySource($0) }
        self.handler = handler
        self.client = client
        machine = StateMachine(
            url: request.url,
            maximumHeaderByteCount: client.configuration.maximumHeaderBytes,
            idleTimeout: request.idleTimeout,
            // libcurl would wait for a response body: it does not know the method of a request with a body.
            endsAtHead: request.method == "HEAD" && self.body != nil,
            hasResponseBody: request.method != "HEAD",
            isIdempotent: Self.isIdempotent(request.method),
            hasBody: HTTPRequest.hasBytes(self.body),
            minimumReceiveRate: request.minimumReceiveRate,
            connectTimeout: request.connectTimeout ?? client.configuration.connectTimeout,
            acceptedCodings: AcceptedCodings(request.fields),
            now: start
        )
    }

    /// Returns whether a request with a method may be made again although it may have reached the server.
    package static func isIdempotent(_ method: String) -> Bool {
        idempotentMethods.contains(method)
    }

    /// The idempotent methods (RFC 9110 §9.2.2).
    private static let idempotentMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE",
    ]

    /// Ends the exchange at once; no call to its handler follows.
    ///
    /// Does nothing when the exchange has finished.
    package func cancel() {
        run { $0.cancel() }
        handler = nil
    }

    /// Stops sending the request's body and delivering the response's, so that the server has to stop sending
    /// once the buffers on the way are full.
    ///
    /// No bytes are lost. The head is still reported, and so is the end of a response that was delivered
    /// completely.
    package func pause() {
        machine.pause()
        pauseSplicing()
    }

    /// Resumes after ``pause()``; without a pause, does nothing.
    ///
    /// The handler is not called from inside this call.
    package func resume() {
        run { $0.resume(at: EventLoop.now) }
        resumeSplicing()
        resumeSending()
    }

    /// Takes an input, and performs what follows.
    func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .armIdleTimer(let delay):
            idleTimer = EventLoop.shared.schedule(after: delay) { [weak self] in
                guard let self else { return }
                run { $0.idleTimerFired(at: EventLoop.now) }
            }
        case .cancelIdleTimer:
            idleTimer?.cancel()
            idleTimer = nil
        case .release:
            LoopActor.perform { [self] in release() }
        case .armConnectTimer(let delay):
            connectTimer = EventLoop.shared.schedule(after: delay) { [weak self] in
                guard let self else { return }
                run { $0.connectTimerFired() }
            }
        case .cancelConnectTimer:
            connectTimer?.cancel()
            connectTimer = nil
        case .startAgain(let error):
            startAgain(orFail: error)
        case .withdraw:
            splicedBody = nil
            client?.withdraw(self)
        case .finish(let error):
            // Released first: the handler may own this exchange.
            metrics.responseEnd = sinceStart
            let handler = self.handler
            self.handler = nil
            handler?.exchange(self, didFinishWith: error)
        }
    }

    /// Sends the request on a new connection, as if it had not been sent before.
    private func startAgain(orFail error: HTTPError?) {
        needsNewConnection = true
        isProtocolRefused = false
        stream = nil
        metrics = HTTPMetrics(startTime: metrics.startTime)
        // A source that cannot seek fails as it does when libcurl seeks.
        guard sentBodyByteCount == 0 || seekBody(to: 0) else {
            cause = error ?? cause
            return run { $0.failed(cause) }
        }
        client?.startAgain(self)
    }

    private func release() {
        guard let client, machine.released() else { return }
        let gatheredByteCount = gathered?.count ?? 0
        guard flushGathered() else { return }
        guard let keptEnd else { return client.release(self) }
        metrics.decodedBodyByteCount += Int64(gatheredByteCount)
        client.exchangesOutsideLibrary[ObjectIdentifier(self)] = nil
        self.keptEnd = nil
        completed(keptEnd)
    }
}

// MARK: - What libcurl reports

extension HTTPExchange {
    /// Whether the head that has arrived is that of a proxy that refuses a tunnel without a password.
    package var isTunnelRefusal: Bool { machine.isTunnelRefusal }

    /// Whether the final response's head has arrived.
    var hasHead: Bool { machine.head != nil }

    /// Records that libcurl works for the exchange.
    func began() {
        run { $0.began(at: EventLoop.now) }
    }

    /// Records that the host's name is about to be looked up.
    func beganLookup() {
        metrics.lookupStart = sinceStart
        allowTime()
        began()
    }

    /// Records that a connection is about to be made.
    func began(on socket: Int32) {
        client?.multi.made(socket)
        isConnecting = true
        // Several connections may be tried in parallel; the first one is the beginning.
        metrics.connectStart = metrics.connectStart ?? sinceStart
        allowTime()
        began()
    }

    private func allowTime() {
        var isTimed = false
        run { isTimed = $0.beganConnecting() }
        guard isTimed else { return }
        easy?.allow(request.connectTimeout ?? client?.configuration.connectTimeout ?? .zero)
    }

    /// Records the connection that the request is about to be sent on; returns `false` if it must not be sent
    /// on it.
    func connected(to address: String) -> Bool {
        guard let client, let easy else { return false }
        let (phases, connection) = (easy.phases, easy.connection)
        var isSilent: Bool?
        if phases.isReusedConnection {
            isSilent = false
            if let connection, let socket = client.multi.socket(of: connection) {
                isSilent = easy.isSilent(socket)
            }
        }
        let tls = easy.tlsConnection
        let isMultiplexed = tls?.speaksHTTP2 ?? false
        guard machine.sends(onKept: isSilent, isMultiplexed: isMultiplexed) else { return false }
        stream = nil
        // The body begins anew: libcurl sends the rest if it changes to HTTP/1.1 for a server's sake.
        guard sentBodyByteCount == 0 || seekBody(to: 0) else { return false }
        tlsEnd = if let tls { HandshakeContext.kept(for: tls.pointer) } else { nil }
        remoteAddress = address
        isConnecting = false
        easy.allow(.zero)
        run { $0.connected() }
        recordConnection(connection, phases)
        began()
        return true
    }

    /// Records what libcurl's log says.
    func logged(_ line: CurlLogLine) {
        switch line {
        case .excess: break
        case .refusal: machine.refused()
        case .stream(let number): stream = number
        case .goAway(let last):
            // The line is that of any exchange on the connection.
            guard let connection = metrics.connection else { return }
            client?.serverLeft(connection, after: last)
        }
    }

    /// Records that the server of a connection has not processed what was sent after a stream (RFC 9113 §6.8).
    func serverLeft(_ connection: InternetConnection, after last: UInt32) {
        guard let stream, stream > last, metrics.connection == connection else { return }
        machine.refused()
    }

    /// Handles a line of the header; returns `false` if libcurl must fail.
    func receivedHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        if isConnecting { return receivedTunnelLine(line) }
        if metrics.responseStart == nil { metrics.responseStart = sinceStart }
        return proceed(after: machine.receivedHeaderLine(line, at: EventLoop.now))
    }

    /// Handles a line of a proxy's response to CONNECT, which is delivered only if the proxy refuses.
    private func receivedTunnelLine(_ line: UnsafeRawBufferPointer) -> Bool {
        let reception = machine.receivedTunnelLine(line, at: EventLoop.now)
        if case .deliverHead = reception { metrics.responseStart = sinceStart }
        return proceed(after: reception)
    }

    private func proceed(after reception: StateMachine.Reception) -> Bool {
        switch reception {
        case .skip, .deliverBytes, .decode, .hold, .holdForATurn:
            return true
        case .deliverInformational(let head):
            handler?.exchange(self, didReceiveInformational: head)
            return handler != nil
        case .deliverHead(let head):
            return answered(head)
        case .stop:
            return false
        }
    }

    /// The answer to libcurl about a piece of the body.
    enum Acceptance {
        case taken
        case held
        case refused
    }

    /// Delivers a piece of the body.
    func receivedBytes(_ bytes: UnsafeRawBufferPointer) -> Acceptance {
        switch machine.receivedBytes(count: bytes.count, at: EventLoop.now) {
        case .skip, .deliverHead, .deliverInformational: return .taken
        case .deliverBytes:
            takenBodyByteCount += Int64(bytes.count)
            guard deliver(bytes) else { return .refused }
            spliceIfWorthwhile()
            return .taken
        case .decode: return decode(bytes)
        case .hold: return .held
        case .holdForATurn: return holdForATurn()
        case .stop: return .refused
        }
    }

    /// Delivers a piece of the body as the app gets it; returns `false` if libcurl must fail.
    func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let handler else { return false }
        return machine.answered(handler.exchange(self, didReceive: bytes))
    }

    func holdForATurn() -> Acceptance {
        LoopActor.perform { [self] in release() }
        return .held
    }

    /// Ends or restarts the exchange after libcurl has released it.
    func completed(_ error: HTTPError?) {
        guard !keepsEnd(error) else { return }
        // An end that TLS has not announced may be an attacker's doing.
        let isCut = tlsEnd.map { !$0.hasAnnouncedEnd } ?? false
        if isProtocolRefused { client?.recordHTTP2Only(request.url) }
        let progress = decodingProgress
        decoder = nil
        run {
            $0.completed(
                error == nil ? nil : cause ?? error,
                isCut: isCut,
                refusesHTTP1: isProtocolRefused,
                decoding: progress
            )
        }
    }

    private func answered(_ head: HTTPResponseHead) -> Bool {
        if head.version.hasPrefix("HTTP/1.") { easy?.followLog() }
        guard !head.isDecoded || makeDecoder() else { return false }
        let disposition = handler?.exchange(self, didReceive: head) ?? .cancel
        return machine.answered(disposition)
    }
}

// MARK: - Handshakes

extension HTTPExchange: HandshakeParty {
    func decide(on trust: HTTPServerTrust) -> HTTPTrustDecision {
        handler?.exchange(self, decideOn: trust) ?? .followVerdict
    }

    func decide(on certificateRequest: CertificateRequest) -> HTTPIdentityDecision? {
        handler?.exchange(self, decideOn: certificateRequest)
    }
}
