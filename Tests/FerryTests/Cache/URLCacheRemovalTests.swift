import Foundation
import Testing

@testable import Ferry

@Suite("Removing from URLCache on disk", .timeLimit(.minutes(5)))
struct URLCacheRemovalTests {
    private let place: CacheDirectory

    init() throws { place = try CacheDirectory() }

    @Test(arguments: [0, 1 << 20])
    func `all responses are removed, those of other processes as well`(memory: Int) throws {
        let cache = place.cache(memory: memory)
        try cache.store("a", at: "https://host/a")
        try place.cache().store("b", at: "https://host/b")
        cache.removeAllCachedResponses()
        #expect(place.names == [])
        #expect(cache.currentDiskUsage == 0)
        #expect(cache.currentMemoryUsage == 0)
        for url in ["https://host/a", "https://host/b"] { #expect(try cache.body(url) == nil) }
        try cache.store("c", at: "https://host/c")
        #expect(try cache.body("https://host/c") == "c")
    }

    @Test(arguments: [0, 1 << 20])
    func `responses that were stored after a date are removed, whenever they were used`(
        memory: Int
    ) throws {
        let cache = place.cache(memory: memory)
        try cache.store("a", at: "https://host/a")
        let date = Date()
        try cache.store("b", at: "https://host/b")
        try place.setUse(of: "https://host/b", secondsAgo: 1000)
        #expect(try cache.body("https://host/a") == "a")
        cache.removeCachedResponses(since: date)
        #expect(try cache.body("https://host/a") == "a")
        #expect(try cache.body("https://host/b") == nil)
        #expect(cache.currentDiskUsage == CacheDirectory.block)
        cache.removeCachedResponses(since: .distantPast)
        #expect(place.names == [])
        #expect(try cache.body("https://host/a") == nil)
    }

    @Test func `responses for the memory alone are never on disk`() throws {
        let cache = place.cache(memory: 1 << 20)
        for policy in [URLCache.StoragePolicy.allowedInMemoryOnly, .notAllowed] {
            try cache.store("old", at: CacheSamples.url)
            try cache.store("new", at: CacheSamples.url, policy: policy)
            #expect(place.names == [])
            let found = try cache.body(CacheSamples.url)
            #expect(found == (policy == .notAllowed ? nil : "new"))
        }
    }
}
