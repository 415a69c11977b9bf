import FerrySystem

extension HTTPExchange {
    /// Decides how an exchange reacts to events; performs nothing itself.
    struct StateMachine {
        typealias Instant = ContinuousClock.Instant

        private enum State: Equatable {
            /// Nothing of the response has been delivered.
            case awaitingHead
            /// The handler wants the body.
            case delivering
            /// The rest of the body arrives in pipes, bypassing libcurl, which has released the exchange.
            case splicing
            /// The handler does not want the body, but libcurl reads it to its end.
            case discarding
            /// The response is complete, and libcurl, which expects more or still sends, is told to fail.
            case endingEarly
            /// The kept connection was of no use: the request is sent again when libcurl has released it.
            case startingAgain
            /// The exchange will fail with this error as soon as libcurl has released it.
            case failing(HTTPError)
            /// The handler has received its last call, or the exchange was cancelled.
            case finished
        }

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        /// The number of bytes of the body that were delivered.
        private(set) var receivedByteCount: Int64 = 0
        /// The codings to undo, in the order in which they were applied; none for a body that is delivered as it comes.
        private(set) var codings: [ContentCoding] = []
        /// Whether the handler accepts bytes in pipes.
        private(set) var acceptsPipes = false

        private var state = State.awaitingHead
        private var parser: ResponseHeadParser
        /// Reads a proxy's response to CONNECT; a connection that dies may have to be made again.
        private var tunnelParser: ResponseHeadParser
        private let emptyParser: ResponseHeadParser
        /// The head of the response, if it is a proxy's response to CONNECT.
        private var proxyHead: HTTPResponseHead?
        private let endsAtHead: Bool
        private let hasResponseBody: Bool
        /// Whether the request may be repeated after it was carried out (RFC 9110 §9.2.2).
        private let isIdempotent: Bool
        /// Whether the request was sent on a connection that existed before.
        private var isOnKeptConnection = false
        /// Whether the request was sent, and the server has not said that it has not processed it.
        private var mayHaveArrived = false
        /// Whether the server has said that it has not processed the request.
        private var wasRefused = false
        /// Whether a line of a response to the request has arrived.
        private var hasResponseBegun = false
        /// Whether the request was sent by HTTP/2.
        private var isMultiplexed = false
        /// Whether the request has a body; see ``HTTPRequest/ProtocolChoice``.
        private let hasBody: Bool
        private var restartCount = 0
        private var hasChangedProtocol = false
        /// As many as libcurl's own.
        private static let maximumRestartCount = 5
        /// The number of bytes of the body that have arrived, delivered or not.
        private var bodyByteCount: Int64 = 0
        private(set) var isPaused = false
        private var isHeld = false
        private let acceptedCodings: AcceptedCodings
        private var decodedByteCount = 0
        private let idleTimeout: Duration
        private var hasBegun = false
        private var isIdleTimerArmed = false
        private var lastActivity: Instant
        private var isSuspectedIdle = false
        private var rate: ReceivingRate
        private let connectTimeout: Duration
        private var connecting = Connecting.not

        private enum Connecting {
            case not
            case timed
            /// The time is over, unless something has arrived that was not read yet.
            case overdue
        }

        init(
            url: String,
            maximumHeaderByteCount: Int,
            idleTimeout: Duration,
            endsAtHead: Bool = false,
            hasResponseBody: Bool = true,
            isIdempotent: Bool = true,
            hasBody: Bool = false,
            minimumReceiveRate: Int64 = 0,
            connectTimeout: Duration = .zero,
            acceptedCodings: AcceptedCodings = [],
            now: Instant
        ) {
            parser = ResponseHeadParser(url: url, maximumByteCount: maximumHeaderByteCount)
            tunnelParser = parser
            emptyParser = parser
            self.endsAtHead = endsAtHead
            self.hasResponseBody = hasResponseBody
            self.isIdempotent = isIdempotent
            self.hasBody = hasBody
            self.acceptedCodings = acceptedCodings
            self.idleTimeout = idleTimeout
            rate = ReceivingRate(minimum: minimumReceiveRate)
            self.connectTimeout = connectTimeout
            lastActivity = now
        }

        /// The final response's head, once it is complete.
        var head: HTTPResponseHead? { parser.completeHead ?? proxyHead }

        /// Whether the head is that of a proxy that refuses a tunnel without a password.
        ///
        /// Inlined, so that the exchange reads it without a copy of the machine.
        @inline(__always)
        var isTunnelRefusal: Bool { proxyHead != nil }

