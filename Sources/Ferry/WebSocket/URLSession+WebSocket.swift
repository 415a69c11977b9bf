public import Foundation
public import FoundationNetworking
import Synchronization

extension URLSession {
    /// Creates a task that exchanges messages with the server at a URL.
    ///
    /// - Parameter url: A URL with the scheme `ws`, `wss`, `http` or `https`; another one fails with
    ///   `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        webSocketTask(with: url, protocols: [])
    }

    /// Creates a task that exchanges messages with the server at a URL, by one of several subprotocols.
    ///
    /// - Parameters:
    ///   - url: A URL with the scheme `ws`, `wss`, `http` or `https`; another one fails with
    ///     `URLError.Code.unsupportedURL`.
    ///   - protocols: The subprotocols for the server to choose from, in order of preference. The delegate's
    ///     `didOpenWithProtocol` reports the server's choice. A name that is not a token (RFC 9110 §5.6.2) fails with
    ///     `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func webSocketTask(
        with url: URL,
        protocols: [String]
    ) -> URLSessionWebSocketTask {
        core.makeWebSocketTask(for: URLRequest(url: url), protocols: protocols, of: self)
    }

    /// Creates a task that exchanges messages with a server.
    ///
    /// The request's fields are sent with the handshake, apart from those that the handshake itself needs; its
    /// `Sec-WebSocket-Protocol` names the subprotocols. Its method and body are ignored. Its time-out, or else
    /// ``URLSessionConfiguration/timeoutIntervalForRequest``, is the idle time-out until the connection is open.
    ///
    /// - Parameter request: A request whose URL has the scheme `ws`, `wss`, `http` or `https`; another one fails
    ///   with `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        core.makeWebSocketTask(for: request, protocols: [], of: self)
    }
}

extension SessionCore {
    /// Makes a WebSocket task and notifies the delegate.
    func makeWebSocketTask(
        for request: URLRequest,
        protocols: [String],
        of session: URLSession
    ) -> URLSessionWebSocketTask {
        let engine = requireForeground("WebSocket tasks are not supported in background sessions.")
            .engine
        let specification = Result { () throws(URLError) in
            if case .failure(let error) = engine.ownIdentity {
                throw URLError(error, url: request.url)
            }
            return try WebSocketTaskSpecification(
                request,
                protocols: protocols,
                configuration: configuration
            )
        }
        let handle = handle ?? session
        let task = state.withLock { state in
            precondition(
                state.condition == .active,
                "Attempted to create a task in a session that has been invalidated."
            )
            var storage = URLSessionTask.Storage(
                session: handle,
                originalRequest: request,
                currentRequest: request.completed(by: configuration)
            )
            storage.deliveries.hold()
            let task = URLSessionWebSocketTask(
                identifier: backend.reserveTask().identifier,
                core: self,
                socket: InProcessWebSocket(specification, engine),
                storage: storage
            )
            state.tasks[task.taskIdentifier] = task
            return task
        }
        notifyCreated(task, of: handle)
        return task
    }
}
