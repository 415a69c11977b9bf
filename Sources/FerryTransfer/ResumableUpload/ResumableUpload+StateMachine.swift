import FerryHTTP
import FerrySystem

extension ResumableUpload {
    /// Decides how a body is sent to a server by one request or several; performs nothing itself.
    ///
    /// It begins with the app's request, to which a server that can continue uploads sends an interim response,
    /// or with the creation of a tus resource. If the connection is interrupted after that, the server is asked
    /// what it has, and is sent the rest. The response to the last of these requests is the response to the
    /// app's.
    struct StateMachine {
        /// What the upload waits for.
        private enum State: Hashable {
            /// Nothing has been sent.
            case ready
            /// A request was sent, and its response head has not arrived.
            case requesting(Step)
            /// The body of a response that is not final is being skipped.
            case leaving(then: Sequel)
            /// The checksum of the next part is being computed.
            case digesting(Part)
            /// The connection was interrupted, and some time has to pass.
            case waiting
            /// That time has passed during a pause.
            case due
            /// The final response is being received.
            case answering
            /// The upload has ended.
            case ended
        }

        /// What the owner must do, in the order given.
        enum Effect: Equatable {
            indirect case send(Dispatch)
            case cancelLoad
            /// Cancel the load, and report its end as if the body of its response had been skipped.
            case abandonLoad
            /// Skip the body of the response.
            case skipBody
            /// Deliver the response, as the answer to the app's request.
            case answer(HTTPResponseHead, TransferRequest)
            /// Call back when this much time has passed.
            case wait(Duration)
            case stopWaiting
            /// Compute the checksum of a part.
            case digest(Part, TusChecksum)
            case remember(UploadKnowledge.Evidence)
            /// The upload can be continued by this now; `nil` when it no longer can.
            case report(UploadResource?)
            case reportSent(Int64)
            /// Have the server forget the upload.
            case terminate(TransferRequest)
            case finish(TransferError?)
            /// Release what the upload has used.
            case release
        }

        /// What the owner must do, as far as it is not done.
        typealias Effects = EffectQueue<Effect>

        /// What the owner must do.
        var effects = Effects()
        /// The app's request.
        let request: TransferRequest
        private var state = State.ready
        private var progress: Progress
        private(set) var isPaused = false
        /// Whether a redirect says that the response is to be fetched elsewhere.
        private var isAnswerElsewhere = false
        /// Whether a response to the current request has arrived.
        private var wasAnswered = false

        init(
            request: TransferRequest,
            byteCount: Int64?,
            isRepeatable: Bool = true,
            name: String = Body.namelessName,
            resource: UploadResource? = nil,
            knowledge: UploadKnowledge = UploadKnowledge(),
            configuration: Configuration
        ) {
            self.request = request
            let requests = Requests(
                request: request,
                byteCount: byteCount,
                isRepeatable: isRepeatable,
                name: name
            )
            progress = Progress(
                requests,
                resource: resource,
                knowledge: knowledge,
                configuration: configuration
            )
        }

        /// Whether the upload is over, so that no event may follow.
        var hasEnded: Bool { state == .ended }

        /// The resource at which the upload can continue.
        var resource: UploadResource? { progress.resource }

        // MARK: - Beginning and end

        mutating func start() {
            guard state == .ready else { return }
            send(progress.firstStep)
        }

        /// Ends the upload without further events.
        ///
        /// - Parameter terminates: Whether the server is to forget what it has.
        mutating func cancel(terminates: Bool) {
            let canTerminate = state != .answering && state != .ended
            effects.removeAll()
            switch state {
            case .requesting, .leaving, .answering: effects.add(.cancelLoad)
            case .waiting: effects.add(.stopWaiting)
            case .ready, .digesting, .due, .ended: break
            }
            state = .ended
            if terminates, canTerminate, let request = progress.termination {
                effects.add(.terminate(request))
            }
            effects.add(.release)
        }

        private mutating func fail(_ error: TransferError, keepsResource: Bool = true) {
            state = .ended
            if !keepsResource, progress.loseResource() { effects.add(.report(nil)) }
            effects.add(.finish(error))
        }

