public import Foundation
public import FoundationNetworking

extension URLSession {
    /// Creates a task that loads the contents of a request's URL and delivers them to the delegate.
    ///
    /// - Parameter request: A request for `http`, `https`, `file` or `data`; another scheme fails with
    ///   `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        core.makeDataTask(request, of: self)
    }

    /// Creates a task that loads the contents of a URL and delivers them to the delegate.
    ///
    /// - Parameter url: A URL; see ``dataTask(with:)-(URLRequest)``.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// Creates a task that loads the contents of a request's URL and passes them to a closure.
    ///
    /// - Parameters:
    ///   - request: A request for `http`, `https`, `file` or `data`.
    ///   - completionHandler: Called on the delegate queue with the body, the response and the error: the body is nil
    ///     if there is an error, and the response if none was received.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        core.makeDataTask(request, of: self, for: .handler(completionHandler))
    }

    /// Creates a task that loads the contents of a URL and passes them to a closure.
    ///
    /// - Parameters:
    ///   - url: A URL.
    ///   - completionHandler: Called on the delegate queue with the body, the response and the error.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }
}
