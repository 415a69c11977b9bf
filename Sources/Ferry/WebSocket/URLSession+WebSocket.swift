public import Foundation
public import FoundationNetworking

extension URLSession {
    /// A task that exchanges messages with the server at a URL.
    ///
    /// - Parameter url: A URL with the scheme `ws`, `wss`, `http` or `https`; another one fails with
    ///   `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        webSocketTask(with: url, protocols: [])
    }

    /// A task that exchanges messages with the server at a URL, by one of several subprotocols.
    ///
    /// - Parameters:
    ///   - url: A URL with the scheme `ws`, `wss`, `http` or `https`; another one fails with
    ///     `URLError.Code.unsupportedURL`.
    ///   - protocols: The subprotocols for the server to choose from, the most welcome first. The delegate's
    ///     `didOpenWithProtocol` tells which one it has chosen. A name that is no token (RFC 9110 §5.6.2) fails with
    ///     `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func webSocketTask(
        with url: URL,
        protocols: [String]
    ) -> URLSessionWebSocketTask {
        core.makeWebSocketTask(for: URLRequest(url: url), protocols: protocols, of: self)
    }

    /// A task that exchanges messages with a server.
    ///
    /// The request's fields are sent with the handshake, apart from those that the handshake itself needs; its
    /// `Sec-WebSocket-Protocol` names the subprotocols. Its method and body mean nothing here. Its time-out, or
    /// else ``URLSessionConfiguration/timeoutIntervalForRequest``, is the longest time in which nothing may happen
    /// until the connection is open.
    ///
    /// - Parameter request: A request whose URL has the scheme `ws`, `wss`, `http` or `https`; another one fails
    ///   with `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        core.makeWebSocketTask(for: request, protocols: [], of: self)
    }
}
