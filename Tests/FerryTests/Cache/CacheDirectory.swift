import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// The directory of a test's caches.
struct CacheDirectory {
    /// What a small response takes.
    static let block = 4096

    /// The path that the caches are given.
    let path: String
    let temporary: TemporaryDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        path = temporary.path + "/cache"
    }

    /// A cache as it is after a restart, with as little in memory as is possible.
    func cache(memory: Int = 0, disk: Int = 10 << 20) -> URLCache {
        CacheSamples.cache(at: path, memory: memory, disk: disk)
    }

    /// Where the responses are.
    var responses: String { path + "/io.ferry.responses" }

    /// What is there.
    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: responses)) ?? []
    }

    /// The path of a response's file.
    func file(_ url: String) throws -> String {
        let address = try #require(URL(string: url))
        return responses + "/" + (try #require(CacheKey(URLRequest(url: address))?.fileName))
    }

    /// Sets when a response was last used.
    func setUse(of url: String, secondsAgo: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)],
            ofItemAtPath: file(url)
        )
    }

    /// When a response was last used.
    func use(of url: String) throws -> Date {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(url))
        return try #require(attributes[.modificationDate] as? Date)
    }
}

extension URLCache {
    /// Stores a body for a URL.
    func store(
        _ body: String,
        at url: String,
        policy: URLCache.StoragePolicy = .allowed
    ) throws {
        let entry = try CacheSamples.entry(body, url: url, policy: policy)
        storeCachedResponse(entry.response, for: URLRequest(url: try #require(URL(string: url))))
    }

    /// Returns the body that is stored for a URL.
    func body(_ url: String) throws -> String? {
        let request = URLRequest(url: try #require(URL(string: url)))
        return cachedResponse(for: request).map { String(decoding: $0.data, as: UTF8.self) }
    }

    /// Removes the response that is stored for a URL.
    func remove(_ url: String) throws {
        removeCachedResponse(for: URLRequest(url: try #require(URL(string: url))))
    }
}
