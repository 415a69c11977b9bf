import FerryHTTP
import FerryTransfer
import Foundation
import Testing

@testable import Ferry

@Suite("Storing in URLCache", .timeLimit(.minutes(5)))
struct URLCacheStorageTests {
    typealias Samples = CacheSamples

    private let path = CacheSamples.path()

    /// Of the same directory, with nothing in memory.
    private var fromDisk: URLCacheStorage { URLCacheStorage(cache: Samples.cache(at: path)) }

    @Test func `a response comes back from disk with all that decides about it`() throws {
        let request = Samples.request(Samples.url, [("Accept", "a")])
        let fields = [("ETag", "\"a\""), ("Vary", "Accept"), ("X-Number", "1")]
        let stored = try Samples.proposed(fields, to: request)
        let response = CachedURLResponse(
            response: try #require(HTTPURLResponse.make(stored.head)),
            data: Data("body".utf8),
            userInfo: ["app": "own"],
            storagePolicy: .allowed
        )
        fromDisk.store(CacheEntry(stored: stored, response: response), for: request.url)

        let found = try #require(fromDisk.entry(for: request))
        #expect(found.stored.selectingFields == stored.selectingFields)
        #expect(found.stored.responseTime == stored.responseTime)
        #expect(found.stored.requestTime == stored.requestTime)
        #expect(found.stored.head.status == 200)
        for (name, value) in fields {
            #expect(found.stored.head.fields.first(named: name) == value)
        }
        #expect(found.response.data == Data("body".utf8))
        #expect(found.response.userInfo?["app"] as? String == "own")
    }

    @Test(arguments: [
        ["https://host/file", "https://host/file?a=1", "https://host/file?a=2"],
        ["https://host/a/b", "https://host/a%2Fb", "https://host/a/b/"],
        ["https://host/" + String(repeating: "long", count: 60)],
        ["https://host/bc%3F"],
    ])
    func `URLs that are alike are stored side by side`(urls: [String]) throws {
        for url in urls { fromDisk.store(try Samples.entry(url, url: url), for: url) }
        for url in urls { #expect(fromDisk.body(url) == url) }
        fromDisk.remove(urls[0])
        #expect(fromDisk.body(urls[0]) == nil)
        for url in urls.dropFirst() { #expect(fromDisk.body(url) == url) }
    }

    @Test func `a response over TLS is not one without`() throws {
        fromDisk.store(try Samples.entry("body", url: "https://host/a"), for: "https://host/a")
        #expect(fromDisk.body("http://host/a") == nil)
        #expect(fromDisk.body("https://host/a") == "body")
    }

    @Test func `storing again and again leaves the cache able to evict`() throws {
        let storage = URLCacheStorage(cache: Samples.cache(memory: 10_000, disk: 0))
        let body = String(repeating: "x", count: 2000)
        for _ in 0..<3 { storage.store(try Samples.entry(body), for: Samples.url) }
        for number in 0..<10 {
            let url = "https://host/\(number)"
            storage.store(try Samples.entry(body, url: url), for: url)
        }
        #expect(storage.body() == nil)
        #expect(storage.body("https://host/9") == body)
    }

    @Test func `a response too large for the memory is not hidden by the former one`() throws {
        let storage = URLCacheStorage(cache: Samples.cache(at: path, memory: 5000))
        storage.store(try Samples.entry("old"), for: Samples.url)
        let large = String(repeating: "x", count: 20_000)
        storage.store(try Samples.entry(large), for: Samples.url)
        #expect(storage.body() == large)
    }

    @Test func `a response for the memory leaves none on disk`() throws {
        let storage = URLCacheStorage(cache: Samples.cache(at: path))
        storage.store(try Samples.entry("old"), for: Samples.url)
        let new = try Samples.entry("new", policy: .allowedInMemoryOnly)
        storage.store(new, for: Samples.url)
        #expect(storage.body() == "new")
        #expect(fromDisk.body() == nil)
    }

    @Test func `secrets are not written to disk`() throws {
        let storage = URLCacheStorage(cache: Samples.cache(at: path))
        let login = try Samples.entry("body", fields: [("Set-Cookie", "session=1")])
        storage.store(login, for: Samples.url)
        #expect(storage.body() == "body")
        #expect(fromDisk.body() == nil)
    }

    @Test func `user info that cannot be written to disk stays in memory`() throws {
        let storage = URLCacheStorage(cache: Samples.cache(at: path))
        let values: [Any] = [["a"], UUID(), NSNull(), ["a": ["b"]], Samples.start]
        for value in values {
            let entry = try Samples.entry("body", userInfo: ["key": value])
            storage.store(entry, for: Samples.url)
            #expect(storage.entry(for: Samples.request())?.response.userInfo?["key"] != nil)
            #expect(fromDisk.body() == nil)
        }
        let plain: [AnyHashable: Any] = ["a": "b", "c": 1, "d": 1.5, "e": Date(), "f": Data([1])]
        storage.store(try Samples.entry("body", userInfo: plain), for: Samples.url)
        #expect(fromDisk.entry(for: Samples.request())?.response.userInfo?.count == 6)
    }

    // MARK: - What the app stores itself

    @Test(arguments: [CacheSamples.url, "https://host/file?a=1"])
    func `what the app has stored is found, and stale where it has no date`(url: String) throws {
        let cache = Samples.cache(at: path)
        let address = try #require(URL(string: url))
        let response = try #require(
            HTTPURLResponse(
                url: address,
                statusCode: 200,
                httpVersion: nil,
                headerFields: ["Cache-Control": "max-age=60"]
            )
        )
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("app".utf8)),
            for: URLRequest(url: address)
        )
        let storage = URLCacheStorage(cache: cache)
        let entry = try #require(storage.entry(for: Samples.request(url)))
        #expect(entry.response.data == Data("app".utf8))
        var transaction = CacheTransaction(
            request: Samples.request(url),
            policy: .useProtocolCachePolicy
        )
        #expect(transaction.lookedUp(entry.stored, at: .now) == .fetch(adding: []))
        storage.remove(url)
        #expect(storage.body(url) == nil)
    }

    @Test func `what the app has stored for another URL is neither found nor removed`() throws {
        let cache = Samples.cache(at: path)
        let url = try #require(URL(string: "https://host/file?a=1"))
        let response = URLResponse(
            url: url,
            mimeType: nil,
            expectedContentLength: 3,
            textEncodingName: nil
        )
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("app".utf8)),
            for: URLRequest(url: url)
        )
        let storage = URLCacheStorage(cache: cache)
        #expect(storage.body("https://host/file?a=2") == nil)
        #expect(storage.body("https://host/file") == nil)
        storage.remove("https://host/file?a=2")
        #expect(storage.body("https://host/file?a=1") == "app")
    }
}
