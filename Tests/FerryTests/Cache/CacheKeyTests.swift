import Foundation
import FoundationNetworking
import Testing

@testable import Ferry

@Suite("Keys in URLCache")
struct CacheKeyTests {
    private final class OwnCache: URLCache, @unchecked Sendable {}

    private let cache = CacheSamples.cache(disk: 0)

    @Test(arguments: [
        "https://host/file", "http://host/", "http://host", "https://host:8443/a/b.json",
        "https://user@host/file",
    ])
    func `a URL that nothing is confused with is its own key`(url: String) throws {
        let key = try #require(CacheKey(url: url, in: cache))
        #expect(key.request.url?.absoluteString == url)
        #expect(key.appRequest == nil)
    }

    @Test(arguments: [
        "https://host/file?", "https://host/file?a=1", "https://host/a%2Fb", "https://host/%61",
        "https://host/a/", "https://host/" + String(repeating: "long", count: 60),
    ])
    func `a URL that the cache confuses or loses gets a key of Ferry's`(url: String) throws {
        let key = try #require(CacheKey(url: url, in: cache))
        #expect(key.request.url?.host() == "cache.ferry.invalid")
        #expect(key.appRequest?.url?.absoluteString == url)
        #expect(key.url == url)
    }

    @Test func `different URLs have different keys`() {
        let urls = (0..<100).map { "https://host/file?page=\($0)" } + ["https://host/file"]
        #expect(Set(urls.compactMap { CacheKey(url: $0, in: cache)?.request }).count == 101)
    }

    @Test func `a fragment is no part of it`() throws {
        #expect(
            CacheKey(url: "https://host/a?b#c", in: cache)
                == CacheKey(url: "https://host/a?b#d", in: cache)
        )
        let key = try #require(CacheKey(url: "https://host/a#c", in: cache))
        #expect(key.isFor(URL(string: "https://host/a#x")))
        #expect(!key.isFor(URL(string: "https://host/b")))
        #expect(!key.isFor(nil))
    }

    @Test func `an app's own cache is told the URL as it is`() throws {
        let own = OwnCache(memoryCapacity: 1000, diskCapacity: 0, diskPath: CacheSamples.path())
        let key = try #require(CacheKey(url: "https://host/a?b=1", in: own))
        #expect(key.request.url?.absoluteString == "https://host/a?b=1")
        #expect(key.appRequest == nil)
    }
}
