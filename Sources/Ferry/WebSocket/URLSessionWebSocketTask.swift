import FerryHTTP
import FerrySystem
public import Foundation
import FoundationNetworking
import Synchronization

/// A task that exchanges messages with a server by the WebSocket protocol (RFC 6455).
///
/// ```swift
/// let task = session.webSocketTask(with: url)
/// task.resume()
/// try await task.send(.string("hello"))
/// let answer = try await task.receive()
/// task.cancel(with: .normalClosure, reason: nil)
/// ```
///
/// Messages sent before the connection is open wait for it. When a task ends, it calls in this order: the waiting
/// completion handlers, the delegate's `didCloseWith` if the server has sent a close frame, and `didCompleteWithError`.
/// After that, and after the closing has begun, calls on the task fail: with the error that the task has ended with, or
/// with `POSIXError.Code.ENOTCONN` if it has ended without one. Messages that arrived before the end can still be
/// received.
///
/// The handshake follows redirects. The delegates are asked by the same methods as for requests whether to trust a
/// server, and for names and passwords, also of a proxy. The handshake's response is the task's
/// ``URLSessionTask/response``; if it does not open the connection, the task fails with
/// `URLError.Code.badServerResponse`.
///
/// - Important: On Linux a suspended task keeps its connection, and sends and reads nothing. Extensions such
///   as compression are not offered, and cookies are neither sent nor stored. HTTP proxies are asked for a
///   tunnel, as for requests.
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
    private struct Properties {
        var maximumMessageSize = 1 << 20
        var closeCode = CloseCode.invalid
        var closeReason: Data?
    }

    private let socket: InProcessWebSocket
    private let properties = Mutex(Properties())

    init(identifier: Int, core: SessionCore, socket: InProcessWebSocket, storage: Storage) {
        self.socket = socket
        super.init(identifier: identifier, core: core, backend: socket, storage: storage)
        LoopActor.perform { [self] in socket.attach(to: self) }
    }

    // MARK: - Messages

    /// Sends a message, after all earlier ones.
    ///
    /// Messages that wait, for the connection to be opened or for the server to read, take memory; a message's handler
    /// indicates when to send the next.
    ///
    /// - Parameters:
    ///   - message: The message, of any length.
    ///   - completionHandler: Called on the delegate queue: with nil when the kernel has taken the message, which does
    ///     not mean that the server has it, or with an error if it was not sent.
    open func send(
        _ message: Message,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        LoopActor.perform { [self] in
            _ = socket.send(message) { result in
                self.deliver(.socket(.answer { completionHandler(result.failure) }))
            }
        }
    }

    /// Sends a message, after all earlier ones.
    ///
    /// See ``send(_:completionHandler:)``. Cancelling the surrounding Swift task ends the wait; a message of which nothing
    /// was sent by then is not sent.
    ///
    /// - Parameter message: The message, of any length.
    /// - Throws: The error with which the task has ended, or `POSIXError.Code.ENOTCONN` when it is closing or closed;
    ///   `URLError.Code.cancelled` when the surrounding Swift task is cancelled.
    open func send(_ message: Message) async throws {
        try await wait { $0.send(message, completion: $1) }
    }

    /// Receives the next message.
    ///
    /// Each call gets one message, in the order of the calls. Without a call, about 64 KiB are read ahead, and then
    /// nothing more, neither a ping nor a close frame, so that the server has to wait.
    ///
    /// - Parameter completionHandler: Called on the delegate queue with the message, or with an error. A message
    ///   longer than ``maximumMessageSize`` ends the task with `POSIXError.Code.EMSGSIZE`, text that is not UTF-8
    ///   and any other breach of the protocol with `POSIXError.Code.EPROTO`, a connection that breaks without a close
    ///   frame with `URLError.Code.networkConnectionLost`; a close frame is `POSIXError.Code.ENOTCONN` here.
    open func receive(
        completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void
    ) {
        LoopActor.perform { [self] in
            _ = socket.receive { result in
                self.deliver(.socket(.answer { completionHandler(result) }))
            }
        }
    }

    /// Waits for the next message.
    ///
    /// See ``receive(completionHandler:)``. Cancelling the surrounding Swift task ends the wait, and no message is lost:
    /// the next call gets the next one. A message that has arrived for this call is returned even then.
    ///
    /// - Returns: The message.
    /// - Throws: The error with which the task has ended, or `POSIXError.Code.ENOTCONN` when it is closed;
    ///   `URLError.Code.cancelled` when the surrounding Swift task is cancelled.
    open func receive() async throws -> Message {
        try await wait { $0.receive($1) }
    }

    /// Sends a ping, after all earlier messages.
    ///
    /// - Parameter pongReceiveHandler: Called on the delegate queue: with nil when the server's pong has arrived, or
    ///   with an error if it will not arrive. The handlers of several pings are called in order.
    open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        LoopActor.perform { [self] in
            _ = socket.ping { result in
                self.deliver(.socket(.answer { pongReceiveHandler(result.failure) }))
            }
        }
    }

    /// Sends a ping, after all earlier messages, and waits for the server's pong.
    ///
    /// See ``sendPing(pongReceiveHandler:)``. Cancelling the surrounding Swift task ends the wait; a ping that was not
    /// sent by then is not sent.
    ///
    /// - Throws: An error if the pong will not arrive; `URLError.Code.cancelled` when the surrounding Swift task is
    ///   cancelled.
    open func sendPing() async throws {
        try await wait { $0.ping(completion: $1) }
    }

    /// Makes a call, and waits for its end or for the cancellation of the surrounding Swift task.
    private func wait<Value: Sendable>(
        for begin: @escaping SocketCall<Value>.Beginning
    ) async throws -> Value {
        let call = SocketCall<Value>(self, socket, begin)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                LoopActor.perform { call.start(continuation) }
            }
        } onCancel: {
            LoopActor.perform { call.cancel() }
        }
    }

    // MARK: - The end

    /// Sends a close frame to the server and ends the task.
    ///
    /// The close frame is sent after all earlier messages. The task completes without error if the server answers it
    /// within 10 seconds, or else with `URLError.Code.timedOut`. Messages that the server sends meanwhile are dropped.
    /// A task that is not open yet completes with `URLError.Code.cancelled`.
    ///
    /// - Parameters:
    ///   - closeCode: The reason as a number. Codes that RFC 6455 §7.4 does not allow to be sent, such as
    ///     ``CloseCode/invalid``, make a close frame without one.
    ///   - reason: The reason as text in UTF-8, of which at most 123 bytes are sent; none without a code.
    open func cancel(with closeCode: CloseCode, reason: Data?) {
        perform { storage in
            guard storage.lifecycle.cancel() != nil else { return nil }
            recordClose(closeCode, reason: reason)
            // In place of the command that would end the task at once, and in its order.
            LoopActor.perform { [socket] in socket.close(closeCode, reason: reason) }
            return nil
        }
    }

    /// The server's reason for the end as a number, or the code passed to ``cancel(with:reason:)``.
    ///
    /// ``CloseCode/invalid`` before, and when the connection has ended otherwise.
    open var closeCode: CloseCode { properties.withLock { $0.closeCode } }

    /// The server's reason for the end as text, or the reason passed to ``cancel(with:reason:)``; nil for none.
    open var closeReason: Data? { properties.withLock { $0.closeReason } }

    /// The maximum length in bytes of a received message.
    ///
    /// Default: 1 MiB. Values below 0 count as 0. Takes effect when it is set before the task is resumed.
    open var maximumMessageSize: Int {
        get { properties.withLock { $0.maximumMessageSize } }
        set { properties.withLock { $0.maximumMessageSize = max(newValue, 0) } }
    }

    func recordClose(_ code: CloseCode, reason: Data?) {
        properties.withLock { properties in
            properties.closeCode = code
            properties.closeReason = reason
        }
    }

    // MARK: - Messages to the app

    override func notify(_ message: Delivery.Message, newByteCount: Int64) {
        if case .socket(.answer(let answer)) = message { return answer() }
        guard let session = storage.withLock({ $0.session }) else { return }
        switch message {
        case .socket(.opened(let chosen)):
            notify(.opened) { (delegate: any URLSessionWebSocketDelegate) in
                delegate.urlSession(session, webSocketTask: self, didOpenWithProtocol: chosen)
            }
        case .socket(.closed(let code, let reason)):
            notify(.closed) { (delegate: any URLSessionWebSocketDelegate) in
                delegate.urlSession(
                    session,
                    webSocketTask: self,
                    didCloseWith: code,
                    reason: reason
                )
            }
        case .completed(let error):
            notifyCompletion(error, in: session)
        case .socket(.answer), .resumed, .progressed, .sent, .sentAnew, .finished, .data, .call:
            break
        }
    }
}

