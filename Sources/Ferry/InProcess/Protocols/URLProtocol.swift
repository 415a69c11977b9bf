import Foundation
public import FoundationNetworking
import Synchronization

/// A class that loads the data of a URL; an app's subclasses answer requests themselves.
///
/// List your classes in ``URLSessionConfiguration/protocolClasses``. The first class that can load a task gets it. Each
/// object lives on a thread of its own.
///
/// ```swift
/// final class MockProtocol: URLProtocol {
///     override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "mock" }
///     override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
///     override func startLoading() { client?.urlProtocolDidFinishLoading(self) }
///     override func stopLoading() {}
/// }
/// ```
///
/// - Note: On Linux this is a separate class, so that `canInit(with:)` for a task can be overridden. Subclasses of its
///   superclass, FoundationNetworking's class, can be listed as well. A type of yours that conforms to
///   `URLProtocolClient` has to write `FoundationNetworking.URLProtocol` in its methods.
open class URLProtocol: FoundationNetworking.URLProtocol {
    fileprivate let loadedTask = Mutex<URLSessionTask?>(nil)

    /// Creates an object for a task, as `init(request:cachedResponse:client:)` does for its current request.
    ///
    /// - Parameters:
    ///   - task: The task to load.
    ///   - cachedResponse: A stored response that may be used.
    ///   - client: The client that receives the object's reports.
    /// - Note: On Linux a session calls `init(request:cachedResponse:client:)`, and sets `task` afterwards.
    public convenience init(
        task: URLSessionTask,
        cachedResponse: CachedURLResponse?,
        client: (any URLProtocolClient)?
    ) {
        // A task without a request never begins.
        let request = task.currentRequest ?? URLRequest(url: URL(fileURLWithPath: "/"))
        self.init(request: request, cachedResponse: cachedResponse, client: client)
        begin(task)
    }

    /// Whether the class can load a task.
    ///
    /// The default is the result of `canInit(with:)` for its current request. Called when the task is made, on the
    /// thread that makes it, and for each redirect, on another one.
    ///
    /// - Parameter task: The task, which must not be changed.
    /// - Returns: Whether it can.
    open class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest.map { canInit(with: $0) } ?? false
    }

    /// Records the task that the object loads.
    func begin(_ task: URLSessionTask) { loadedTask.withLock { $0 = task } }
}

extension FoundationNetworking.URLProtocol {
    /// The task that is loaded; nil for an object that no session has made.
    public var task: URLSessionTask? {
        (self as? URLProtocol)?.loadedTask.withLock { $0 }
    }
}
