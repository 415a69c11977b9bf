public import Foundation

/// Methods that a session calls on its delegates for WebSocket tasks.
///
/// The order for one task is: `didOpenWithProtocol`, `didCloseWith`, and finally `didCompleteWithError`. If the
/// connection was not opened, or has ended without a close frame of the server, the methods for these events are not
/// called. Both methods are called on ``URLSession/delegateQueue``, and need not be implemented.
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
    /// Tells the delegate that the connection is open.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - webSocketTask: The task.
    ///   - protocol: The subprotocol that the server has chosen; nil for none.
    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    )

    /// Tells the delegate that the server has sent a close frame, by itself or in answer to
    /// ``URLSessionWebSocketTask/cancel(with:reason:)``.
    ///
    /// Called after the messages that arrived before, as soon as the app has asked for the last of them. If the app has
    /// never asked for a message, it is called at once.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - webSocketTask: The task.
    ///   - closeCode: The server's code; ``URLSessionWebSocketTask/CloseCode/noStatusReceived`` if there is none.
    ///   - reason: The server's text; nil for none.
    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    )
}

extension URLSessionWebSocketDelegate {
    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - webSocketTask: The task.
    ///   - protocol: The subprotocol that the server has chosen.
    public func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        DelegateForms.recordDefault(.opened, of: self)
    }

    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - webSocketTask: The task.
    ///   - closeCode: The server's code.
    ///   - reason: The server's text.
    public func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {
        DelegateForms.recordDefault(.closed, of: self)
    }
}