        /// Fails because the body has changed or no longer exists.
        mutating func sourceFailed(_ error: TransferError) {
            guard state != .ended else { return }
            fail(error, keepsResource: error.code != .fileChanged)
        }

        // MARK: - Pauses

        /// Pauses the upload: what becomes due is done after the pause.
        mutating func pause() { isPaused = true }

        /// Resumes the upload; the time of a pause does not count as lost.
        mutating func resume() {
            if isPaused { progress.renewRetryLimit() }
            isPaused = false
            if state == .due { send(progress.askAnew()) }
        }
    }
}

// MARK: - Requests

extension ResumableUpload.StateMachine {
    private mutating func send(_ step: ResumableUpload.Step) {
        if let (part, checksum) = progress.missingChecksum(for: step) {
            state = .digesting(part)
            return effects.add(.digest(part, checksum))
        }
        state = .requesting(step)
        isAnswerElsewhere = false
        wasAnswered = false
        effects.add(.send(progress.begin(step)))
    }

    /// Sends a part after its checksum was computed.
    mutating func digested(_ checksum: String?) {
        guard case .digesting(var part) = state else { return }
        guard let checksum else {
            let message = "the body of the upload cannot be read a second time"
            return fail(TransferError(code: .bodySpent, message: message))
        }
        part.checksum = checksum
        send(.append(part))
    }

    mutating func sent(byteCount: Int64) {
        switch state {
        // A server may respond while bytes are still being sent.
        case .requesting, .leaving, .answering:
            effects.add(.reportSent(progress.sent(byteCount)))
        case .ready, .digesting, .waiting, .due, .ended: break
        }
    }

    /// Returns the body to send again with the current request; `none` if it cannot be.
    mutating func needsBody() -> ResumableUpload.Dispatch.Body {
        guard case .requesting(.append(let part)) = state else { return .whole }
        // Without a response, such as one that wants a password, the server may have received some of it.
        guard wasAnswered else { return .none }
        wasAnswered = false
        return .part(part)
    }

    /// Whether the app is not asked about a challenge: a mere question is not worth its password.
    func leavesOpen(_ challenge: LoadChallenge) -> Bool {
        guard case .requesting(.discover) = state, case .password = challenge.kind else {
            return false
        }
        return true
    }
}

// MARK: - Responses

extension ResumableUpload.StateMachine {
    /// Records that there was a response, even one that is not final.
    mutating func receivedAnyHead() { wasAnswered = true }

    mutating func informational(_ head: HTTPResponseHead) {
        guard head.status == 104, case .requesting(let step) = state else { return }
        progress.informed(head, during: step, into: &effects)
    }

    mutating func receivedHead(
        _ head: HTTPResponseHead,
        to answered: TransferRequest,
        at now: ResumableUpload.Moment
    ) {
        guard case .requesting(let step) = state else { return }
        if isAnswerElsewhere { return answer(head, to: answered) }
        progress.endOfOffer(step, into: &effects)
        switch progress.answered(head, to: step, at: now, into: &effects) {
        case .answer: answer(head, to: answered)
        case .sequel(let sequel): leave(head, for: sequel)
        case .failure(let error, let keepsResource):
            effects.add(.cancelLoad)
            fail(error, keepsResource: keepsResource)
        }
    }

    /// Delivers a response as the answer to the app's request.
    private mutating func answer(_ head: HTTPResponseHead, to answered: TransferRequest) {
        var (head, shown) = (head, answered)
        switch state {
        case .requesting(.append) where resource?.language != .tus && !isAnswerElsewhere:
            // This is the response to the app's request, wherever the rest was sent.
            (head.url, shown) = (request.url, request)
        case .requesting(.upload(.some)):
            shown.fields.removeAll { field in
                UploadProtocol.ownNames.contains { field.isNamed($0) }
            }
        default:
            break
        }
        state = .answering
        effects.add(.answer(head, shown))
    }

