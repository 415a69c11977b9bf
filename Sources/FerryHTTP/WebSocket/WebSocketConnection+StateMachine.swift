import FerrySystem

extension WebSocketConnection {
    /// Decides how a WebSocket connection reacts to events; performs nothing itself.
    struct StateMachine {
        typealias Instant = ContinuousClock.Instant

        private enum State: Equatable {
            /// Not started yet.
            case idle
            /// libcurl makes the connection.
            case connecting
            /// The request is sent, or on its way.
            case upgrading
            /// There is no connection; the owner decides whether to make another one.
            case deciding(otherwise: WebSocketError)
            case open
            /// Our close frame is queued or sent, and the other end's has not arrived.
            case closing
            /// Nothing is read any longer; the connection ends in this way when the remaining output has been
            /// sent.
            case leaving(End)
            case ended(WebSocketError)
        }

        private struct Unsent {
            var number: UInt64
            var isPing: Bool
        }

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        private let configuration: Configuration
        private var state = State.idle
        private var request: WebSocketRequest
        private var outgoing = WebSocketQueue<Outgoing>()
        private var unsent = WebSocketQueue<Unsent>()
        private var pings = WebSocketQueue<UInt64>()
        private var inbox = WebSocketQueue<WebSocketMessage>()
        private var inboxByteCount = 0
        private var receiverCount = 0
        /// Whether the owner has ever asked for a message: otherwise it is not going to empty the inbox.
        private var isReadFrom = false
        /// Whether the owner has closed the connection, and expects no more messages.
        private var hasSaidGoodbye = false
        /// How the connection has ended; reported to the owner after the messages that arrived before.
        private var heldEnd: End?
        /// Whether a message was taken since the end was held back, or since the last wait began.
        private var isStillRead = false
        /// The number of the last ping that was sent.
        private var latestPing: UInt64 = 0
        private var isSuspended = false
        private var hasTakenClose = false
        private var lastActivity: Instant
        private var isTimerArmed = false

        init(_ request: WebSocketRequest, _ configuration: Configuration, now: Instant) {
            self.request = request
            self.configuration = configuration
            lastActivity = now
        }

        // MARK: - What is wanted of the connection

        /// Whether bytes are to be read.
        var wantsBytes: Bool {
            switch state {
            case .upgrading, .closing: true
            case .open: !isSuspended && inboxByteCount < configuration.maximumInboxByteCount
            case .idle, .connecting, .deciding, .leaving, .ended: false
            }
        }

        /// Returns the next frame to send, if there is one.
        mutating func nextFrame() -> Outgoing? {
            switch state {
            case .open where !isSuspended, .closing:
                guard !hasTakenClose, let next = outgoing.popFirst() else { return nil }
                if case .close = next.frame { hasTakenClose = true }
                return next
            case .open, .idle, .connecting, .upgrading, .deciding, .leaving, .ended:
                return nil
            }
        }

        // MARK: - What the owner asks for

        mutating func start(at now: Instant) {
            switch state {
            case .idle:
                state = .connecting
                effects.add(.connect(request))
                recordActivity(at: now)
            case .connecting, .upgrading, .deciding, .open, .closing, .leaving, .ended:
                isSuspended = false
                proceed(at: now)
            }
        }

        /// Stops sending and reading until the next start; opening the connection continues.
        mutating func suspend() {
            isSuspended = true
            effects.add(.proceed)
        }

        mutating func send(_ frame: WebSocketFrame, number: UInt64) {
            switch state {
            case .idle, .connecting, .upgrading, .deciding, .open:
                outgoing.append(Outgoing(frame: frame, number: number))
                unsent.append(Unsent(number: number, isPing: frame.isPing))
                if frame.isPing { pings.append(number) }
                effects.add(.proceed)
            case .closing, .leaving:
                effects.add(.complete(number, .notConnected))
            case .ended(let error):
                effects.add(.complete(number, error))
            }
        }

        mutating func receive() {
            isReadFrom = true
            if let message = inbox.popFirst() {
                isStillRead = true
                inboxByteCount -= Self.weight(of: message)
                effects.add(.deliver(message))
                effects.add(.proceed)
                if inbox.first == nil { reportHeldEnd() }
            } else if case .ended(let error) = state {
                effects.add(.failReceivers(error))
            } else {
                receiverCount += 1
            }
        }

        /// A receiver that has no message yet waits no longer.
        mutating func withdrawReceiver() { receiverCount -= 1 }