extension URLSessionWebSocketTask {
    /// The reason for the end of a WebSocket connection (RFC 6455 §7.4).
    ///
    /// - Important: On Linux there is one more case than on Apple's systems, for the codes that Apple's type
    ///   holds as raw values without a name.
    public enum CloseCode: RawRepresentable, Hashable, Sendable {
        /// There is no code, as the connection is not closed; 0.
        case invalid
        /// The connection has fulfilled its purpose; 1000.
        case normalClosure
        /// The other end goes away: a server that shuts down, a page that is left; 1001.
        case goingAway
        /// A breach of the protocol; 1002.
        case protocolError
        /// A message of a kind that is not accepted; 1003.
        case unsupportedData
        /// The close frame has no code; 1005, which is never sent.
        case noStatusReceived
        /// There was no close frame; 1006, which is never sent.
        case abnormalClosure
        /// A message whose content is not of its kind, such as text that is not UTF-8; 1007.
        case invalidFramePayloadData
        /// A message against the rules of the other end; 1008.
        case policyViolation
        /// A message that is too long; 1009.
        case messageTooBig
        /// An extension is missing; 1010.
        case mandatoryExtensionMissing
        /// The server cannot continue; 1011.
        case internalServerError
        /// TLS could not be set up; 1015, which is never sent.
        case tlsHandshakeFailure
        /// Any other code from 1 to 65535, such as those from 3000 to 4999, which applications give a meaning;
        /// on Apple's systems a raw value without a case.
        case other(UInt16)

