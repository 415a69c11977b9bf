import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// The cache of a default or ephemeral session, which its data tasks use on the event loop.
///
/// A task calls ``lookUp(_:policy:then:)`` first and follows the plan. If the plan is to fetch, the lookup's
/// transaction judges the response, and the task continues with ``store(_:as:for:)``,
/// ``freshen(_:as:isKept:for:)`` or ``invalidate(_:)``. Later lookups see the results of earlier calls.
final class ResponseCache: Sendable {
    /// The result of a lookup.
    struct Lookup: Sendable {
        /// Judges the server's response, if one is fetched.
        var transaction: CacheTransaction
        var plan: CacheTransaction.Plan
        /// The stored response; nil if it may not be used for this request in any way.
        var entry: CacheEntry?
    }

    /// The queue of all caches in the process, as sessions share them: see ``URLCacheStorage``.
    static let queue = BlockingQueue(label: "ferry.cache")

    /// Called each time: an app may replace the shared cache, and making it reads the disk.
    private let cache: @Sendable () -> URLCache?
    private let now: @Sendable () -> HTTPDate

    init(
        cache: @escaping @Sendable () -> URLCache?,
        now: @escaping @Sendable () -> HTTPDate = { .now }
    ) {
        self.cache = cache
        self.now = now
    }

    /// The cache of a session.
    convenience init(configuration: URLSessionConfiguration.Values) {
        let store = configuration.urlCache
        self.init(cache: { store.cache })
    }

    /// Looks up a request and decides how it is answered.
    ///
    /// - Parameters:
    ///   - request: The request with all fields that are sent, including cookies.
    ///   - policy: How the app wants the request to be answered.
    ///   - completion: Called later, on the loop.
    @LoopActor
    func lookUp(
        _ request: TransferRequest,
        policy: CachePolicy,
        then completion: @escaping @LoopActor @Sendable (Lookup) -> Void
    ) {
        let transaction = CacheTransaction(request: request, policy: policy)
        Self.queue.perform { [cache, now] in
            // Always made, so that the cache exists when the loop needs its size.
            let storage = cache().map { URLCacheStorage(cache: $0) }
            let entry = transaction.needsLookup ? storage?.entry(for: request) : nil
            var lookup = Lookup(transaction: transaction, plan: .fail, entry: nil)
            lookup.plan = lookup.transaction.lookedUp(entry?.stored, at: now())
            lookup.entry = lookup.transaction.isUsingStored ? entry : nil
            LoopActor.perform { [lookup] in completion(lookup) }
        }
    }

    /// The longest body that is stored; a task need not keep a longer one for the cache.
    ///
    /// A twentieth of the larger of the capacities on disk and in memory. Apple: a response must be no larger than
    /// about 5 % of the disk cache.
    @LoopActor
    var greatestBodyByteCount: Int {
        cache().map { max($0.diskCapacity, $0.memoryCapacity) / 20 } ?? 0
    }

    /// The response that the app's delegate is asked about; nil if it would not be stored anyway.
    ///
    /// - Parameters:
    ///   - proposed: The response that the transaction proposes to store.
    ///   - data: The whole body, as the app got it.
    /// - Returns: The response for `willCacheResponse`.
    @LoopActor
    func makeProposedResponse(_ proposed: StoredResponse, data: Data) -> CachedURLResponse? {
        guard data.count <= greatestBodyByteCount, greatestBodyByteCount > 0,
            let response = HTTPURLResponse.make(proposed.head)
        else { return nil }
        return CachedURLResponse(
            response: response,
            data: data,
            storagePolicy: proposed.hasSecrets ? .allowedInMemoryOnly : .allowed
        )
    }

    /// Stores the delegate's version of a proposed response.
    ///
    /// - Parameters:
    ///   - response: Its answer; nil, or one that may not be stored, removes the stored response.
    ///   - proposed: The response that the transaction proposed to store.
    ///   - url: The URL of the request.
    @LoopActor
    func store(_ response: CachedURLResponse?, as proposed: StoredResponse, for url: String) {
        guard let response, response.storagePolicy != .notAllowed else { return invalidate([url]) }
        keep(CacheEntry(stored: proposed, response: response), for: url)
    }

    /// Updates a stored response with a 304.
    ///
    /// - Parameters:
    ///   - entry: The entry that the lookup found.
    ///   - freshened: The response that the transaction says to use in its place.
    ///   - isKept: Whether to store it, as the transaction says.
    ///   - url: The URL of the request.
    /// - Returns: The response that the app gets.
    @LoopActor
    func freshen(
        _ entry: CacheEntry,
        as freshened: StoredResponse,
        isKept: Bool,
        for url: String
    ) -> CachedURLResponse {
        let old = entry.response
        let response = CachedURLResponse(
            response: HTTPURLResponse.make(freshened.head) ?? old.response,
            data: old.data,
            userInfo: old.userInfo,
            storagePolicy: old.storagePolicy
        )
        if isKept {
            keep(CacheEntry(stored: freshened, response: response), for: url)
        } else {
            invalidate([url])
        }
        return response
    }

    /// Removes the responses to URLs, as the transaction says.
    @LoopActor
    func invalidate(_ urls: [String]) {
        guard !urls.isEmpty else { return }
        Self.queue.perform { [cache] in
            guard let storage = cache().map({ URLCacheStorage(cache: $0) }) else { return }
            for url in urls { storage.remove(url) }
        }
    }

    /// Calls `body` on the loop when all changes so far have been made.
    @LoopActor
    func afterChanges(_ body: @escaping @LoopActor @Sendable () -> Void) {
        Self.queue.perform { LoopActor.perform { body() } }
    }

    /// Returns the error of a request that only the cache may answer, when it cannot.
    static func failure(of request: TransferRequest) -> URLError {
        URLError(.resourceUnavailable, url: URL(string: request.url))
    }

    private func keep(_ entry: CacheEntry, for url: String) {
        Self.queue.perform { [cache] in
            guard let cache = cache() else { return }
            URLCacheStorage(cache: cache).store(entry, for: url)
        }
    }
}
