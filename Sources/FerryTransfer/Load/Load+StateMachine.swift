import FerryHTTP
import FerrySystem

extension Load {
    /// Decides how a request gets its response; performs nothing itself.
    ///
    /// Requests follow one another: through redirects, with a password if the server wants one, and again after
    /// the app was asked whether to trust the server. While the app is asked, the body of the current response
    /// waits: the response is final if the app says so.
    struct StateMachine {
        /// How far the load has come.
        private enum State: Equatable {
            /// Nothing has been requested.
            case ready
            /// The owner completes the request.
            case preparing
            /// The owner provides the request's body again.
            case awaitingBody
            /// A request was sent, and its response head has not arrived.
            case requesting
            /// The app decides; the exchange may have ended meanwhile.
            indirect case asking(Question, end: End?)
            /// The body of a response that is not final is being skipped; this request comes next.
            indirect case leaving(next: Request)
            /// The body of the final response is being received.
            case receiving
            /// The load has ended.
            case ended
        }

        /// A question for the app.
        private enum Question: Equatable {
            /// Whether a redirect is followed, and by which request.
            case redirect(HTTPResponseHead, next: Request)
            /// Which name and password to use; `left` are the schemes that it was not asked about.
            case password(HTTPResponseHead, LoadChallenge, left: [AuthenticationChallenge])
            /// Whether a server is trusted.
            case trust(HTTPServerTrust)
            /// Which certificate to show to a server, if any.
            case identity(CertificateRequest)
        }

        /// How an exchange has ended.
        private struct End: Hashable {
            var error: HTTPError?
        }

        /// A request to send.
        struct Request: Hashable {
            /// The request without its authentication fields.
            var transfer: TransferRequest
            /// How many redirects led here.
            var redirectCount = 0
            /// The credentials for the server and for the proxy.
            var proofs = Proofs()
            /// The certificates of a server that the app trusts.
            var trustedCertificates: [[UInt8]]?
            /// The client's identity.
            var identity: HTTPIdentity?
            /// Whether the app has chosen an identity, or none.
            var isIdentityDecided = false

            /// Returns another request, with the credentials that apply to its server.
            func followed(by transfer: TransferRequest) -> Request {
                let isSameOrigin = Origin(url: transfer.url) == Origin(url: self.transfer.url)
                var next = Request(transfer: transfer)
                next.proofs = isSameOrigin ? proofs : proofs.forOtherOrigin
                next.trustedCertificates = isSameOrigin ? trustedCertificates : nil
                next.identity = isSameOrigin ? identity : nil
                next.isIdentityDecided = isSameOrigin && isIdentityDecided
                return next
            }
        }

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        private var state = State.ready
        /// The last request.
        private(set) var current: Request
        /// The certificates shown in an interrupted handshake.
        private var undecidedTrust: HTTPServerTrust?
        /// The server's request for a certificate in an interrupted handshake.
        private var undecidedCertificateRequest: CertificateRequest?
        private var isBodyAtStart: Bool
        /// Whether the head that was last received is a proxy's, in place of a tunnel.
        private var isTunnelRefusal = false
        private let redirectPolicy: RedirectPolicy
        private let hasBody: Bool
        /// Whether a proxy is asked for a tunnel even without TLS.
        private let alwaysTunnels: Bool

        /// Starts with a request.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - previous: An earlier request, whose credentials are reused for the same server.
        ///   - hasBody: Whether the request has a separate body.
        ///   - isBodyThere: Whether that body is at its start.
        ///   - redirectPolicy: Where redirects may lead.
        ///   - alwaysTunnels: Whether a proxy is asked for a tunnel even without TLS.
        init(
            request: TransferRequest,
            following previous: Request? = nil,
            hasBody: Bool,
            isBodyThere: Bool = true,
            redirectPolicy: RedirectPolicy = RedirectPolicy(),
            alwaysTunnels: Bool = false
        ) {
            current = previous?.followed(by: request) ?? Request(transfer: request)
            self.hasBody = hasBody
            self.alwaysTunnels = alwaysTunnels
            isBodyAtStart = isBodyThere
            self.redirectPolicy = redirectPolicy
        }

