public import Foundation
public import FoundationNetworking

extension URLSession {
    /// A task that gets what a request asks for, and hands it to the delegate.
    ///
    /// - Parameter request: A request for `http`, `https`, `file` or `data`; another scheme fails with
    ///   `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        core.makeDataTask(request, of: self)
    }

    /// A task that gets what is at a URL, and hands it to the delegate.
    ///
    /// - Parameter url: A URL; see ``dataTask(with:)-(URLRequest)``.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// A task that gets what a request asks for, and hands it to a closure.
    ///
    /// - Parameters:
    ///   - request: A request for `http`, `https`, `file` or `data`.
    ///   - completionHandler: Called on the delegate queue with the body, the response and the error: the body
    ///     is nil where there is an error, and the response where none has come.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        core.makeDataTask(request, of: self, for: .handler(completionHandler))
    }

    /// A task that gets what is at a URL, and hands it to a closure.
    ///
    /// - Parameters:
    ///   - url: A URL.
    ///   - completionHandler: Called on the delegate queue with the body, the response and the error.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }
}
