package import FerrySystem

/// A client's end of a WebSocket connection (RFC 6455), on the event loop.
///
/// Messages that are sent before the connection is open wait for it. Incoming messages are delivered to the
/// callers of ``receive(_:)``, in order. Without a caller, little is read, so that the other end has to wait.
/// The owner keeps a connection until it has ended, or ends it with ``cancel()``.
@LoopActor package final class WebSocketConnection {
    /// The receiver of the outcome of a call.
    package typealias Completion = @LoopActor (WebSocketError?) -> Void
    /// The receiver of a message, or of an error.
    package typealias Receiver = @LoopActor (Result<WebSocketMessage, WebSocketError>) -> Void

    /// The number of sent bytes at which a frame has been sent completely.
    struct Mark {
        var byteCount: UInt64
        var number: UInt64
    }

    /// The maximum length of an incoming message; the value at the time when the connection opens counts.
    package var maximumMessageByteCount: Int

    var machine: StateMachine
    var framer: WebSocketFramer?
    var handshake: WebSocketHandshake?
    var connection: CurlConnection?
    /// The request, which is sent before any frame.
    var opening = WebSocketOutput(capacity: 0)
    /// The number of the frame that is becoming bytes, if a call waits for it.
    var waiting: UInt64?
    var marks = WebSocketQueue<Mark>()
    var isTurnPending = false

    private let client: HTTPClient.Configuration
    private let events: Events
    private var completions: [UInt64: Completion] = [:]
    private var receivers = WebSocketQueue<(number: UInt64, receiver: Receiver)>()
    private var lastNumber: UInt64 = 0
    private var timer: LoopTimer?

    /// Makes a connection without starting it.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - client: The authorities to trust, the proxy to use, and the limits for a response.
    ///   - configuration: How the connection behaves.
    ///   - events: The owner's event handlers.
    package init(
        _ request: WebSocketRequest,
        client: HTTPClient.Configuration = HTTPClient.Configuration(),
        configuration: Configuration = Configuration(),
        events: Events
    ) {
        self.client = client
        maximumMessageByteCount = configuration.maximumMessageByteCount
        self.events = events
        machine = StateMachine(request, configuration, now: EventLoop.now)
    }

    isolated deinit {
        timer?.cancel()
        connection?.close()
    }

    /// Opens the connection, or resumes after ``suspend()``.
    package func start() { run { $0.start(at: EventLoop.now) } }

    /// Stops sending and reading until the next ``start()``, apart from opening the connection.
    package func suspend() { run { $0.suspend() } }

    /// Opens the connection with another request, if it was refused or is not started yet.
    ///
    /// - Parameter request: The request; nil ends the connection with the refusal.
    package func proceed(with request: WebSocketRequest?) {
        run { $0.proceed(with: request, at: EventLoop.now) }
    }

    /// Sends a message, after those before it.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - completion: Called when the kernel has it, or with an error.
    /// - Returns: The call's number, for ``withdraw(_:)``.
    @discardableResult
    package func send(
        _ message: WebSocketMessage,
        completion: @escaping Completion
    ) -> UInt64 {
        send(.message(message), number: nextNumber(), completion)
    }

    /// Sends a ping, after the messages before it.
    ///
    /// - Parameter completion: Called when its pong has arrived, or with an error.
    /// - Returns: The call's number, for ``withdraw(_:)``.
    @discardableResult
    package func ping(completion: @escaping Completion) -> UInt64 {
        let number = nextNumber()
        let body = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        return send(.ping(body), number: number, completion)
    }

    /// Asks for the next message, which may have arrived before the end.
    ///
    /// - Parameter receiver: Called with the message, or with an error.
    /// - Returns: The call's number, for ``withdraw(_:)``.
    @discardableResult
    package func receive(_ receiver: @escaping Receiver) -> UInt64 {
        let number = nextNumber()
        receivers.append((number, receiver))
        run { $0.receive() }
        return number
    }

    /// Gives up a call, whose completion or receiver is not called any more.
    ///
    /// The next message is for the next receiver. A frame of which no byte has become output is not sent. A call that
    /// has ended stays as it is.
    ///
    /// - Parameter call: The call's number.
    package func withdraw(_ call: UInt64) {
        if receivers.removeFirst(where: { $0.number == call }) {
            machine.withdrawReceiver()
        } else if completions.removeValue(forKey: call) != nil {
            machine.withdraw(call)
        }
    }

    /// Closes the connection, after the messages before it, and waits for the other end to do the same.
    ///
    /// - Parameters:
    ///   - code: The reason as a code; nil sends none. A code that must not be sent counts as nil.
    ///   - reason: The reason as text, in UTF-8; at most 123 bytes are sent, and none without a code.
    package func close(code: UInt16?, reason: [UInt8]) {
        let code = code.flatMap { Self.mayBeSent($0) ? $0 : nil }
        let reason = code == nil ? [] : Array(reason.prefix(123))
        run { $0.close(code: code, reason: reason, at: EventLoop.now) }
    }

    /// Ends the connection at once, with an empty close frame unless that would have to wait.
    ///
    /// All pending calls fail with ``WebSocketError/Code/cancelled``; the owner is not notified.
    package func cancel() { run { $0.cancel() } }

    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    private func send(
        _ frame: WebSocketFrame,
        number: UInt64,
        _ completion: @escaping Completion
    ) -> UInt64 {
        completions[number] = completion
        run { $0.send(frame, number: number) }
        return number
    }

    /// RFC 6455 §7.4.1 and §7.4.2.
    private static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1004, 1005, 1006, 1015: false
        case 1000...1014, 3000...4999: true
        default: false
        }
    }

    // MARK: Effects

    /// Takes an input, and performs what follows.
    func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .connect(let request): connect(request)
        case .upgrade(let request): upgrade(request)
        case .disconnect: disconnect()
        case .takeLeave: takeLeave()
        case .opened(let head, let chosen): events.opened(head, chosen)
        case .askAbout(let refusal): events.refused(refusal)
        case .deliver(let message):
            receivers.popFirst()?.receiver(.success(message))
        case .failReceivers(let error):
            for waiting in receivers.takeAll() { waiting.receiver(.failure(error)) }
        case .complete(let number, let error): completions.removeValue(forKey: number)?(error)
        case .report(let end): events.ended(end)
        case .armTimer(let delay):
            timer = EventLoop.shared.schedule(after: delay) { [weak self] in
                self?.run { $0.timerFired(at: EventLoop.now) }
            }
        case .cancelTimer:
            timer?.cancel()
            timer = nil
        case .proceed: takeTurn()
        }
    }

    private func connect(_ request: WebSocketRequest) {
        do throws(HTTPError) {
            try request.check()
            let decisions = CurlConnection.Decisions(
                trust: events.decideOnTrust,
                identity: events.decideOnIdentity
            )
            connection = try CurlConnection(for: request.connectionRequest, decisions, client) {
                [weak self] outcome in self?.connected(outcome)
            }
        } catch {
            LoopActor.perform { [weak self] in self?.lost(error) }
        }
    }

    private func connected(_ outcome: CurlConnection.Outcome) {
        switch outcome {
        case .connected: run { $0.connected(at: EventLoop.now) }
        case .refused(let head): run { $0.refused(head, at: EventLoop.now) }
        case .failed(let error): lost(error)
        }
    }

    func lost(_ error: HTTPError?) { run { $0.lost(error, at: EventLoop.now) } }

    private func upgrade(_ request: WebSocketRequest) {
        do throws(HTTPError) {
            let key = WebSocketHandshake.makeKey()
            let bytes = try request.bytes(key: key, userAgent: client.userAgent)
            opening = WebSocketOutput(capacity: bytes.count)
            _ = bytes.withUnsafeBytes { opening.append($0) }
            handshake = WebSocketHandshake(
                request,
                key: key,
                maximumHeaderByteCount: client.maximumHeaderBytes
            )
            framer = try WebSocketFramer(
                maximumMessageByteCount: maximumMessageByteCount
            )
        } catch {
            lost(error)
        }
    }

    private func disconnect() {
        connection?.close()
        connection = nil
        framer = nil
        handshake = nil
        opening = WebSocketOutput(capacity: 0)
        marks = WebSocketQueue()
        waiting = nil
    }
}
