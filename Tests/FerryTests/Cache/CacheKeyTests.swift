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

    @Test func `different URLs have different keys, and files`() throws {
        let urls =
            (0..<100).map { "https://host/file?page=\($0)" } + [
                "https://host/file", "https://host/file?", "http://host/file", "https://host/a/b",
                "https://host/a%2Fb", "https://host/a/b/", "https://host/%61", "https://host/a",
                "https://host/" + String(repeating: "long", count: 60), "https://host:8443/a",
            ]
        #expect(try Set(urls.map { try key($0) }).count == urls.count)
        #expect(try Set(urls.map { try key($0).fileName }).count == urls.count)
    }

    @Test func `a fragment is no part of it`() throws {
        #expect(try key("https://host/a?b#c") == key("https://host/a?b#d"))
        #expect(try key("https://host/a#c").url == "https://host/a")
    }

    @Test func `a file's name tells nothing of the URL, and fits in any file system`() throws {
        let name = try key("https://host/secret?" + String(repeating: "long", count: 600)).fileName
        #expect(name?.count == 64)
        #expect(name?.contains { !$0.isHexDigit } == false)
        // By sha256sum: the names are those of earlier versions.
        #expect(
            try key("https://host/file").fileName
                == "0c230997a52ed7b21036956ea4a8e641191ec49193fb8e3de94e02bc440c3e69"
        )
    }

    @Test func `a request without a URL has none`() throws {
        var request = URLRequest(url: try #require(URL(string: "https://host/")))
        request.url = nil
        #expect(CacheKey(request) == nil)
    }
}