        /// Takes over the credentials and the trust of another load, if both ask the same server.
        mutating func inherit(from other: Load.StateMachine) {
            guard Origin(url: current.transfer.url) == Origin(url: other.current.transfer.url)
            else {
                current.proofs = other.current.proofs.forOtherOrigin
                return
            }
            current.proofs = other.current.proofs
            current.trustedCertificates = other.current.trustedCertificates
            current.identity = other.current.identity
            current.isIdentityDecided = other.current.isIdentityDecided
        }

        /// Whether the current request has its body: a redirect may have turned it into a GET.
        var sendsBody: Bool { hasBody && current.transfer.method != "GET" }

        /// Adds the authentication fields to the current request.
        mutating func prove(
            in fields: inout [HTTPField],
            clientNonce: @autoclosure () -> String
        ) throws(HTTPError) {
            let proofs = try proofFields(clientNonce: clientNonce())
            // The app's field has been refused if there is a credential in its place.
            fields.removeAll { field in proofs.contains { field.isNamed($0.name) } }
            fields += proofs
        }

        /// Returns the authentication fields for the current request.
        mutating func proofFields(
            clientNonce: @autoclosure () -> String
        ) throws(HTTPError) -> [HTTPField] {
            guard !current.proofs.isEmpty else { return [] }
            let (path, tunnel) = try HTTPRequest.target(of: current.transfer.url)
            let isTunnelled =
                alwaysTunnels || Origin(url: current.transfer.url)?.scheme == "https"
            let method = current.transfer.method
            return try current.proofs.fields(clientNonce: clientNonce()) { isProxy in
                isProxy && isTunnelled ? ("CONNECT", tunnel) : (method, path)
            }
        }

        /// Whether the load is over, so that no event may follow.
        var hasEnded: Bool { state == .ended }

        // MARK: - Requests

        mutating func start() {
            guard state == .ready else { return }
            prepare(current)
        }

        private mutating func prepare(_ request: Request) {
            current = request
            state = .preparing
            effects.add(.prepare(request))
        }

        /// The owner has completed the request.
        mutating func prepared() {
            guard state == .preparing else { return }
            // A body that was sent before must be sent from its start again.
            guard sendsBody, !isBodyAtStart else { return send() }
            state = .awaitingBody
            effects.add(.needBody)
        }

        /// The body is available again, or is not.
        mutating func foundBody(_ isThere: Bool) {
            guard state == .awaitingBody else { return }
            guard isThere else {
                let message = "the request's body must be sent again, but can be read only once"
                fail(TransferError(code: .bodySpent, message: message))
                return
            }
            send()
        }

        private mutating func send() {
            state = .requesting
            isBodyAtStart = false
            effects.add(.send(current))
        }

        mutating func cancel() {
            effects.removeAll()
            switch state {
            case .requesting, .leaving, .receiving:
                effects.add(.cancelExchange)
            case .asking(_, let end):
                if end == nil { effects.add(.cancelExchange) }
            case .ready, .preparing, .awaitingBody, .ended: break
            }
            effects.add(.release)
            state = .ended
        }

        private mutating func fail(_ error: TransferError) {
            state = .ended
            effects.add(.finish(error))
        }
    }
}

// MARK: - Responses

extension Load.StateMachine {
    /// Decides during a handshake; the app is asked after it has ended.
    mutating func decide(on trust: HTTPServerTrust) -> HTTPTrustDecision {
        if current.trustedCertificates == trust.certificates { return .accept }
        undecidedTrust = trust
        return .ask
    }

    /// Decides during a handshake; the app is asked after it has ended.
    mutating func decide(on certificateRequest: CertificateRequest) -> HTTPIdentityDecision {
        undecidedCertificateRequest = certificateRequest
        return .ask
    }