    /// Continues after the response's body, if that is shorter than a handshake.
    private mutating func leave(_ head: HTTPResponseHead, for sequel: ResumableUpload.Sequel) {
        let hasNoBody = head.status == 204 || state == .requesting(.locate)
        let isShort = hasNoBody || head.contentLength ?? .max <= 16 << 10
        state = .leaving(then: sequel)
        effects.add(isShort ? .skipBody : .abandonLoad)
    }

    /// Returns who decides about a redirect.
    ///
    /// - Parameters:
    ///   - head: The response that redirects.
    ///   - next: The request that would follow.
    /// - Returns: Who decides.
    mutating func redirected(
        by head: HTTPResponseHead,
        to next: TransferRequest
    ) -> ResumableUpload.Redirection {
        guard case .requesting(let step) = state, !isAnswerElsewhere else { return .offer(next) }
        if case .upload = step { return .offer(next) }
        guard !UploadReport.givesUpTLS(from: head.url, to: next.url) else { return .isAnswer }
        switch (step, head.status) {
        case (.locate, 308), (.append, 308):
            progress.moved(to: next.url)
            return .follow
        case (.locate, 307):
            progress.detoured(to: next.url)
            return .follow
        case (.append, 307), (.create, 307), (.create, 308):
            return .follow
        case (.append, let status) where leadsToAnswer(byStatus: status):
            // The result of the upload is to be fetched, as after the app's request.
            isAnswerElsewhere = true
            var answer = next
            answer.method = "GET"
            answer.fields.removeAll { field in
                (UploadProtocol.ownNames + RedirectPolicy.bodyNames).contains { field.isNamed($0) }
            }
            return .offer(answer)
        default:
            return .isAnswer
        }
    }

    /// Whether a redirect says where the response is, and not where to send the request.
    private func leadsToAnswer(byStatus status: Int) -> Bool {
        status == 303 || (status == 301 || status == 302) && request.method == "POST"
    }
}

// MARK: - Ends of loads

extension ResumableUpload.StateMachine {
    mutating func loadFinished(
        _ error: TransferError?,
        at now: ResumableUpload.Moment,
        using generator: inout some RandomNumberGenerator
    ) {
        switch state {
        case .requesting(let step):
            let missing = TransferError(code: .badServerResponse, message: "no response came")
            failed(step, error ?? missing, at: now, using: &generator)
        case .leaving(.send(let next)):
            // It does not matter how an unwanted body ended.
            send(next)
        case .leaving(.proceed(let error)):
            interrupted(error, at: now, using: &generator)
        case .answering:
            // A process that dies before the response is safe must not upload everything again.
            state = .ended
            effects.add(.finish(error))
        case .ready, .digesting, .waiting, .due, .ended:
            break
        }
    }

    private mutating func failed(
        _ step: ResumableUpload.Step,
        _ error: TransferError,
        at now: ResumableUpload.Moment,
        using generator: inout some RandomNumberGenerator
    ) {
        switch step {
        case .upload(let draft):
            progress.uploadFailed(offering: draft, into: &effects)
            interrupted(error, at: now, using: &generator)
        case .discover where error.code == .cancelled:
            fail(error)
        case .discover:
            send(progress.discoveryFailed(error, into: &effects))
        case .append where error.code == .bodySpent:
            // A reused connection had died, and it is unknown which bytes have arrived.
            let message = "the connection was lost while a part of the upload was sent"
            let cut = TransferError(code: .connectionLost, message: message)
            interrupted(cut, at: now, using: &generator)
        case .create, .locate, .append:
            interrupted(error, at: now, using: &generator)
        }
    }

    private mutating func interrupted(
        _ error: TransferError,
        at now: ResumableUpload.Moment,
        using generator: inout some RandomNumberGenerator
    ) {
        guard let delay = progress.delay(after: error, at: now, using: &generator) else {
            return fail(error)
        }
        state = .waiting
        effects.add(.wait(delay))
    }

    /// Asks the server what it has, when the time has passed.
    mutating func waited() {
        guard state == .waiting else { return }
        guard !isPaused else {
            state = .due
            return
        }
        send(progress.askAnew())
    }
}
