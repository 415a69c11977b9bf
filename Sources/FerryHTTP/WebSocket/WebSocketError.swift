/// An error of a WebSocket connection, or of a call on one.
package struct WebSocketError: Error, Hashable, Sendable {
    /// The class of a failure, for programs to act on.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The connection could not be made, or broke, or timed out; the cause says which.
        case transport
        /// The server has answered, but not by opening a WebSocket connection.
        case refused
        /// The server has broken the protocol, or sent text that is not UTF-8.
        case protocolViolation
        /// The server's message is longer than allowed.
        case messageTooBig
        /// The connection has ended normally.
        case notConnected
        /// The owner has ended the connection.
        case cancelled
    }

    /// The failure's class.
    package var code: Code
    /// A human-readable description of the failure.
    package var message: String
    /// The error of the connection; only for ``Code/transport``.
    package var cause: HTTPError?

    /// Makes an error from its parts.
    package init(code: Code, message: String, cause: HTTPError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Makes an error from an error of the connection.
    init(_ cause: HTTPError) {
        self.init(code: .transport, message: cause.message, cause: cause)
    }
}

extension WebSocketError {
    static let notConnected = WebSocketError(
        code: .notConnected,
        message: "The WebSocket connection is closed"
    )
    static let cancelled = WebSocketError(
        code: .cancelled,
        message: "The WebSocket connection was cancelled"
    )
}
