import FerrySystem
public import Foundation
public import FoundationNetworking
import Synchronization

/// Responses that are kept, in memory and on disk, with the requests that they answer.
///
/// Foundation's cache, with what it gets wrong put right: it has one response for all queries of a path, for
/// `http` and `https`, and for `/a%2Fb` and `/a/b`; it does not store a URL that is long or ends in a slash; and it
/// traps when it evicts what was stored twice, or reads user info that holds anything but plain values. A
/// class that overrides `cachedResponse(for:)` and its siblings is told each request as it is.
///
/// ```swift
/// let cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 100 << 20, diskPath: nil)
/// configuration.urlCache = cache
/// ```
///
/// - Note: It is a class of its own on Linux, and FoundationNetworking's is its superclass. What you get from
///   code that imports FoundationNetworking alone can be cast to it where it is one.
open class URLCache: FoundationNetworking.URLCache, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; Foundation's is declared so, too.

    /// What is there is removed and replaced as one step: Foundation would enter it twice.
    private let lock = Mutex(())

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: How many bytes it may hold in memory.
    ///   - diskCapacity: How many bytes it may hold on disk.
    ///   - path: Its directory; nil for one of the process's name in `~/.cache`.
    public override init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        super.init(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, diskPath: path)
    }

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: How many bytes it may hold in memory.
    ///   - diskCapacity: How many bytes it may hold on disk.
    ///   - directory: Its directory; nil for one of the process's name in `~/.cache`.
    public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
        self.init(
            memoryCapacity: memoryCapacity,
            diskCapacity: diskCapacity,
            diskPath: directory?.path
        )
    }

    /// The response that is stored for a request's URL; nil where there is none.
    ///
    /// It reads the disk, and blocks for that long.
    open override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let key = CacheKey(request) else { return nil }
        return lock.withLock { _ in
            super.cachedResponse(for: key.request).flatMap { key.takeOff($0) }
        }
    }

    /// Stores a response for a request's URL, in place of what is there.
    ///
    /// It writes the disk, and blocks for that long. User info goes to the disk where all of it is text, data,
    /// dates and numbers under names, and stays in memory with its response otherwise.
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

    /// Removes what is stored for a request's URL.
    open override func removeCachedResponse(for request: URLRequest) {
        guard let key = CacheKey(request) else { return }
        lock.withLock { _ in
            // Where two URLs have one key, what is there may be the other's.
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
        // Looked up behind what sessions have stored; the handler is the app's, and may take its time.
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
    /// Default: 4 MB in memory, and 20 MB on disk in a directory of the process's name in `~/.cache`. It is the
    /// same for code that imports FoundationNetworking alone; what that had set is replaced by a cache of the
    /// same capacities the first time when Ferry is asked for it.
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