        /// Creates the case of a code.
        ///
        /// - Parameter rawValue: The code; the result is nil for a number below 0 or above 65535.
        public init?(rawValue: Int) {
            guard let code = UInt16(exactly: rawValue) else { return nil }
            self = Self.named.first { $0.rawValue == rawValue } ?? .other(code)
        }

        /// The code as a number.
        public var rawValue: Int {
            switch self {
            case .invalid: 0
            case .normalClosure: 1000
            case .goingAway: 1001
            case .protocolError: 1002
            case .unsupportedData: 1003
            case .noStatusReceived: 1005
            case .abnormalClosure: 1006
            case .invalidFramePayloadData: 1007
            case .policyViolation: 1008
            case .messageTooBig: 1009
            case .mandatoryExtensionMissing: 1010
            case .internalServerError: 1011
            case .tlsHandshakeFailure: 1015
            case .other(let code): Int(code)
            }
        }

        /// The cases that Apple's type has.
        static let named: [Self] = [
            .invalid, .normalClosure, .goingAway, .protocolError, .unsupportedData,
            .noStatusReceived, .abnormalClosure, .invalidFramePayloadData, .policyViolation,
            .messageTooBig, .mandatoryExtensionMissing, .internalServerError, .tlsHandshakeFailure,
        ]
    }
}

extension URLSessionWebSocketTask {
    /// A message of the WebSocket protocol.
    public enum Message: Hashable, Sendable {
        /// Bytes.
        case data(Data)
        /// Text, which is sent as UTF-8.
        case string(String)
    }

    /// The messages of the task, besides its end.
    enum News: Sendable {
        /// The connection is open.
        case opened(protocol: String?)
        /// Both ends have sent a close frame.
        case closed(CloseCode, reason: Data?)
        /// The result of a call.
        case answer(@Sendable () -> Void)
    }
}

extension WebSocketMessage {
    init(_ message: URLSessionWebSocketTask.Message) {
        switch message {
        case .data(let data): self = .binary(Array(data))
        case .string(let text): self = .text(text)
        }
    }
}

extension URLSessionWebSocketTask.Message {
    init(_ message: WebSocketMessage) {
        switch message {
        case .binary(let bytes): self = .data(Data(bytes))
        case .text(let text): self = .string(text)
        }
    }
}