    /// Handles the head of a response.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - isTunnelRefusal: Whether a proxy has sent it in place of a tunnel to the server: it is not the server's response.
    mutating func receivedHead(_ head: HTTPResponseHead, isTunnelRefusal: Bool = false) {
        guard state == .requesting else { return }
        self.isTunnelRefusal = isTunnelRefusal
        let decision = redirectPolicy.decision(
            for: head,
            to: current.transfer,
            after: current.redirectCount
        )
        switch decision {
        case .isFinal:
            answered(head)
        case .fail(let error):
            effects.add(.cancelExchange)
            fail(error)
        case .follow(let transfer):
            let next = redirected(to: transfer)
            state = .asking(.redirect(head, next: next), end: nil)
            effects.add(.pause)
            effects.add(.askRedirect(head, next.transfer))
        }
    }

    private func redirected(to transfer: TransferRequest) -> Request {
        var next = current.followed(by: transfer)
        next.redirectCount = current.redirectCount + 1
        return next
    }

    private mutating func answered(_ head: HTTPResponseHead) {
        guard head.status == 401 || head.status == 407 else { return receive(head) }
        let isProxy = head.status == 407
        let offered = AuthenticationChallenge.all(in: head, forProxy: isProxy).answerable
        if current.proofs.renew(with: offered, forProxy: isProxy) {
            return leave(head, for: current)
        }
        current.proofs.refused(forProxy: isProxy)
        ask(head, offered)
    }

    /// Asks the app about the first of the schemes that are left.
    private mutating func ask(
        _ head: HTTPResponseHead,
        _ left: [AuthenticationChallenge],
        after end: End? = nil
    ) {
        let isProxy = head.status == 407
        guard let first = left.first, let origin = Origin(url: current.transfer.url) else {
            return receive(head, after: end)
        }
        let challenge = LoadChallenge(
            kind: .password(first, isProxy: isProxy),
            origin: origin,
            previousFailureCount: current.proofs.failureCount(forProxy: isProxy),
            response: head
        )
        state = .asking(.password(head, challenge, left: Array(left.dropFirst())), end: end)
        effects.add(.pause)
        effects.add(.ask(challenge))
    }

    /// Handles the final response, whose body follows or has already ended.
    private mutating func receive(_ head: HTTPResponseHead, after end: End? = nil) {
        guard !isTunnelRefusal else {
            let message = "The proxy requires a name and a password for a connection to the server"
            let error = TransferError(code: .proxyAuthenticationRequired, message: message)
            if end == nil { effects.add(.cancelExchange) }
            fail(error)
            return
        }
        state = .receiving
        effects.add(.reportResponse(head, current.transfer))
        effects.add(.takeBody)
        if let end { exchangeFinished(end.error) }
    }

    /// Sends another request, after the current body if that is shorter than a handshake.
    private mutating func leave(
        _ head: HTTPResponseHead,
        for next: Request,
        after end: End? = nil
    ) {
        guard end == nil else { return prepare(next) }
        guard let length = head.contentLength, length <= 16 * 1024 else {
            effects.add(.cancelExchange)
            prepare(next)
            return
        }
        state = .leaving(next: next)
        effects.add(.skipBody)
    }

    mutating func exchangeFinished(_ error: HTTPError?) {
        switch state {
        case .requesting:
            failedBeforeHead(error)
        case .asking(let question, nil):
            state = .asking(question, end: End(error: error))
        case .leaving(let next):
            // It does not matter how an unwanted body ended.
            prepare(next)
        case .receiving:
            state = .ended
            effects.add(.finish(error.map { TransferError($0) }))
        case .ready, .preparing, .awaitingBody, .asking, .ended: break
        }
    }

