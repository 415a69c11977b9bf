import FerrySystem
import FerryTransfer
public import Foundation
public import FoundationNetworking
import Synchronization

/// Responses that are kept, in memory and on disk, with the requests that they answer.
///
/// Each URL has a response of its own, whatever its query, its scheme or its length. A lookup, a storing and a removal
/// take the same time however many responses there are. Where there is no room, those that were used least recently
/// are removed. Processes may share a directory. The calls may come from any thread.
///
/// A subclass that overrides `cachedResponse(for:)` and its siblings receives each request unchanged.
///
/// ```swift
/// let cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 100 << 20, diskPath: nil)
/// configuration.urlCache = cache
/// ```
///
/// - Note: On Linux it is a separate class, a subclass of FoundationNetworking's, whose storage it does not use. An
///   object from code that imports only FoundationNetworking can be cast to it if it is one.
open class URLCache: FoundationNetworking.URLCache, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; Foundation's is declared so, too.

    private let contents: Mutex<CacheContents>
    // Beside the lock, which is held while the disk is read: the event loop asks for them.
    private let memoryLimit: Atomic<Int>
    private let diskLimit: Atomic<Int>
    /// Whether it has or had room on disk: its lock may still be held for work there.
    private let hasUsedDisk: Atomic<Bool>
    private let ownQueue = BlockingQueue(label: "ferry.cache")

    /// Where sessions use the cache, so that a disk that hangs delays no other cache's tasks.
    var queue: BlockingQueue {
        // A class of the app's may do anything.
        let mayHang = hasUsedDisk.load(ordering: .relaxed) || type(of: self) != URLCache.self
        return mayHang ? ownQueue : ResponseCache.memoryQueue
    }

    private var limits: CacheContents.Limits {
        .init(
            memory: memoryLimit.load(ordering: .relaxed),
            disk: diskLimit.load(ordering: .relaxed)
        )
    }

    /// Makes a cache, which touches the disk only when it is used.
    ///
    /// - Parameters:
    ///   - memoryCapacity: How many bytes it may hold in memory.
    ///   - diskCapacity: How many bytes it may hold on disk. With 0 or less it does not look at the disk.
    ///   - path: Its directory; nil for one named after the process in `~/.cache`. The responses are in a directory
    ///     `io.ferry.responses` in it, which no other user can read.
    public override init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        let path = path.map { URL(fileURLWithPath: $0).path } ?? Self.defaultPath
        contents = Mutex(CacheContents(disk: CacheDisk(path: path)))
        memoryLimit = Atomic(memoryCapacity)
        diskLimit = Atomic(diskCapacity)
        hasUsedDisk = Atomic(diskCapacity > 0)
        // Foundation's storage reads its whole directory for a miss: it gets none, as this one cannot be created.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null/cache")
    }

    /// Makes a cache with the capacities and the directory that the shared one has by default.
    public convenience init() {
        self.init(memoryCapacity: 4 << 20, diskCapacity: 20 << 20, diskPath: nil)
    }

    /// Makes a cache, which touches the disk only when it is used.
    ///
    /// - Parameters:
    ///   - memoryCapacity: How many bytes it may hold in memory.
    ///   - diskCapacity: How many bytes it may hold on disk. With 0 or less it does not look at the disk.
    ///   - directory: Its directory; nil for one named after the process in `~/.cache`.
    public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
        self.init(
            memoryCapacity: memoryCapacity,
            diskCapacity: diskCapacity,
            diskPath: directory?.path
        )
    }

    /// The directory that Foundation's cache has by default, too.
    private static var defaultPath: String {
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        let component = String(name.map { "/\\:".contains($0) ? "_" : $0 })
        return BaseDirectories().cacheHome + "/org.swift.foundation.URLCache/" + component
    }

    // MARK: - Responses

    /// Returns the response that is stored for a request's URL; nil if there is none.
    ///
    /// Reads the disk, and blocks while it does.
    open override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let key = CacheKey(request) else { return nil }
        return contents.withLock { $0.response(for: key, within: limits) }?.response
    }

    /// Stores a response for a request's URL, replacing any earlier one.
    ///
    /// Writes the disk, and blocks while it does. User info is written to disk if all of it is text, data, dates and
    /// numbers under string keys; otherwise it stays in memory with its response. So does a response of a class of the
    /// app's. What there is no room for is not stored.
    open override func storeCachedResponse(
        _ cachedResponse: CachedURLResponse,
        for request: URLRequest
    ) {
        guard let key = CacheKey(request) else { return }
        let kept = KeptResponse(cachedResponse)
        contents.withLock { $0.store(kept, for: key, within: limits) }
    }

    /// Removes the response that is stored for a request's URL.
    open override func removeCachedResponse(for request: URLRequest) {
        guard let key = CacheKey(request) else { return }
        contents.withLock { $0.remove(key, within: limits) }
    }

    /// Removes all responses, also those that other processes have stored in the directory.
    ///
    /// Other processes, and other objects with the same directory, keep what they have in memory. They may answer
    /// requests with it until it is stale, and a server's 304 has them store it on disk again. So does a task of this
    /// process that is asking the server about a stored response meanwhile. It is the same with the methods that remove
    /// single responses. Where something cannot be removed, as on a file system that can only be
    /// read, the object does not use the disk until everything has been removed, by this method or by a later lookup or
    /// storing, which tries it once a minute.
    open override func removeAllCachedResponses() {
        contents.withLock { $0.removeAll(within: limits) }
    }

    /// Removes the responses that were stored after a date.
    ///
    /// Looks at each file, and blocks while it does.
    open override func removeCachedResponses(since date: Date) {
        contents.withLock { $0.removeAll(since: date, within: limits) }
    }

    // MARK: - Room

    /// How many bytes the cache may hold in memory.
    ///
    /// Where it holds more, those that were used least recently are removed.
    open override var memoryCapacity: Int {
        get { limits.memory }
        set {
            contents.withLock { contents in
                memoryLimit.store(newValue, ordering: .relaxed)
                contents.evictFromMemory(to: newValue)
            }
        }
    }

    /// How many bytes the cache may hold on disk.
    ///
    /// Where it holds more, those that were used least recently are removed; setting it blocks until they are. With 0
    /// or less, the cache does not look at the disk from then on.
    open override var diskCapacity: Int {
        get { limits.disk }
        set {
            contents.withLock { contents in
                if newValue > 0 { hasUsedDisk.store(true, ordering: .relaxed) }
                let former = diskLimit.exchange(newValue, ordering: .relaxed)
                // Without room, now or before, there is nothing of its own: it may be another cache's.
                if newValue < former, former > 0 { contents.evictFromDisk(to: newValue) }
            }
        }
    }

    /// How many bytes the responses in memory take, about.
    open override var currentMemoryUsage: Int { contents.withLock { $0.memoryByteCount } }

    /// How many bytes the responses on disk take, each in whole blocks of 4096 bytes, and what is being written.
    ///
    /// What other processes have stored in the directory is counted when it is listed again: when this object has stored
    /// a tenth of its capacity, or has no room. One that only reads does not count it. The first call lists the directory,
    /// and blocks while it does.
    open override var currentDiskUsage: Int {
        contents.withLock { $0.diskByteCount(within: limits) }
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
        queue.perform { [self] in
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
