import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import Ferry

@Suite("The cache of a session", .timeLimit(.minutes(5)))
struct ResponseCacheTests {
    typealias Samples = CacheSamples

    /// A clock that stands until it is moved.
    private final class Clock: Sendable {
        private let time = Mutex(CacheSamples.start)

        var now: HTTPDate { time.withLock { $0 } }

        func advance(by seconds: Int64) {
            time.withLock { $0 = HTTPDate(secondsSince1970: $0.secondsSince1970 + seconds) }
        }
    }

    /// A cache whose disk does not answer until it is told to, or for a long time.
    private final class HangingCache: URLCache, @unchecked Sendable {
        private let answer = DispatchSemaphore(value: 0)
        private let hangs = Atomic(true)
        let asked = DispatchSemaphore(value: 0)

        var isHanging: Bool { hangs.load(ordering: .relaxed) }

        func proceed() { answer.signal() }

        override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
            asked.signal()
            _ = answer.wait(timeout: .now() + 20)
            hangs.store(false, ordering: .relaxed)
            return nil
        }
    }

    private let clock = Clock()
    private let cache: ResponseCache
    private let foundation: URLCache

    init() {
        let foundation = Samples.cache()
        let clock = clock
        self.foundation = foundation
        cache = ResponseCache(cache: { foundation }, now: { clock.now })
    }

    private func lookUp(
        _ request: TransferRequest = Samples.request(),
        _ policy: CachePolicy = .useProtocolCachePolicy,
        in other: ResponseCache? = nil
    ) async -> ResponseCache.Lookup {
        let cache = other ?? cache
        return await withCheckedContinuation { continuation in
            LoopActor.perform {
                cache.lookUp(request, policy: policy) { continuation.resume(returning: $0) }
            }
        }
    }

    private func head(_ fields: [(String, String)], status: Int = 200) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: Samples.url
        )
    }

    private func answer(
        _ lookup: ResponseCache.Lookup,
        _ head: HTTPResponseHead
    ) -> CacheTransaction.Answer {
        var transaction = lookup.transaction
        return transaction.answered(
            with: head,
            usesCredential: false,
            requestTime: clock.now,
            responseTime: clock.now
        )
    }

    /// Loads a resource and has it stored.
    private func load(_ fields: [(String, String)], body: String = "body") async throws {
        let lookup = await lookUp()
        guard case .deliver(let proposed?, let urls) = answer(lookup, head(fields)) else {
            Issue.record("nothing is proposed")
            return
        }
        #expect(urls == [])
        await LoopActor.run { [cache] in
            let response = cache.makeProposedResponse(proposed, data: Data(body.utf8))
            cache.store(response, as: proposed, for: Samples.url)
        }
    }

    private static let tagged = [("ETag", "\"a\""), ("Cache-Control", "max-age=60")]

    // MARK: - A response's life

    @Test func `a response is used until it is stale, and then until it has changed`() async throws
    {
        #expect(await lookUp().plan == .fetch(adding: []))
        try await load(Self.tagged)

        clock.advance(by: 59)
        let fresh = await lookUp()
        #expect(fresh.entry?.response.data == Data("body".utf8))
        guard case .useStored = fresh.plan else {
            Issue.record("\(fresh.plan)")
            return
        }

        clock.advance(by: 1)
        let stale = await lookUp()
        let entry = try #require(stale.entry)
        #expect(stale.plan == .fetch(adding: [HTTPField(name: "If-None-Match", value: "\"a\"")]))
        let confirmation = head([("ETag", "\"a\""), ("Cache-Control", "max-age=5")], status: 304)
        guard case .useStored(let freshened, true) = answer(stale, confirmation) else {
            Issue.record("a 304 does not freshen")
            return
        }
        let response = await LoopActor.run { [cache] in
            cache.freshen(entry, as: freshened, isKept: true, for: Samples.url)
        }
        #expect(response.data == Data("body".utf8))
        let http = try #require(response.response as? HTTPURLResponse)
        #expect(http.statusCode == 200)
        #expect(http.value(forHTTPHeaderField: "Cache-Control") == "max-age=5")

        clock.advance(by: 4)
        let again = await lookUp()
        #expect(again.plan == .useStored(try #require(again.entry?.stored)))
        clock.advance(by: 1)
        guard case .fetch = await lookUp().plan else {
            Issue.record("a response is used longer than the 304 has said")
            return
        }
    }

    @Test func `a confirmation that may not be stored removes the response`() async throws {
        try await load(Self.tagged)
        clock.advance(by: 60)
        let stale = await lookUp()
        let entry = try #require(stale.entry)
        let confirmation = head([("Cache-Control", "no-store")], status: 304)
        guard case .useStored(let freshened, let isKept) = answer(stale, confirmation) else {
            Issue.record("a 304 does not confirm")
            return
        }
        let response = await LoopActor.run { [cache] in
            cache.freshen(entry, as: freshened, isKept: isKept, for: Samples.url)
        }
        #expect(response.data == Data("body".utf8))
        #expect(await lookUp(Samples.request(), .returnCacheDataElseLoad).entry == nil)
    }

    @Test func `a change on the server removes the response`() async throws {
        try await load(Self.tagged)
        var post = Samples.request()
        post.method = "POST"
        let lookup = await lookUp(post)
        #expect(lookup.plan == .fetch(adding: []))
        guard case .deliver(nil, let urls) = answer(lookup, head([], status: 204)) else {
            Issue.record("an answer to POST is proposed")
            return
        }
        await LoopActor.run { [cache] in cache.invalidate(urls) }
        #expect(await lookUp().entry == nil)
    }

    @Test func `what a response varies by is stored with it`() async throws {
        let german = Samples.request(Samples.url, [("Accept-Language", "de")])
        let proposed = try Samples.proposed(Self.tagged + [("Vary", "Accept-Language")], to: german)
        await LoopActor.run { [cache] in
            let response = cache.makeProposedResponse(proposed, data: Data("Hallo".utf8))
            cache.store(response, as: proposed, for: german.url)
        }
        #expect(await lookUp(german).entry != nil)
        let french = Samples.request(Samples.url, [("Accept-Language", "fr")])
        let lookup = await lookUp(french)
        #expect(lookup.entry == nil)
        #expect(lookup.plan == .fetch(adding: []))
    }

    // MARK: - The delegate

    @Test func `DL-13: a response larger than a twentieth of the cache is not stored`() async throws
    {
        let proposed = try Samples.proposed(Self.tagged)
        await LoopActor.run { [cache, foundation] in
            let limit = foundation.diskCapacity / 20
            #expect(cache.greatestBodyByteCount == limit)
            #expect(cache.makeProposedResponse(proposed, data: Data(count: limit)) != nil)
            #expect(cache.makeProposedResponse(proposed, data: Data(count: limit + 1)) == nil)
        }
    }

    @Test func `DL-13: what the delegate does not return is not stored`() async throws {
        try await load(Self.tagged)
        let proposed = try Samples.proposed(Self.tagged)
        await LoopActor.run { [cache] in cache.store(nil, as: proposed, for: Samples.url) }
        #expect(await lookUp().entry == nil)

        try await load(Self.tagged)
        await LoopActor.run { [cache] in
            let forbidden = cache.makeProposedResponse(proposed, data: Data()).map {
                CachedURLResponse(response: $0.response, data: $0.data, storagePolicy: .notAllowed)
            }
            cache.store(forbidden, as: proposed, for: Samples.url)
        }
        #expect(await lookUp().entry == nil)
    }

    @Test func `DL-13: what the delegate has changed is stored as changed`() async throws {
        let proposed = try Samples.proposed([("Cache-Control", "max-age=1")])
        let url = try #require(URL(string: Samples.url))
        let response = try #require(
            HTTPURLResponse(
                url: url,
                statusCode: 200,
                httpVersion: nil,
                headerFields: ["Cache-Control": "max-age=900"]
            )
        )
        let changed = CachedURLResponse(response: response, data: Data("changed".utf8))
        await LoopActor.run { [cache] in cache.store(changed, as: proposed, for: Samples.url) }
        clock.advance(by: 899)
        let lookup = await lookUp()
        #expect(lookup.plan == .useStored(try #require(lookup.entry?.stored)))
        #expect(lookup.entry?.response.data == Data("changed".utf8))
    }

    // MARK: - Policies and kinds of session

    @Test func `a request for the cache alone fails where nothing is stored`() async throws {
        #expect(await lookUp(Samples.request(), .returnCacheDataDontLoad).plan == .fail)
        let error = ResponseCache.failure(of: Samples.request())
        #expect(error.code == .resourceUnavailable)
        #expect(error.code.rawValue == -1008)
        #expect(error.failingURL?.absoluteString == Samples.url)
    }

    @Test func `a session without cache loads everything`() async throws {
        let none = ResponseCache(cache: { nil })
        for policy in CachePolicy.allCases where policy != .returnCacheDataDontLoad {
            let lookup = await lookUp(Samples.request(), policy, in: none)
            guard case .fetch = lookup.plan else {
                Issue.record("\(policy): \(lookup.plan)")
                continue
            }
        }
        let proposed = try Samples.proposed(Self.tagged)
        await LoopActor.run {
            #expect(none.makeProposedResponse(proposed, data: Data()) == nil)
            none.store(nil, as: proposed, for: Samples.url)
        }
    }

    @Test func `BG-13: the cache is that of the configuration`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = foundation
        let session = ResponseCache(configuration: configuration.snapshot)
        await LoopActor.run { #expect(session.greatestBodyByteCount == 10 << 20 / 20) }
        let background = URLSessionConfiguration.background(withIdentifier: "a")
        let none = ResponseCache(configuration: background.snapshot)
        await LoopActor.run { #expect(none.greatestBodyByteCount == 0) }
    }

    @Test(
        arguments: [
            (.useProtocolCachePolicy, .useProtocolCachePolicy),
            (.reloadIgnoringLocalCacheData, .reloadIgnoringLocalCacheData),
            (.reloadIgnoringLocalAndRemoteCacheData, .reloadIgnoringLocalAndRemoteCacheData),
            (.returnCacheDataElseLoad, .returnCacheDataElseLoad),
            (.returnCacheDataDontLoad, .returnCacheDataDontLoad),
            (.reloadRevalidatingCacheData, .reloadRevalidatingCacheData),
            (.reloadIgnoringCacheData, .reloadIgnoringLocalCacheData),
        ] as [(NSURLRequest.CachePolicy, CachePolicy)]
    )
    func `a request's policy goes before the session's`(
        apple: NSURLRequest.CachePolicy,
        own: CachePolicy
    ) throws {
        #expect(CachePolicy(apple) == own)
        let url = try #require(URL(string: Samples.url))
        let configuration = URLSessionConfiguration.default
        configuration.requestCachePolicy = apple
        #expect(CachePolicy(URLRequest(url: url), configuration: configuration.snapshot) == own)
        let request = URLRequest(url: url, cachePolicy: apple)
        configuration.requestCachePolicy = .useProtocolCachePolicy
        #expect(CachePolicy(request, configuration: configuration.snapshot) == own)
    }

    @Test func `a response that may be in memory alone stays there when it is confirmed`()
        async throws
    {
        try await load([("Set-Cookie", "a=b")] + Self.tagged)
        clock.advance(by: 60)
        let stale = await lookUp()
        let entry = try #require(stale.entry)
        #expect(entry.response.storagePolicy == .allowedInMemoryOnly)
        guard case .useStored(let freshened, true) = answer(stale, head(Self.tagged, status: 304))
        else {
            Issue.record("a 304 does not freshen")
            return
        }
        let response = await LoopActor.run { [cache] in
            cache.freshen(entry, as: freshened, isKept: true, for: Samples.url)
        }
        #expect(response.storagePolicy == .allowedInMemoryOnly)
        #expect(await lookUp().entry?.response.storagePolicy == .allowedInMemoryOnly)
    }

    // MARK: - Queues

    @Test
    func `each cache that has or had room on disk has a queue, and those in memory share one`() {
        let (one, other) = (Samples.cache(), Samples.cache())
        #expect(one.queue !== other.queue)
        let (small, large) = (Samples.cache(disk: 0), Samples.cache(memory: 2 << 20, disk: -1))
        #expect(small.queue === large.queue)
        #expect(small.queue !== one.queue)

        let queue = one.queue
        for capacity in [0, 1 << 20, -1] {
            one.diskCapacity = capacity
            #expect(one.queue === queue)
        }
        small.diskCapacity = 1 << 20
        #expect(small.queue !== large.queue)
    }

    // MARK: - Caches that hang

    @Test func `a cache that has to be made is used as any other`() async throws {
        try await load(Self.tagged)
        let (foundation, clock) = (foundation, clock)
        let other = ResponseCache(
            making: BlockingQueue(label: "test"),
            cache: { foundation },
            now: { clock.now }
        )
        for _ in 0..<3 { #expect(await lookUp(in: other).entry != nil) }
    }

    @Test func `a cache that hangs delays neither the lookups nor the changes of another`()
        async throws
    {
        let hanging = HangingCache(memoryCapacity: 0, diskCapacity: 1 << 20, diskPath: "/none")
        async let stuck = lookUp(in: ResponseCache(cache: { hanging }))
        await BlockingQueue(label: "test").run { hanging.asked.wait() }
        try await load(Self.tagged)
        #expect(await lookUp().entry != nil)
        let inMemory = CacheSamples.cache(disk: 0)
        #expect(await lookUp(in: ResponseCache(cache: { inMemory })).entry == nil)
        await withCheckedContinuation { continuation in
            LoopActor.perform { cache.afterChanges { continuation.resume() } }
        }
        #expect(hanging.isHanging)
        hanging.proceed()
        #expect(await stuck.entry == nil)
    }
}
