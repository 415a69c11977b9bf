import Foundation
import FoundationNetworking
import Testing

@testable import Ferry

@Suite("Keys in URLCache", .timeLimit(.minutes(1)))
struct CacheKeyTests {
    private func key(_ url: String) throws -> CacheKey {
        let address = try #require(URL(string: url))
        return try #require(CacheKey(URLRequest(url: address)))
    }

    @Test(arguments: [
        "https://host/file", "https://host/", "https://host", "https://host:8443/a/b.json",
        "https://user@host/file",
    ])
    func `a URL that nothing is confused with is its own key`(url: String) throws {
        #expect(try key(url).request.url?.absoluteString == url)
    }

    @Test(arguments: [
        "https://host/file?", "https://host/file?a=1", "https://host/a%2Fb", "https://host/%61",
        "https://host/a/", "http://host/file",
        "https://host/" + String(repeating: "long", count: 60),
    ])
    func `a URL that the cache confuses or loses gets a key of Ferry's`(url: String) throws {
        let key = try key(url)
        #expect(key.request.url?.host() == "cache.ferry.invalid")
        #expect(key.url == url)
    }

    @Test func `different URLs have different keys`() throws {
        let urls = (0..<100).map { "https://host/file?page=\($0)" } + ["https://host/file"]
        #expect(try Set(urls.map { try key($0).request }).count == 101)
    }

    @Test func `a fragment is no part of it`() throws {
        #expect(try key("https://host/a?b#c") == key("https://host/a?b#d"))
        #expect(try key("https://host/a#c").url == "https://host/a")
    }

    @Test func `what is stored under a key for another URL is not taken for this one's`() throws {
        let (one, other) = (try key("https://host/file?1"), try key("https://host/file?2"))
        let url = try #require(URL(string: "https://host/file?1"))
        let response = URLResponse(
            url: url,
            mimeType: nil,
            expectedContentLength: 1,
            textEncodingName: nil
        )
        let stored = one.putOn(CachedURLResponse(response: response, data: Data([7])))
        #expect(one.takeOff(stored)?.data == Data([7]))
        #expect(other.takeOff(stored) == nil)
    }
}
