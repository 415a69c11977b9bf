import FerrySystem
public import Foundation
public import FoundationNetworking
import Synchronization

/// Responses that are kept, in memory and on disk, with the requests that they answer.
///
/// Foundation's cache, with corrections: Foundation's has one response for all queries of a path, for `http` and
/// `https`, and for `/a%2Fb` and `/a/b`; it does not store a URL that is long or ends in a slash; and it traps when it
/// evicts a response that was stored twice, or reads user info that holds anything but plain values. A subclass that
/// overrides `cachedResponse(for:)` and its siblings receives each request unchanged.
///
/// ```swift
/// let cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 100 << 20, diskPath: nil)
/// configuration.urlCache = cache
/// ```
///
/// - Note: On Linux it is a separate class, a subclass of FoundationNetworking's. An object from code that imports only
///   FoundationNetworking can be cast to it if it is one.
open class URLCache: FoundationNetworking.URLCache, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; Foundation's is declared so, too.

    /// Makes removing and storing one step: otherwise Foundation would list a response twice.
    private let lock = Mutex(())

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: How many bytes it may hold in memory.
    ///   - diskCapacity: How many bytes it may hold on disk.
    ///   - path: Its directory; nil for one named after the process in `~/.cache`.
    public override init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        super.init(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, diskPath: path)
    }

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: How many bytes it may hold in memory.
    ///   - diskCapacity: How many bytes it may hold on disk.
    ///   - directory: Its directory; nil for one named after the process in `~/.cache`.
    public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
        self.init(
            memoryCapacity: memoryCapacity,
            diskCapacity: diskCapacity,
            diskPath: directory?.path
        )
    }

    /// Returns the response that is stored for a request's URL; nil if there is none.
    ///
    /// Reads the disk, and blocks while it does.
    open override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let key = CacheKey(request) else { return nil }
        return lock.withLock { _ in
            super.cachedResponse(for: key.request).flatMap { key.takeOff($0) }
        }
    }

    /// Stores a response for a request's URL, replacing any earlier one.
    ///
    /// Writes the disk, and blocks while it does. User info is written to disk if all of it is text, data, dates and
    /// numbers under string keys; otherwise it stays in memory with its response.
    open override func storeCachedResponse(
        _ cachedResponse: CachedURLResponse,
        for request: URLRequest
    ) {
        guard let key = CacheKey(request) else { return }
        lock.withLock { _ in
            super.removeCachedResponse(for: key.request)
            super.storeCachedResponse(key.putOn(cachedResponse), for: key.request)
        }
    }

    /// Removes the response that is stored for a request's URL.
    open override func removeCachedResponse(for request: URLRequest) {
        guard let key = CacheKey(request) else { return }
        lock.withLock { _ in
            // If two URLs have the same key, the stored response may be the other's.
            guard let there = super.cachedResponse(for: key.request), key.takeOff(there) != nil
            else { return }
            super.removeCachedResponse(for: key.request)
        }
    }

    // MARK: - Tasks

    /// Stores a response for a data task's current request.
    ///
    /// - Note: On Linux a session calls `storeCachedResponse(_:for:)` with a request, and not this method.
    open func storeCachedResponse(
        _ cachedResponse: CachedURLResponse,
        for dataTask: URLSessionDataTask
    ) {
        guard let request = dataTask.currentRequest else { return }
        storeCachedResponse(cachedResponse, for: request)
    }

    /// Looks up the response to a data task's current request.
    ///
    /// - Parameters:
    ///   - dataTask: The task.
    ///   - completionHandler: Called on another thread, with nil where there is none.
    open func getCachedResponse(
        for dataTask: URLSessionDataTask,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        // Looked up after the changes that sessions have queued; the handler is the app's, and may take long.
        ResponseCache.queue.perform { [self] in
            let found = dataTask.currentRequest.flatMap { cachedResponse(for: $0) }
            DispatchQueue.global().async { completionHandler(found) }
        }
    }

    /// Removes the response to a data task's current request.
    open func removeCachedResponse(for dataTask: URLSessionDataTask) {
        guard let request = dataTask.currentRequest else { return }
        removeCachedResponse(for: request)
    }
}

extension FoundationNetworking.URLCache {
    /// The cache of the process, which default sessions use.
    ///
    /// Default: 4 MB in memory, and 20 MB on disk in a directory named after the process in `~/.cache`. Code that
    /// imports only FoundationNetworking has the same cache; one that such code has set is replaced by a cache of the
    /// same capacities when Ferry's is first accessed.
    public class var shared: URLCache {
        get {
            sharedLock.withLock { _ in
                let present = FoundationNetworking.URLCache.FoundationNetworking::shared
                if let own = present as? URLCache { return own }
                let own = URLCache(
                    memoryCapacity: present.memoryCapacity,
                    diskCapacity: present.diskCapacity,
                    diskPath: nil
                )
                FoundationNetworking.URLCache.FoundationNetworking::shared = own
                return own
            }
        }
        set {
            sharedLock.withLock { _ in
                FoundationNetworking.URLCache.FoundationNetworking::shared = newValue
            }
        }
    }
}

private let sharedLock = Mutex(())