        /// Whether nothing may follow.
        var hasEnded: Bool { state == .finished }

        // MARK: - What libcurl reports

        /// Records that libcurl works for the exchange, which may have waited for a connection until now;
        /// called again when the connection is made.
        mutating func began(at now: Instant) {
            sawActivity(at: now)
            guard !hasBegun, state != .finished else { return }
            hasBegun = true
            armIdleTimer(after: idleTimeout)
        }

        /// Decides whether the request may be sent on its connection.
        ///
        /// libcurl sends a request again if a kept connection ends before the response begins. The server may have
        /// carried it out by then, so a request that is not idempotent fails instead (RFC 9110 §9.2.2). What is sent on
        /// a kept connection that has something to say starts again on a new one.
        ///
        /// - Parameters:
        ///   - isSilent: Whether nothing has arrived on a connection since the previous response; `nil` for a new
        ///     connection.
        ///   - isMultiplexed: Whether it is sent by HTTP/2.
        /// - Returns: Whether it may be sent.
        mutating func sends(onKept isSilent: Bool?, isMultiplexed: Bool = false) -> Bool {
            guard !mayHaveArrived || isIdempotent else {
                let message =
                    "The connection ended without a response, and the server may have carried out the request"
                _ = fail(HTTPError(code: .connectionLost, message: message))
                return false
            }
            self.isMultiplexed = isMultiplexed
            wasRefused = false
            if let isSilent {
                guard state == .awaitingHead else { return false }
                isOnKeptConnection = isSilent
                if !isSilent { state = .startingAgain }
            }
            mayHaveArrived = isSilent != false
            return mayHaveArrived
        }

        /// Records that the server has not processed the request.
        mutating func refused() {
            mayHaveArrived = false
            wasRefused = true
        }

        /// Records that bytes of the request were taken.
        mutating func sentBytes(at now: Instant) {
            sawActivity(at: now)
        }

        mutating func receivedHeaderLine(
            _ line: UnsafeRawBufferPointer,
            at now: Instant
        ) -> Reception {
            sawActivity(at: now)
            mayHaveArrived = false
            hasResponseBegun = true
            switch state {
            case .awaitingHead, .delivering, .splicing, .discarding:
                switch parser.append(line) {
                case .nothing: return .skip
                case .informational(let head): return .deliverInformational(head)
                case .head(let head):
                    if isOnKeptConnection, isIdempotent, head.isLateTimeout {
                        state = .startingAgain
                        return .stop
                    }
                    return receivedHead(head)
                case .failure(let error): return fail(error)
                }
            case .startingAgain, .endingEarly, .failing, .finished:
                return .stop
            }
        }

        /// Decides whether the body is decoded.
        ///
        /// What was not asked for is the resource's own: an archive that a server describes in this way. A part of a coded
        /// body is no coded body. libcurl would decode a transfer coding, which nobody has asked for, and not tell where
        /// it ends.
        private mutating func receivedHead(_ head: HTTPResponseHead) -> Reception {
            guard hasResponseBody, head.status != 204, head.status != 304 else {
                return .deliverHead(head)
            }
            guard !head.hasTransferCoding else {
                let message = "The response has a transfer coding that was not asked for"
                return fail(HTTPError(code: .cannotDecodeContent, message: message))
            }
            guard head.status != 206, let codings = head.knownContentCodings,
                acceptedCodings.contain(codings)
            else { return .deliverHead(head) }
            guard codings.count <= ContentCoding.maximumCount else {
                let message = "The body has \(codings.count) content codings"
                return fail(HTTPError(code: .cannotDecodeContent, message: message))
            }
            self.codings = codings
            var head = head
            head.isDecoded = true
            return .deliverHead(head)
        }

        /// Handles a line of a proxy's response to CONNECT.
        mutating func receivedTunnelLine(
            _ line: UnsafeRawBufferPointer,
            at now: Instant
        ) -> Reception {
            sawActivity(at: now)
            guard state == .awaitingHead else { return .stop }
            switch tunnelParser.append(line) {
            case .nothing, .informational: return .skip
            case .head(let head): return receivedTunnelHead(head)
            case .failure(let error): return fail(error)
            }
        }

        private mutating func receivedTunnelHead(_ head: HTTPResponseHead) -> Reception {
            switch head.status {
            case 200..<300:
                tunnelParser = emptyParser
                return .skip
            case 407:
                // Nothing else from a proxy may pass for the server's response, and the proxy's page is not
                // read at all.
                var answer = head
                answer.fields.removeAll { !$0.isNamed("Proxy-Authenticate") }
                proxyHead = answer
                return .deliverHead(answer)
            default:
                let message = "The proxy refuses a tunnel, with the status \(head.status)"
                return fail(HTTPError(code: .cannotConnectToHost, message: message))
            }
        }