    private mutating func failedBeforeHead(_ error: HTTPError?) {
        switch error?.code {
        case .serverTrustUndecided:
            guard let trust = undecidedTrust, let origin = Origin(url: current.transfer.url)
            else { break }
            undecidedTrust = nil
            state = .asking(.trust(trust), end: End())
            effects.add(.ask(LoadChallenge(kind: .serverTrust(trust), origin: origin)))
            return
        case .clientCertificateUndecided:
            guard let certificateRequest = undecidedCertificateRequest,
                let origin = Origin(url: current.transfer.url)
            else { break }
            undecidedCertificateRequest = nil
            state = .asking(.identity(certificateRequest), end: End())
            effects.add(
                .ask(LoadChallenge(kind: .clientCertificate(certificateRequest), origin: origin))
            )
            return
        case .bodySpent:
            prepare(current)
            return
        default:
            break
        }
        var failure =
            error.map { TransferError($0) }
            ?? TransferError(code: .badServerResponse, message: "no response came")
        // The server has redirected to something that cannot be requested.
        if failure.code == .badURL, current.redirectCount > 0 { failure.code = .badServerResponse }
        fail(failure)
    }
}

// MARK: - The app's decisions

extension Load.StateMachine {
    /// The app has decided about a redirect; `nil` makes the response the answer.
    mutating func redirectAnswered(_ request: TransferRequest?) {
        guard case .asking(.redirect(let head, _), let end) = state else { return }
        guard let request else { return receive(head, after: end) }
        if let refusal = RedirectPolicy.refusal(of: request.url) {
            if end == nil { effects.add(.cancelExchange) }
            fail(refusal)
            return
        }
        // The request's fields are the app's own decision, including secrets. Other credentials were for the
        // server that redirected, and are sent only to that server, wherever the redirect led.
        leave(head, for: redirected(to: request), after: end)
    }

    mutating func challengeAnswered(_ answer: LoadChallengeAnswer) {
        guard case .asking(let question, let end) = state else { return }
        switch (question, answer) {
        case (.redirect, _): break
        case (_, .cancel):
            let error = TransferError(code: .cancelled, message: "the app has cancelled")
            if end == nil { effects.add(.cancelExchange) }
            fail(error)
        case (.password(let head, let challenge, let left), .use(let credential)):
            var next = current
            guard next.proofs.use(credential, for: challenge) else {
                return ask(head, left, after: end)
            }
            leave(head, for: next, after: end)
        case (.password(let head, _, let left), .reject):
            ask(head, left, after: end)
        case (.password(let head, _, _), .performDefaultHandling),
            (.password(let head, _, _), .trust),
            (.password(let head, _, _), .identify):
            receive(head, after: end)
        case (.identity, .identify(let identity)):
            resend(as: identity)
        case (.identity, .performDefaultHandling), (.identity, .reject), (.identity, .use),
            (.identity, .trust):
            resend(as: nil)
        case (.trust(let trust), .trust):
            resend(trusting: trust)
        case (.trust(let trust), .performDefaultHandling), (.trust(let trust), .reject),
            (.trust(let trust), .use),
            (.trust(let trust), .identify):
            guard let error = trust.verdict.error else { return resend(trusting: trust) }
            fail(TransferError(error))
        }
    }

    private mutating func resend(as identity: HTTPIdentity?) {
        var next = current
        next.identity = identity
        next.isIdentityDecided = true
        prepare(next)
    }

    private mutating func resend(trusting trust: HTTPServerTrust) {
        var next = current
        next.trustedCertificates = trust.certificates
        prepare(next)
    }
}

extension Load.StateMachine {
    /// What the owner must do, in the order given; large ones are indirect, so that an effect is passed on cheaply.
    enum Effect: Equatable {
        /// Complete the request with fields such as cookies and the cache's conditions.
        indirect case prepare(Request)
        /// Provide the request's body from its start again.
        case needBody
        indirect case send(Request)
        case cancelExchange
        /// Pause the body of the response.
        case pause
        case takeBody
        case skipBody
        indirect case askRedirect(HTTPResponseHead, TransferRequest)
        indirect case ask(LoadChallenge)
        indirect case reportResponse(HTTPResponseHead, TransferRequest)
        indirect case finish(TransferError?)
        /// Release what the load has used.
        case release
    }
}
