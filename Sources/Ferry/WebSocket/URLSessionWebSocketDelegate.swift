public import Foundation

/// What a WebSocket task tells.
///
/// The order for one task is: `didOpenWithProtocol`, `didCloseWith`, and `didCompleteWithError` at last. A task
/// whose connection was not opened, or has ended without a goodbye of the server's, skips what has not happened.
/// Both methods are called on ``URLSession/delegateQueue``, and need not be implemented.
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

    /// Tells the delegate that the server has said goodbye, by itself or in answer to
    /// ``URLSessionWebSocketTask/cancel(with:reason:)``.
    ///
    /// Called after the messages that came before, as soon as the last of them was asked for. In a task that was
    /// never asked for a message, nothing is waited for.
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
    /// Does nothing: of a task's own delegate, the session's is told in its place.
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
        DelegateForms.noteDefault(.opened, of: self)
    }

    /// Does nothing: of a task's own delegate, the session's is told in its place.
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
        DelegateForms.noteDefault(.closed, of: self)
    }
}
