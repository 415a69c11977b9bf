import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// The cache as an app uses it.
@Suite("URLCache", .timeLimit(.minutes(1)))
struct URLCacheTests {
    /// Notes what it is asked for.
    private final class OwnCache: URLCache, @unchecked Sendable {
        let asked = Recorder<String>()

        override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
            asked.append(request.url?.absoluteString ?? "")
            return super.cachedResponse(for: request)
        }
    }

    private let path = CacheSamples.path()

    private func cache() -> URLCache { CacheSamples.cache(at: path) }

    private func request(_ url: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    private func response(
        _ body: String,
        url: String = "https://host/file",
        userInfo: [AnyHashable: Any]? = nil,
        policy: URLCache.StoragePolicy = .allowed
    ) throws -> CachedURLResponse {
        CachedURLResponse(
            response: URLResponse(
                url: try #require(URL(string: url)),
                mimeType: "text/plain",
                expectedContentLength: body.utf8.count,
                textEncodingName: nil
            ),
            data: Data(body.utf8),
            userInfo: userInfo,
            storagePolicy: policy
        )
    }

    private func body(_ cache: URLCache, _ url: String) throws -> String? {
        try cache.cachedResponse(for: request(url)).map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test(arguments: [true, false])
    func `API-6: each URL has a response of its own, in memory and on disk`(inMemory: Bool) throws {
        let urls = [
            "https://host/file", "http://host/file", "https://host/file?a=1",
            "https://host/file?a=2", "https://host/file/", "https://host/fil%65",
            "https://host/" + String(repeating: "long", count: 60),
        ]
        let kept = cache()
        for url in urls {
            let store = inMemory ? kept : cache()
            try store.storeCachedResponse(response(url, url: url), for: request(url))
        }
        let found = inMemory ? kept : cache()
        for url in urls { #expect(try body(found, url) == url) }
        #expect(try body(found, "https://host/file?a=3") == nil)
        try found.removeCachedResponse(for: request("https://host/file?a=3"))
        try found.removeCachedResponse(for: request("https://host/file?a=1"))
        #expect(try body(found, "https://host/file?a=1") == nil)
        #expect(try body(found, "https://host/file?a=2") == "https://host/file?a=2")
    }

    @Test func `API-6: a response is found by what was asked for, whatever it says of itself`()
        throws
    {
        let cache = cache()
        let other = try response("body", url: "https://elsewhere/")
        try cache.storeCachedResponse(other, for: request("https://host/file?a=1"))
        #expect(try body(cache, "https://host/file?a=1") == "body")
        let found = try #require(try cache.cachedResponse(for: request("https://host/file?a=1")))
        #expect(found.userInfo == nil)
        #expect(found.response.url?.absoluteString == "https://elsewhere/")
    }

    @Test func `API-6: what an app has noted on a response comes back, of any type`() throws {
        let cache = cache()
        let url = try request("https://host/file")
        try cache.storeCachedResponse(response("a", userInfo: ["list": ["b"]]), for: url)
        #expect(cache.cachedResponse(for: url)?.userInfo?["list"] as? [String] == ["b"])
        #expect(CacheSamples.cache(at: path).cachedResponse(for: url) == nil)
    }

    @Test func `API-6: storing again and again leaves the cache able to evict`() throws {
        let cache = CacheSamples.cache(memory: 10_000, disk: 0)
        let body = String(repeating: "x", count: 2000)
        for _ in 0..<3 {
            try cache.storeCachedResponse(response(body), for: request("https://host/file"))
        }
        for number in 0..<10 {
            let url = "https://host/\(number)"
            try cache.storeCachedResponse(response(body, url: url), for: request(url))
        }
        #expect(try self.body(cache, "https://host/9") == body)
    }

    @Test func `API-6: a class of the app's is asked for the URL as it is`() async throws {
        let own = OwnCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: path)
        let server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = own
        let url = try server.address("/song?verse=1")
        _ = try await URLSession(configuration: configuration).data(from: url)
        #expect(own.asked.elements == [url.absoluteString])
    }

    @Test func `API-6: the shared cache is one, however it is asked for`() async {
        await #expect(processExitsWith: .success) {
            _ = Home.path
            #expect(URLCache.shared === URLCache.shared)
            #expect(URLSessionConfiguration.default.urlCache === URLCache.shared)
            let own = CacheSamples.cache()
            URLCache.shared = own
            #expect(URLSessionConfiguration.default.urlCache === own)
            let cache: URLCache = .shared
            #expect(cache === own)
        }
    }

    @Test func `API-7: a data task's response is stored, found and removed by the task`()
        async throws
    {
        let cache = cache()
        let task = URLSession(configuration: .ephemeral).dataTask(
            with: try request("https://host/file?a=1")
        )
        let response = try response("body")
        cache.storeCachedResponse(response, for: task)
        #expect(try body(cache, "https://host/file?a=1") == "body")
        let found = await withCheckedContinuation { continuation in
            cache.getCachedResponse(for: task) { continuation.resume(returning: $0?.data) }
        }
        #expect(found == Data("body".utf8))
        cache.removeCachedResponse(for: task)
        let gone = await withCheckedContinuation { continuation in
            cache.getCachedResponse(for: task) { continuation.resume(returning: $0?.data) }
        }
        #expect(gone == nil)
    }

    @Test(arguments: ["URL", "fields", "text", "data", "list", "dictionary"])
    func `API-6: all that an app has noted on a response counts in memory`(part: String) throws {
        let (capacity, length) = (100_000, 20_000)
        let long = String(repeating: "x", count: length)
        let cache = CacheSamples.cache(memory: capacity, disk: 0)
        for number in 0..<50 {
            let url = "https://host/\(number)/" + (part == "URL" ? long : "")
            let info: [AnyHashable: Any]? =
                switch part {
                case "text": ["note": long]
                case "data": ["note": Data(long.utf8)]
                case "list": ["note": [["a"], [long]]]
                case "dictionary": ["note": ["inner": ["text": long]]]
                default: nil
                }
            let fields = part == "fields" ? [("X-Long", long)] : []
            let entry = try CacheSamples.entry("a", url: url, fields: fields, userInfo: info)
            cache.storeCachedResponse(entry.response, for: try request(url))
            #expect(cache.currentMemoryUsage >= length)
            #expect(cache.currentMemoryUsage <= capacity)
        }
        let found = try (0..<50).filter { number in
            let url = "https://host/\(number)/" + (part == "URL" ? long : "")
            return try body(cache, url) != nil
        }
        #expect((1...capacity / length).contains(found.count))
        #expect(found.last == 49)
    }
}
