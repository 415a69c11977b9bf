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

    /// The queue of the caches that are in memory only: there may be one for each session, and none hangs.
    static let memoryQueue = BlockingQueue(label: "ferry.cache")

    /// Called each time, as an app may replace the shared cache.
    private let cache: @Sendable () -> URLCache?
    private let now: @Sendable () -> HTTPDate
    /// Where the cache is made; nil when it was made.
    @LoopActor private var making: BlockingQueue?

    /// The cache of a session.
    ///
    /// - Parameters:
    ///   - making: Where `cache` is called until it has returned once; nil if it has nothing to make.
    ///   - cache: Returns the cache.
    ///   - now: Returns the time.
    init(
        making: BlockingQueue? = nil,
        cache: @escaping @Sendable () -> URLCache?,
        now: @escaping @Sendable () -> HTTPDate = { .now }
    ) {
        self.making = making
        self.cache = cache
        self.now = now
    }

    /// The cache of a session.
    convenience init(configuration: URLSessionConfiguration.Values) {
        let store = configuration.urlCache
        let making: BlockingQueue? =
            switch store {
            // Foundation's looks at its directory, which may hang.
            case .shared: BlockingQueue(label: "ferry.cache")
            case .ephemeral: Self.memoryQueue
            case .own: nil
            }
        self.init(making: making, cache: { store.cache })
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
        perform { [now] storage in
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

    /// Looks up what is stored for a request that one of the app's classes loads, and judges itself.
    ///
    /// What is stored with the secrets of another request is not found.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completion: Called later, on the loop.
    @LoopActor
    func lookUp(
        _ request: URLRequest,
        then completion: @escaping @LoopActor @Sendable (KeptResponse?) -> Void
    ) {
        perform { storage in
            let found = storage?.cache.cachedResponse(for: request)
            let isSecret =
                found?.storagePolicy == .allowedInMemoryOnly
                && CacheRecord(userInfo: found?.userInfo) != nil
            let kept = isSecret ? nil : found.map { KeptResponse($0) }
            LoopActor.perform { completion(kept) }
        }
    }

    /// Stores the response of one of the app's classes, as the delegate has chosen; nil stores nothing.
    @LoopActor
    func store(_ response: CachedURLResponse?, for request: URLRequest) {
        guard let response, response.storagePolicy != .notAllowed else { return }
        let kept = KeptResponse(response)
        perform { $0?.cache.storeCachedResponse(kept.response, for: request) }
    }

    /// Removes the responses to URLs, as the transaction says.
    @LoopActor
    func invalidate(_ urls: [String]) {
        guard !urls.isEmpty else { return }
        perform { storage in
            for url in urls { storage?.remove(url) }
        }
    }

    /// Calls `body` on the loop when all changes so far have been made.
    @LoopActor
    func afterChanges(_ body: @escaping @LoopActor @Sendable () -> Void) {
        perform { _ in LoopActor.perform { body() } }
    }

    /// Returns the error of a request that only the cache may answer, when it cannot.
    static func failure(of request: TransferRequest) -> URLError {
        URLError(
            .resourceUnavailable,
            url: URL(string: request.url),
            reason: "The request may be answered by the cache only, which has no response to it."
        )
    }

    @LoopActor
    private func keep(_ entry: CacheEntry, for url: String) {
        perform { $0?.store(entry, for: url) }
    }

    /// Performs work on the cache's queue, after all earlier work but lookups before the cache was made.
    ///
    /// Changes follow a lookup, and when the first one has its result, the loop goes to the cache's queue itself.
    @LoopActor
    private func perform(_ work: @escaping @Sendable (URLCacheStorage?) -> Void) {
        guard let making else { return Self.perform(work, on: cache()) }
        // Always made, so that the cache exists when the loop needs its size.
        making.perform { [self] in
            let cache = cache()
            LoopActor.perform { self.making = nil }
            Self.perform(work, on: cache)
        }
    }

    private static func perform(
        _ work: @escaping @Sendable (URLCacheStorage?) -> Void,
        on cache: URLCache?
    ) {
        let queue = cache?.queue ?? memoryQueue
        queue.perform { work(cache.map { URLCacheStorage(cache: $0) }) }
    }
}