        mutating func receivedBytes(count: Int, at now: Instant) -> Reception {
            sawActivity(at: now)
            rate.received(byteCount: count, at: now)
            let reception = reception(ofBytes: count)
            guard reception == .skip || reception == .deliverBytes else { return reception }
            bodyByteCount += Int64(count)
            guard reception == .skip, endsEarly else { return reception }
            state = .endingEarly
            return .stop
        }

        private mutating func reception(ofBytes count: Int) -> Reception {
            switch state {
            case .awaitingHead:
                let message = "The body came before the header"
                return fail(HTTPError(code: .badServerResponse, message: message))
            case .delivering:
                isHeld = isPaused
                guard !isPaused else { return .hold }
                guard codings.isEmpty else { return .decode }
                receivedByteCount += Int64(count)
                return .deliverBytes
            case .discarding:
                return .skip
            case .splicing, .startingAgain, .endingEarly, .failing, .finished:
                return .stop
            }
        }

        /// Whether a piece of the body may be delivered with those that follow it.
        var gathersPieces: Bool { state == .delivering && !isPaused && codings.isEmpty }

        /// How much is decoded before other exchanges have their turn.
        ///
        /// One read may yield gigabytes, and libcurl reads up to a hundred times before it returns to the loop.
        static let decodedByteCountPerTurn = 8 << 20

        /// Decides how to go on after a step of decoding, whose bytes were delivered.
        ///
        /// - Parameters:
        ///   - madeByteCount: How many bytes the step has made.
        ///   - deliveredByteCount: How many of them the handler has got.
        /// - Returns: ``Reception/decode`` for another step, or what to do instead.
        mutating func decoded(_ madeByteCount: Int, delivered deliveredByteCount: Int) -> Reception
        {
            receivedByteCount += Int64(deliveredByteCount)
            switch state {
            case .delivering:
                isHeld = isPaused
                guard !isPaused else { return .hold }
                decodedByteCount += madeByteCount
                guard decodedByteCount <= Self.decodedByteCountPerTurn else {
                    decodedByteCount = 0
                    isHeld = true
                    return .holdForATurn
                }
                return .decode
            case .discarding: return .skip
            case .awaitingHead, .splicing, .startingAgain, .endingEarly, .failing, .finished:
                return .stop
            }
        }

        /// Records that the body cannot be decoded.
        mutating func decodingFailed(_ error: HTTPError) {
            if state == .delivering { _ = fail(error) }
        }

        /// Records the handler's answer; returns `false` if libcurl must fail.
        mutating func answered(_ disposition: HTTPBodyDisposition) -> Bool {
            if state == .awaitingHead || state == .delivering, disposition != .cancel,
                endsAtHead || proxyHead != nil || endsEarly
            {
                state = .endingEarly
            }
            switch (state, disposition) {
            case (.finished, _), (.failing, _), (.startingAgain, _), (.endingEarly, _):
                // The handler's method has cancelled the exchange, or there is nothing left to decide.
                return false
            case (.awaitingHead, .deliver), (.delivering, .deliver):
                state = .delivering
                return true
            case (.awaitingHead, .deliverInPipes), (.delivering, .deliverInPipes):
                state = .delivering
                acceptsPipes = true
                return true
            case (.splicing, .deliver), (.splicing, .deliverInPipes):
                return true
            case (.discarding, _), (_, .discard):
                state = .discarding
                return true
            case (_, .cancel):
                let message = "The receiver of the response ended it"
                _ = fail(HTTPError(code: .aborted, message: message))
                return false
            }
        }