        /// Nobody waits for a frame any more, which is not sent if it was not taken yet.
        mutating func withdraw(_ number: UInt64) {
            guard outgoing.removeFirst(where: { $0.number == number }) else { return }
            _ = unsent.removeFirst { $0.number == number }
            _ = pings.removeFirst { $0 == number }
        }

        /// Closes the connection after the frames that were queued before.
        mutating func close(code: UInt16?, reason: [UInt8], at now: Instant) {
            hasSaidGoodbye = true
            switch state {
            case .open:
                state = .closing
                isSuspended = false
                outgoing.append(Outgoing(frame: .close(code: code, reason: reason)))
                proceed(at: now)
            case .idle, .connecting, .upgrading, .deciding:
                end(.failed(.cancelled))
            case .closing, .leaving:
                break
            case .ended:
                reportHeldEnd()
            }
        }

        /// Ends the connection at once; nothing is reported.
        mutating func cancel() {
            switch state {
            case .ended:
                guard heldEnd != nil else { return }
                heldEnd = nil
            case .open:
                effects.add(.takeLeave)
            case .idle, .connecting, .upgrading, .deciding, .closing, .leaving:
                break
            }
            finish(with: .cancelled)
        }

        // MARK: - What happens

        mutating func connected(at now: Instant) {
            guard state == .connecting else { return }
            state = .upgrading
            effects.add(.upgrade(request))
            proceed(at: now)
        }

        /// Records that bytes have arrived.
        mutating func broughtBytes(at now: Instant) {
            // While closing, a peer that only continues to send does not extend the wait.
            if state != .closing { lastActivity = now }
        }

        /// Records that bytes were sent.
        mutating func tookBytes(at now: Instant) {
            lastActivity = now
        }

        mutating func answered(_ progress: WebSocketHandshake.Progress, at now: Instant) {
            guard state == .upgrading else { return }
            switch progress {
            case .incomplete:
                break
            case .accepted(let head, let chosen):
                state = .open
                effects.add(.opened(head, protocol: chosen))
                proceed(at: now)
            case .refused(let head):
                refused(head, at: now)
            case .failure(let error):
                end(.failed(WebSocketError(error)))
            }
        }

        /// Handles a response of the server, or of a proxy, that is not an upgrade.
        mutating func refused(_ head: HTTPResponseHead, at now: Instant) {
            switch state {
            case .connecting:
                let message = "The proxy refuses a tunnel, with the status \(head.status)"
                let cause = HTTPError(code: .cannotConnectToHost, message: message)
                state = .deciding(otherwise: WebSocketError(cause))
            case .upgrading:
                let message = "The server answers \(head.status) instead of opening a connection"
                state = .deciding(otherwise: WebSocketError(code: .refused, message: message))
            case .idle, .deciding, .open, .closing, .leaving, .ended:
                return
            }
            ask(about: .answer(head), at: now)
        }

        private mutating func ask(about refusal: Refusal, at now: Instant) {
            effects.add(.disconnect)
            recordActivity(at: now)
            effects.add(.askAbout(refusal))
        }

        /// Continues as the owner has decided about a refusal: with another request, or with the end.
        mutating func proceed(with next: WebSocketRequest?, at now: Instant) {
            if state == .idle, let next { request = next }
            guard case .deciding(let error) = state else { return }
            guard let next else { return end(.failed(error)) }
            request = next
            state = .connecting
            effects.add(.connect(next))
            recordActivity(at: now)
        }

        mutating func received(_ event: WebSocketFramer.Event, at now: Instant) {
            switch state {
            case .open, .closing: break
            case .idle, .connecting, .upgrading, .deciding, .leaving, .ended: return
            }
            switch event {
            case .message(let message): return received(message)
            case .pong(let body): return receivedPong(body)
            case .close(let code, let reason):
                state = .leaving(.closed(code: code, reason: reason))
            case .failure(let error):
                state = .leaving(.failed(error))
            }
            proceed(at: now)
        }

        private mutating func received(_ message: WebSocketMessage) {
            // After closing, the owner expects no more messages.
            guard state == .open else { return }
            if receiverCount > 0 {
                receiverCount -= 1
                return effects.add(.deliver(message))
            }
            inbox.append(message)
            inboxByteCount += Self.weight(of: message)
        }

        /// RFC 6455 §5.5.3: a pong may answer only the latest of several pings, and an unsolicited pong means
        /// nothing.
        private mutating func receivedPong(_ body: [UInt8]) {
            let number = body.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard body.count == 8, number <= latestPing else { return }
            while let ping = pings.first, ping <= number {
                _ = pings.popFirst()
                effects.add(.complete(ping, nil))
            }
        }

