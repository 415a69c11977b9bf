import Foundation
public import FoundationNetworking
import Synchronization

/// A class that loads the data of a URL; an app's subclasses answer requests themselves.
///
/// List your classes in ``URLSessionConfiguration/protocolClasses``, or register them with ``registerClass(_:)``. The
/// first class that can load a task gets it. Each object lives on a thread of its own.
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

    /// Has a class asked whether it can load requests, before all that were registered earlier.
    ///
    /// ``URLSession/shared`` asks the classes that are registered when a task is made. A new default or ephemeral
    /// configuration begins with them in its ``URLSessionConfiguration/protocolClasses``; sessions and configurations
    /// that exist already stay as they are. Background sessions never ask a class. A class that is registered again
    /// moves to the front.
    ///
    /// - Parameter protocolClass: A subclass of this class, or of FoundationNetworking's.
    /// - Returns: false for another class, which is not registered.
    /// - Important: On Linux this list is Ferry's own. A class that code without Ferry registers with
    ///   `FoundationNetworking.URLProtocol` is not in it: that library does not say which those are.
    @discardableResult
    open override class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard let type = protocolClass as? FoundationNetworking.URLProtocol.Type else {
            return false
        }
        ProtocolClass.register(type)
        return true
    }

    /// Has a class that was registered asked no longer.
    ///
    /// Configurations that were made meanwhile, and sessions with them, keep it in their `protocolClasses`.
    ///
    /// - Parameter protocolClass: The class; nothing happens if it was not registered.
    open override class func unregisterClass(_ protocolClass: AnyClass) {
        ProtocolClass.unregister(protocolClass)
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