        /// Ends or restarts the exchange after libcurl has released it.
        ///
        /// - Parameters:
        ///   - error: Why the exchange has failed.
        ///   - isCut: Whether the connection should have announced its end, and has not.
        ///   - refusesHTTP1: Whether the server has ended the handshake because it does not speak HTTP/1.1.
        ///   - progress: How far the body was decoded.
        mutating func completed(
            _ error: HTTPError?,
            isCut: Bool = false,
            refusesHTTP1: Bool = false,
            decoding progress: DecodingProgress = .complete
        ) {
            switch state {
            case .finished: break
            case .failing(let cause):
                finish(cause)
            case .startingAgain:
                startAgain(orFail: nil)
            case .endingEarly:
                finish(nil)
            case .awaitingHead where refusesHTTP1 && !hasChangedProtocol:
                hasChangedProtocol = true
                startAgain(orFail: error)
            case .awaitingHead where isRepeated(after: error):
                restartCount += 1
                startAgain(orFail: wasRefused ? nil : error)
            case .delivering where error?.code == .connectionLost && isWhole,
                .discarding where error?.code == .connectionLost && isWhole:
                // What libcurl could not send any more, the server did not want (RFC 9113 §8.1, RFC 9112 §9.3).
                finish(nil)
            case .awaitingHead where error == nil:
                let message = "The connection ended before the header did"
                finish(HTTPError(code: .connectionLost, message: message))
            case .delivering where error == nil && isEndMissing(after: progress):
                let names = codings.map(\.rawValue).joined(separator: ", ")
                let message = "The body ended before its content coding (\(names)) did"
                finish(HTTPError(code: .bodyTooShort, message: message))
            case .delivering where error == nil && isCut && endsWithConnection:
                let message = "The connection was cut, and nothing says that the body is whole"
                finish(HTTPError(code: .connectionLost, message: message))
            case .awaitingHead, .delivering, .splicing, .discarding:
                finish(error)
            }
        }

        private mutating func startAgain(orFail error: HTTPError?) {
            state = .awaitingHead
            isOnKeptConnection = false
            mayHaveArrived = false
            wasRefused = false
            hasResponseBegun = false
            parser = emptyParser
            takeConnectTimer()
            effects.add(.startAgain(orFail: error))
        }

        /// Whether a request that has failed is sent again.
        ///
        /// It is if the server has not processed it (RFC 9113 §8.7), and once if it is idempotent and HTTP/2 has failed, where
        /// libcurl repeats less than with HTTP/1.1.
        private func isRepeated(after error: HTTPError?) -> Bool {
            guard error?.code == .connectionLost, !hasResponseBegun else { return false }
            return wasRefused
                ? restartCount < Self.maximumRestartCount
                : isMultiplexed && isIdempotent && restartCount == 0
        }

        /// Whether the response is over for all that it says, which libcurl 7.88 does not notice while it waits for a server
        /// to take more of the request's body by HTTP/2.
        private var endsEarly: Bool { isMultiplexed && hasBody && isWhole }

        /// Whether the response has arrived as far as its head says.
        private var isWhole: Bool {
            guard let head = parser.completeHead else { return false }
            if !hasResponseBody || head.status == 204 || head.status == 304 { return true }
            let length = head.fields.first(named: "Content-Length").flatMap { Int64($0) }
            return codings.isEmpty && length == bodyByteCount
        }

        /// Whether the end of the body's coding is missing.
        ///
        /// An empty body is no coding's. Servers that send one in a coding say that it is empty, unless it ends with the
        /// connection: that may have been cut before the first byte.
        private func isEndMissing(after progress: DecodingProgress) -> Bool {
            switch progress {
            case .complete: false
            case .begun: !codings.isEmpty
            case .nothing: !codings.isEmpty && endsWithConnection
            }
        }

        /// Whether only the end of the connection ends the body (RFC 9112 §6.3).
        private var endsWithConnection: Bool {
            guard hasResponseBody, let head, head.version.hasPrefix("HTTP/1.") else { return false }
            return head.status != 204 && head.status != 304
                && head.fields.first(named: "Content-Length") == nil
                && !head.fields.values(named: "Transfer-Encoding").flatMap(\.listElements)
                    .contains { $0.lowercased() == "chunked" }
        }

        // MARK: - Pipes

        /// Begins to read the rest of the body without libcurl; returns `false` if that is no longer allowed.
        mutating func beganSplicing() -> Bool {
            guard state == .delivering, acceptsPipes else { return false }
            state = .splicing
            return true
        }

        /// Records that a part of the body has arrived in a pipe; returns whether to deliver it.
        mutating func receivedPipe(byteCount: Int, at now: Instant) -> Bool {
            sawActivity(at: now)
            rate.received(byteCount: byteCount, at: now)
            return state == .splicing
        }

        /// Ends the exchange, of which libcurl need not know: the pipes have brought the whole body, or there is an error, or
        /// the handler does not want what was gathered.
        mutating func endedOutsideLibrary(_ error: HTTPError?) {
            switch state {
            case .failing(let cause):
                effects.add(.withdraw)
                finish(cause)
            case .splicing, .discarding:
                effects.add(.withdraw)
                finish(error)
            case .endingEarly:
                effects.add(.withdraw)
                finish(nil)
            case .finished, .awaitingHead, .delivering, .startingAgain: break
            }
        }