        /// Records that the kernel has the frame with this number.
        mutating func sent(_ number: UInt64) {
            // Frames are sent in the order in which they were given.
            guard unsent.first?.number == number, let next = unsent.popFirst() else { return }
            if next.isPing { latestPing = number } else { effects.add(.complete(number, nil)) }
        }

        /// Records that all output has been sent.
        mutating func drained() {
            if case .leaving(let end) = state { self.end(end) }
        }

        /// Handles a connection that could not be made, or is broken; no error means that it was closed.
        mutating func lost(_ error: HTTPError?, at now: Instant) {
            switch state {
            case .connecting where error?.isQuestion == true:
                guard let error else { return }
                state = .deciding(otherwise: WebSocketError(error))
                ask(about: .undecided(error), at: now)
            case .leaving(let end):
                // The other end need not wait for our remaining output.
                self.end(end)
            case .idle, .deciding, .ended:
                break
            case .connecting, .upgrading, .open, .closing:
                let message = "The server has ended the connection without saying so"
                let cause = error ?? HTTPError(code: .connectionLost, message: message)
                end(.failed(WebSocketError(cause)))
            }
        }

        // MARK: - Time

        private var timeout: Duration {
            switch state {
            case .connecting, .upgrading: configuration.openingTimeout
            case .open: configuration.idleTimeout
            case .closing, .leaving: configuration.closingTimeout
            case .idle, .deciding: .zero
            case .ended: heldEnd == nil ? .zero : configuration.closingTimeout
            }
        }

        private mutating func recordActivity(at now: Instant) {
            lastActivity = now
            cancelTimer()
            if timeout > .zero { armTimer(after: timeout) }
        }

        private mutating func proceed(at now: Instant) {
            recordActivity(at: now)
            effects.add(.proceed)
        }

        private mutating func armTimer(after delay: Duration) {
            isTimerArmed = true
            effects.add(.armTimer(after: delay))
        }

        private mutating func cancelTimer() {
            if isTimerArmed { effects.add(.cancelTimer) }
            isTimerArmed = false
        }

        mutating func timerFired(at now: Instant) {
            isTimerArmed = false
            guard timeout > .zero else { return }
            if heldEnd != nil { return stillReads() }
            let idle = now - lastActivity
            guard idle >= timeout, !(state == .open && isSuspended) else {
                return armTimer(after: idle >= timeout ? timeout : timeout - idle)
            }
            if case .leaving(let end) = state { return self.end(end) }
            let message = "Nothing arrived for \(timeout)"
            end(.failed(WebSocketError(HTTPError(code: .timedOut, message: message))))
        }

        // MARK: - The end

        private mutating func end(_ end: End) {
            switch end {
            case .closed: finish(with: .notConnected)
            case .failed(let error): finish(with: error)
            }
            report(end)
        }

        private mutating func report(_ end: End) {
            guard isReadFrom, !hasSaidGoodbye, inbox.first != nil else {
                return effects.add(.report(end))
            }
            heldEnd = end
            isStillRead = true
            stillReads()
        }

        /// Holds the end back only as long as messages are taken: an owner may want no more of them.
        private mutating func stillReads() {
            guard isStillRead else { return reportHeldEnd() }
            isStillRead = false
            armTimer(after: configuration.closingTimeout)
        }

        private mutating func reportHeldEnd() {
            guard let end = heldEnd else { return }
            heldEnd = nil
            cancelTimer()
            effects.add(.report(end))
        }

        private mutating func finish(with error: WebSocketError) {
            state = .ended(error)
            if error.code == .cancelled { _ = inbox.takeAll() }
            effects.add(.disconnect)
            cancelTimer()
            let numbers = Set(unsent.takeAll().map(\.number) + pings.takeAll()).sorted()
            _ = outgoing.takeAll()
            for number in numbers { effects.add(.complete(number, error)) }
            if receiverCount > 0 { effects.add(.failReceivers(error)) }
            receiverCount = 0
        }

        /// Empty messages take room, too.
        private static func weight(of message: WebSocketMessage) -> Int { message.byteCount + 64 }
    }
}

extension HTTPError {
    /// Whether a decision is needed before the same request can be tried again.
    fileprivate var isQuestion: Bool {
        code == .serverTrustUndecided || code == .clientCertificateUndecided
    }
}
