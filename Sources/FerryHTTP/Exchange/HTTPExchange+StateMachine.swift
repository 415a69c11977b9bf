extension HTTPExchange {
    /// Decides what becomes of the events of an exchange; performs nothing itself.
    struct StateMachine {
        typealias Instant = ContinuousClock.Instant

        private enum State: Equatable {
            /// Nothing of the response has been handed over.
            case awaitingHead
            /// The handler wants the body.
            case delivering
            /// The rest of the body comes in pipes, past libcurl, which has let go of the exchange.
            case splicing
            /// The handler does not want the body, but libcurl reads it to its end.
            case discarding
            /// The head was all there is, and libcurl, which knows of more, is told to fail.
            case endingAtHead
            /// The kept connection was of no use: the request is sent once more when libcurl has let go of it.
            case startingAgain
            /// The exchange will fail with this as soon as libcurl has let go of it.
            case failing(HTTPError)
            /// The handler has had its last call, or was told by a cancel to expect none.
            case finished
        }

        /// What the caller must do, in the order given.
        enum Effect: Equatable {
            case armIdleTimer(after: Duration)
            case cancelIdleTimer
            /// Have libcurl hand over what it was told to hold.
            case release
            /// Send the request once more, by a new connection.
            case startAgain
            /// Take the exchange out of libcurl.
            case withdraw
            case finish(HTTPError?)
        }

        /// What to do with a line of the header or a piece of the body, at once.
        enum Reception: Equatable {
            /// Nothing but going on.
            case skip
            /// Hand an interim response's head over.
            case deliverInformational(HTTPResponseHead)
            /// Hand the head over, and the handler's answer to ``answered(_:)``.
            case deliverHead(HTTPResponseHead)
            /// Hand the bytes over, and the handler's answer to ``answered(_:)``.
            case deliverBytes
            /// Tell libcurl to keep the bytes.
            case hold
            /// Tell libcurl to keep the bytes, and release them when others had their turn.
            case holdForATurn
            /// Tell libcurl to fail.
            case stop
        }

        /// How many bytes of the body libcurl has handed over.
        private(set) var receivedByteCount: Int64 = 0
        /// Whether the handler takes bytes in pipes, and libcurl has something for it.
        private(set) var acceptsPipes = false

        private var state = State.awaitingHead
        private var parser: ResponseHeadParser
        /// Reads what a proxy says; a connection that dies may have to be made again.
        private var tunnelParser: ResponseHeadParser
        private let emptyParser: ResponseHeadParser
        /// The head of the answer, if that is a proxy's to CONNECT.
        private var proxyHead: HTTPResponseHead?
        private let endsAtHead: Bool
        private let hasResponseBody: Bool
        /// Whether a request that was carried out may be made again (RFC 9110 §9.2.2).
        private let isIdempotent: Bool
        /// Whether the request has left by a connection that was there before.
        private var isOnKeptConnection = false
        private(set) var isPaused = false
        private var isHeld = false
        private var isCoded = false
        private var unpackedByteCount = 0
        private let idleTimeout: Duration
        private var hasBegun = false
        private var isIdleTimerArmed = false
        private var lastActivity: Instant
        private var isSuspectedIdle = false

        init(
            url: String,
            maximumHeaderByteCount: Int,
            idleTimeout: Duration,
            endsAtHead: Bool = false,
            hasResponseBody: Bool = true,
            isIdempotent: Bool = true,
            now: Instant
        ) {
            parser = ResponseHeadParser(url: url, maximumByteCount: maximumHeaderByteCount)
            tunnelParser = parser
            emptyParser = parser
            self.endsAtHead = endsAtHead
            self.hasResponseBody = hasResponseBody
            self.isIdempotent = isIdempotent
            self.idleTimeout = idleTimeout
            lastActivity = now
        }

        /// The final response's head, once it has been handed over.
        var head: HTTPResponseHead? { parser.completeHead ?? proxyHead }

        // MARK: - What libcurl reports

        /// libcurl works for the exchange, which may have waited for a connection until now; said
        /// again when the connection is there.
        mutating func began(at now: Instant) -> [Effect] {
            sawActivity(at: now)
            guard !hasBegun, state != .finished else { return [] }
            hasBegun = true
            return armIdleTimer(after: idleTimeout)
        }

        /// The request is about to leave by a connection that was there before.
        ///
        /// - Parameter isSilent: Whether nothing has arrived by it since the response before.
        /// - Returns: Whether the request may leave by it.
        mutating func usesKeptConnection(isSilent: Bool) -> Bool {
            guard state == .awaitingHead else { return false }
            isOnKeptConnection = isSilent
            if !isSilent { state = .startingAgain }
            return isSilent
        }

        /// Bytes of the request were taken.
        mutating func sentBytes(at now: Instant) {
            sawActivity(at: now)
        }

        mutating func receivedHeaderLine(
            _ line: UnsafeRawBufferPointer,
            at now: Instant
        ) -> Reception {
            sawActivity(at: now)
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
                    isCoded = head.hasContentCoding
                    return .deliverHead(head)
                case .failure(let error): return fail(error)
                }
            case .startingAgain, .endingAtHead, .failing, .finished:
                return .stop
            }
        }

        /// A line of what a proxy answers to CONNECT.
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
                // Nothing else that a proxy says may pass for the server's word, and its page is
                // not read at all.
                var answer = head
                answer.fields.removeAll { !$0.isNamed("Proxy-Authenticate") }
                proxyHead = answer
                return .deliverHead(answer)
            default:
                let message = "The proxy refuses a tunnel, with the status \(head.status)"
                return fail(HTTPError(code: .cannotConnectToHost, message: message))
            }
        }

        /// How much of a body is unpacked before others have their turn.
        ///
        /// libcurl hands over all that a packed body holds before it returns to the loop, which for
        /// what one read may bring is half a GiB, and it reads up to a hundred times.
        static let unpackedByteCountPerTurn = 8 << 20

        mutating func receivedBytes(count: Int, at now: Instant) -> Reception {
            sawActivity(at: now)
            switch state {
            case .awaitingHead:
                let message = "The body came before the header"
                return fail(HTTPError(code: .badServerResponse, message: message))
            case .delivering:
                isHeld = isPaused
                guard !isPaused else { return .hold }
                if isCoded { unpackedByteCount += count }
                guard unpackedByteCount <= Self.unpackedByteCountPerTurn else {
                    unpackedByteCount = 0
                    isHeld = true
                    return .holdForATurn
                }
                receivedByteCount += Int64(count)
                return .deliverBytes
            case .discarding:
                return .skip
            case .splicing, .startingAgain, .endingAtHead, .failing, .finished:
                return .stop
            }
        }

        /// The handler has answered; `false` when libcurl must fail.
        mutating func answered(_ disposition: HTTPBodyDisposition) -> Bool {
            if state == .awaitingHead, endsAtHead || proxyHead != nil, disposition != .cancel {
                state = .endingAtHead
            }
            switch (state, disposition) {
            case (.finished, _), (.failing, _), (.startingAgain, _), (.endingAtHead, _):
                // Cancelled inside the handler's method, or there is nothing more to answer for.
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

        /// libcurl has let go of the exchange.
        ///
        /// - Parameters:
        ///   - error: Why the exchange has failed.
        ///   - isCut: Whether the connection would have said that it ends, and has not.
        /// - Returns: What follows.
        mutating func completed(_ error: HTTPError?, isCut: Bool = false) -> [Effect] {
            switch state {
            case .finished:
                return []
            case .failing(let cause):
                return finish(cause)
            case .startingAgain:
                state = .awaitingHead
                isOnKeptConnection = false
                parser = emptyParser
                return [.startAgain]
            case .endingAtHead:
                return finish(nil)
            case .awaitingHead where error == nil:
                let message = "The connection ended before the header did"
                return finish(HTTPError(code: .connectionLost, message: message))
            case .delivering where isHeld && isCoded && error?.isShortageOfRoom == true:
                // libcurl unpacks what it has read, also while it must keep it, up to 64 MiB.
                let message = "The body unpacks to more than there is room for"
                return finish(HTTPError(code: .cannotDecodeContent, message: message))
            case .delivering where error == nil && isCut && endsWithConnection:
                let message = "The connection was cut, and nothing says that the body is whole"
                return finish(HTTPError(code: .connectionLost, message: message))
            case .awaitingHead, .delivering, .splicing, .discarding:
                return finish(error)
            }
        }

        /// Whether nothing but the end of the connection is the end of the body (RFC 9112 §6.3).
        private var endsWithConnection: Bool {
            guard hasResponseBody, let head, head.version.hasPrefix("HTTP/1.") else { return false }
            return head.status != 204 && head.status != 304
                && head.fields.first(named: "Content-Length") == nil
                && !head.fields.values(named: "Transfer-Encoding").flatMap(\.listElements)
                    .contains { $0.lowercased() == "chunked" }
        }

        // MARK: - Pipes

        /// The rest of the body goes past libcurl from now on; `false` when it must not any more.
        mutating func beganSplicing() -> Bool {
            guard state == .delivering, acceptsPipes else { return false }
            state = .splicing
            return true
        }

        /// A part of the body has come in a pipe; whether to hand it over.
        mutating func receivedPipe(at now: Instant) -> Bool {
            sawActivity(at: now)
            return state == .splicing
        }

        /// The pipes have brought the whole body, or no more will come.
        mutating func splicingEnded(_ error: HTTPError?) -> [Effect] {
            switch state {
            case .finished: []
            case .failing(let cause): [.withdraw] + finish(cause)
            case .splicing, .discarding: [.withdraw] + finish(error)
            case .awaitingHead, .delivering, .startingAgain, .endingAtHead: []
            }
        }

        // MARK: - What the owner asks for

        mutating func pause() {
            isPaused = true
        }

        mutating func resume(at now: Instant) -> [Effect] {
            guard isPaused, state != .finished else { return [] }
            isPaused = false
            sawActivity(at: now)
            var effects: [Effect] = []
            // A timer that fired during the pause was not armed again.
            if hasBegun, !isIdleTimerArmed { effects += armIdleTimer(after: idleTimeout) }
            if isHeld { effects.append(.release) }
            return effects
        }

        /// Whether libcurl is to hand over what it holds: a release may come after another pause.
        mutating func released() -> Bool {
            guard isHeld, !isPaused, state != .finished else { return false }
            isHeld = false
            return true
        }

        mutating func cancel() -> [Effect] {
            guard state != .finished else { return [] }
            state = .finished
            return takeIdleTimer() + [.withdraw]
        }

        // MARK: - Time

        mutating func idleTimerFired(at now: Instant) -> [Effect] {
            isIdleTimerArmed = false
            guard state != .finished, !isPaused else { return [] }
            let idle = now - lastActivity
            guard idle >= idleTimeout else { return armIdleTimer(after: idleTimeout - idle) }
            guard isSuspectedIdle else {
                // The loop may have been busy, or the machine asleep, with bytes at the door: they
                // get one turn of the loop to come in.
                isSuspectedIdle = true
                return armIdleTimer(after: .zero)
            }
            let message = "Nothing arrived for \(idleTimeout)"
            return [.withdraw] + finish(HTTPError(code: .timedOut, message: message))
        }

        private mutating func sawActivity(at now: Instant) {
            lastActivity = now
            isSuspectedIdle = false
        }

        private mutating func armIdleTimer(after delay: Duration) -> [Effect] {
            guard idleTimeout > .zero else { return [] }
            isIdleTimerArmed = true
            return [.armIdleTimer(after: delay)]
        }

        private mutating func takeIdleTimer() -> [Effect] {
            guard isIdleTimerArmed else { return [] }
            isIdleTimerArmed = false
            return [.cancelIdleTimer]
        }

        // MARK: - Ends

        private mutating func fail(_ error: HTTPError) -> Reception {
            state = .failing(error)
            return .stop
        }

        private mutating func finish(_ error: HTTPError?) -> [Effect] {
            state = .finished
            return takeIdleTimer() + [.finish(error)]
        }
    }
}

extension HTTPError {
    /// Whether libcurl had to keep more than it does.
    fileprivate var isShortageOfRoom: Bool {
        switch code {
        case .outOfMemory, .headersTooLarge: true
        default: false
        }
    }
}

extension HTTPResponseHead {
    /// Whether a server says that it has waited too long for a request.
    ///
    /// Where a request has left by a kept connection, it may have met that on its way: the server has not had it, and it
    /// may be repeated by another connection (RFC 9110 §15.5.9). HTTP/2 does not need it. A gateway may say the same
    /// when a server behind it is slow, which then has had the request.
    fileprivate var isLateTimeout: Bool { status == 408 && version.hasPrefix("HTTP/1.") }
}