        // MARK: - What the owner asks for

        mutating func pause() {
            isPaused = true
        }

        mutating func resume(at now: Instant) {
            guard isPaused, state != .finished else { return }
            isPaused = false
            sawActivity(at: now)
            rate.restart(at: now)
            // A timer that fired during the pause was not armed again.
            if hasBegun, !isIdleTimerArmed { armIdleTimer(after: idleTimeout) }
            if isHeld { effects.add(.release) }
        }

        /// Returns whether libcurl may deliver what it holds: another pause may have come before the release.
        mutating func released() -> Bool {
            guard isHeld, !isPaused, state != .finished else { return false }
            isHeld = false
            return true
        }

        mutating func cancel() {
            effects.removeAll()
            guard state != .finished else { return }
            state = .finished
            takeIdleTimer()
            takeConnectTimer()
            effects.add(.withdraw)
        }

        // MARK: - Time

        mutating func idleTimerFired(at now: Instant) {
            isIdleTimerArmed = false
            guard state != .finished, !isPaused else { return }
            let idle = now - lastActivity
            guard idle >= idleTimeout else {
                switch rate.verdict(at: now, over: idleTimeout) {
                case .fine(let delay): return armIdleTimer(after: min(delay, idleTimeout - idle))
                case .tooLow:
                    return timeOut("Less than \(rate.minimum) bytes per second arrived")
                }
            }
            guard isSuspectedIdle else {
                // The loop may have been busy, or the machine asleep, while bytes arrived: they get one turn
                // of the loop to be read.
                isSuspectedIdle = true
                armIdleTimer(after: .zero)
                return
            }
            timeOut("Nothing arrived for \(idleTimeout)")
        }

        private mutating func timeOut(_ message: String) {
            effects.add(.withdraw)
            finish(HTTPError(code: .timedOut, message: message))
        }

        private mutating func sawActivity(at now: Instant) {
            lastActivity = now
            isSuspectedIdle = false
        }

        private mutating func armIdleTimer(after delay: Duration) {
            guard idleTimeout > .zero else { return }
            isIdleTimerArmed = true
            effects.add(.armIdleTimer(after: delay))
        }

        private mutating func takeIdleTimer() {
            guard isIdleTimerArmed else { return }
            isIdleTimerArmed = false
            effects.add(.cancelIdleTimer)
        }

        /// Records that a connection is being made, with the lookup of the host's name or the first socket.
        ///
        /// - Returns: Whether the time for it begins now.
        mutating func beganConnecting() -> Bool {
            guard connectTimeout > .zero, connecting == .not, state != .finished else {
                return false
            }
            connecting = .timed
            effects.add(.armConnectTimer(after: connectTimeout))
            return true
        }

        /// Records that the request can be sent.
        mutating func connected() {
            takeConnectTimer()
        }

        mutating func connectTimerFired() {
            switch connecting {
            case .not: break
            case .timed:
                connecting = .overdue
                effects.add(.armConnectTimer(after: .zero))
            case .overdue:
                connecting = .not
                let message = "No connection was made within \(connectTimeout)"
                effects.add(.withdraw)
                finish(HTTPError(code: .timedOut, message: message))
            }
        }

        private mutating func takeConnectTimer() {
            guard connecting != .not else { return }
            connecting = .not
            effects.add(.cancelConnectTimer)
        }

        // MARK: - Ends

        private mutating func fail(_ error: HTTPError) -> Reception {
            state = .failing(error)
            return .stop
        }

        /// Ends the exchange, which libcurl has released, because the request cannot be sent again.
        mutating func failed(_ error: HTTPError?) {
            if state != .finished { finish(error) }
        }

        private mutating func finish(_ error: HTTPError?) {
            state = .finished
            takeIdleTimer()
            takeConnectTimer()
            effects.add(.finish(error))
        }
    }
}

extension HTTPResponseHead {
    /// Whether the server reports that it has waited too long for a request.
    ///
    /// A request on a kept connection may have crossed with such a response: the server has not received it,
    /// and it may be repeated on another connection (RFC 9110 §15.5.9). HTTP/2 does not need this. A gateway
    /// may send the same if a server behind it is slow; that server has then received the request.
    fileprivate var isLateTimeout: Bool { status == 408 && version.hasPrefix("HTTP/1.") }
}
