import FerrySystem
import FerryTransfer
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

/// The access of Ferry's sessions to a ``URLCache``, which may be a subclass of the app's.
///
/// Its calls block. Findings about the toolchain's cache (6.3), by tests that fail when it changes:
/// - It does not distinguish all URLs: ``CacheKey``.
/// - A response that is stored a second time under its key is listed a second time in the eviction order. When
///   that entry's turn comes, there is nothing to evict, and the process traps.
/// - A response that replaces another, but is too large for the memory or may be stored only there, leaves the
///   former one in the place where it is not stored itself, and the former one is then found.
/// - After the clock has been set back, the former response is kept and the new one removed.
///
///   So the former response is removed before another is stored.
/// - User info with anything but plain values traps, when it is stored or when it is read from disk.
/// - A cache without room on disk still reads and removes the files in its directory; without a path that is the
///   directory of the shared cache: ``URLSessionConfiguration/EphemeralStores``.
/// - Its files can be read by every user who can enter the directory (mode 644), so responses with secrets are
///   stored in memory only.
/// - It reads its whole directory for every miss (14 ms for a thousand responses), and the size of every file to
///   store something (100 ms), so all of this runs on ``ResponseCache/queue`` and not on the event loop.
struct URLCacheStorage {
    let cache: URLCache

    /// Returns the entry for a request, if there is one.
    func entry(for request: TransferRequest) -> CacheEntry? {
        guard let plain = Self.request(request.url),
            let response = cache.cachedResponse(for: plain)
        else { return nil }
        return CacheEntry(response, for: request)
    }

    /// Stores a response for a URL, replacing any earlier one.
    func store(_ entry: CacheEntry, for url: String) {
        guard let request = Self.request(url), let record = CacheRecord(entry.stored).encoded else {
            return
        }
        let response = entry.response
        let hasSecrets = entry.stored.hasSecrets
        var userInfo = response.userInfo ?? [:]
        userInfo[CacheRecord.key] = record
        cache.storeCachedResponse(
            CachedURLResponse(
                response: response.response,
                data: response.data,
                userInfo: userInfo,
                storagePolicy: hasSecrets ? .allowedInMemoryOnly : response.storagePolicy
            ),
            for: request
        )
    }

    /// Removes the response to a URL.
    func remove(_ url: String) {
        guard let request = Self.request(url) else { return }
        cache.removeCachedResponse(for: request)
    }

    /// Returns a request; nil if the text is not a URL.
    private static func request(_ url: String) -> URLRequest? {
        URL(string: url).map { URLRequest(url: $0) }
    }
}
