import Foundation
import FoundationNetworking
import Testing

@testable import Ferry

/// The faults of Foundation's cache that ``URLCache`` and ``CacheKey`` work around.
///
/// A test that fails tells that Foundation has been mended, and which of the two can be made shorter.
@Suite("Faults of Foundation's URLCache", .timeLimit(.minutes(5)))
struct FoundationCacheTests {
    private let path = CacheSamples.path()

    private var fromDisk: FoundationNetworking.URLCache { CacheSamples.foundationCache(at: path) }

    private func request(_ url: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    private func store(
        _ body: String,
        in cache: FoundationNetworking.URLCache,
        url: String = CacheSamples.url,
        policy: FoundationNetworking.URLCache.StoragePolicy = .allowed
    ) throws {
        let response = try CacheSamples.entry(body, url: url, policy: policy).response
        cache.storeCachedResponse(response, for: try request(url))
    }

    private func body(
        _ cache: FoundationNetworking.URLCache,
        _ url: String = CacheSamples.url
    ) throws -> String? {
        cache.cachedResponse(for: try request(url)).map { String(decoding: $0.data, as: UTF8.self) }
    }

    /// An error that is thrown ends a process with an exit code instead.
    private func hasTrapped(_ result: ExitTest.Result?) -> Bool {
        guard case .signal = result?.exitStatus else { return false }
        return true
    }

    @Test(arguments: ["https://host/file?b", "http://host/file", "https://host/fil%65"])
    func `different URLs are one key`(url: String) throws {
        let cache = fromDisk
        try store("a", in: cache)
        let found = try body(cache, url)
        withKnownIssue { #expect(found == nil) }
    }

    @Test(arguments: ["https://host/aa%3F", "https://host/" + String(repeating: "a", count: 200)])
    func `some URLs are not stored on disk`(url: String) throws {
        try store("a", in: fromDisk, url: url)
        let found = try body(fromDisk, url)
        withKnownIssue { #expect(found == "a") }
    }

    @Test func `a large response is hidden by the former one`() throws {
        let cache = CacheSamples.foundationCache(at: path, memory: 5000)
        try store("old", in: cache)
        try store(String(repeating: "x", count: 20_000), in: cache)
        let found = try body(cache)
        withKnownIssue { #expect(found != "old") }
    }

    @Test func `a response for the memory leaves the former one on disk`() throws {
        let cache = fromDisk
        try store("old", in: cache)
        try store("new", in: cache, policy: .allowedInMemoryOnly)
        let found = try body(fromDisk)
        withKnownIssue { #expect(found == nil) }
    }

    @Test func `its files can be read by everybody`() throws {
        let cache = fromDisk
        try store("a", in: cache)
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first)
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        let mode = try #require(attributes[.posixPermissions] as? Int)
        withKnownIssue { #expect(mode & 0o077 == 0) }
    }

    @Test func `what is stored twice cannot be evicted`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.exitStatus]) {
            let cache = CacheSamples.foundationCache(memory: 10_000, disk: 0)
            let body = String(repeating: "x", count: 3000)
            for url in ["https://host/a", "https://host/a", "https://host/b", "https://host/c"] {
                let size = url == "https://host/c" ? 3 : 1
                let entry = try CacheSamples.entry(String(repeating: body, count: size), url: url)
                let address = try #require(URL(string: url))
                cache.storeCachedResponse(entry.response, for: URLRequest(url: address))
            }
        }
        #expect(hasTrapped(result))
    }

    @Test func `user info that is no plain value cannot be read from disk`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.exitStatus]) {
            let path = CacheSamples.path()
            let entry = try CacheSamples.entry("body", userInfo: ["key": ["a"]])
            let request = URLRequest(url: try #require(URL(string: CacheSamples.url)))
            CacheSamples.foundationCache(at: path).storeCachedResponse(entry.response, for: request)
            _ = CacheSamples.foundationCache(at: path).cachedResponse(for: request)
        }
        #expect(hasTrapped(result))
    }

    @Test func `an ephemeral cache reads the shared one's disk`() async {
        await #expect(processExitsWith: .success) {
            _ = Home.path
            let entry = try CacheSamples.entry("shared")
            let request = URLRequest(url: try #require(URL(string: CacheSamples.url)))
            FoundationNetworking.URLCache.shared.storeCachedResponse(entry.response, for: request)
            let ephemeral = FoundationNetworking.URLSessionConfiguration.ephemeral
            let cache = try #require(ephemeral.urlCache)
            withKnownIssue { #expect(cache.cachedResponse(for: request) == nil) }
        }
    }
}

extension CacheSamples {
    /// Foundation's own cache.
    fileprivate static func foundationCache(
        at path: String = path(),
        memory: Int = 1 << 20,
        disk: Int = 10 << 20
    ) -> FoundationNetworking.URLCache {
        FoundationNetworking.URLCache(memoryCapacity: memory, diskCapacity: disk, diskPath: path)
    }
}
