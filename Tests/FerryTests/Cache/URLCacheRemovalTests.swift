import FerrySystem
import FerryTestSupport
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

    /// Removes the responses to `https://host/a` and `https://host/b`.
    private static func remove(_ way: String, from cache: URLCache) throws {
        switch way {
        case "all": cache.removeAllCachedResponses()
        case "since": cache.removeCachedResponses(since: .distantPast)
        case "without room": cache.diskCapacity = 0
        default: for name in ["a", "b"] { try cache.remove("https://host/\(name)") }
        }
    }

    // MARK: - A directory that was removed

    @Test(arguments: ["each", "all", "since", "without room"])
    func `what is removed goes where the directory is, not where it was`(way: String) throws {
        let (one, other) = (place.cache(), place.cache())
        try one.store("old", at: "https://host/a")
        try FileManager.default.removeItem(atPath: place.path)
        for name in ["a", "b"] { try other.store("new", at: "https://host/\(name)") }
        try Self.remove(way, from: one)
        #expect(place.names == [])
        #expect(one.currentDiskUsage == 0)
        for name in ["a", "b"] { #expect(try one.body("https://host/\(name)") == nil) }
    }

    @Test func `what is used follows a directory that was removed`() throws {
        let (one, other) = (place.cache(), place.cache())
        for name in ["a", "b"] { try one.store("old", at: "https://host/\(name)") }
        #expect(one.currentDiskUsage == 2 * CacheDirectory.block)
        try FileManager.default.removeItem(atPath: place.path)
        #expect(one.currentDiskUsage == 0)
        try other.store("new", at: "https://host/a")
        #expect(one.currentDiskUsage == CacheDirectory.block)
    }

    @Test func `a response is found in a directory that was made anew`() throws {
        let (one, other) = (place.cache(), place.cache())
        try one.store("old", at: "https://host/a")
        try FileManager.default.removeItem(atPath: place.path)
        try other.store("new", at: "https://host/a")
        #expect(try one.body("https://host/a") == "new")
        #expect(try one.body("https://host/b") == nil)
    }

    // MARK: - What cannot be removed

    @Test(
        .enabled(if: SmallDisk.canBeMade, "only root can mount a small file system"),
        arguments: ["each", "all", "since", "replaced", "for the memory"]
    )
    func `a response that cannot be removed is not found again`(way: String) throws {
        let disk = try SmallDisk(byteCount: 1 << 20)
        let cache = CacheSamples.cache(at: disk.path, memory: 0)
        for name in ["a", "b"] { try cache.store("old", at: "https://host/\(name)") }
        try disk.setWritable(false)
        switch way {
        case "replaced": try cache.store("new", at: "https://host/a")
        case "for the memory":
            try cache.store("new", at: "https://host/a", policy: .allowedInMemoryOnly)
        default: try Self.remove(way, from: cache)
        }
        #expect(try cache.body("https://host/a") == nil)
        #expect(cache.currentDiskUsage == 0)
        try disk.setWritable(true)
        #expect(try cache.body("https://host/a") == nil)
        try cache.store("newer", at: "https://host/a")
        #expect(try cache.body("https://host/a") == nil)

        // Once all are gone, it can be relied on again.
        cache.removeAllCachedResponses()
        try cache.store("newest", at: "https://host/a")
        #expect(try cache.body("https://host/a") == "newest")
        #expect(try cache.body("https://host/b") == nil)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "only root can mount a small file system"))
    func `where nothing can be written, what is there is found`() throws {
        let disk = try SmallDisk(byteCount: 1 << 20)
        try CacheSamples.cache(at: disk.path, memory: 0).store("old", at: "https://host/a")
        try disk.setWritable(false)
        let cache = CacheSamples.cache(at: disk.path, memory: 0)
        try cache.remove("https://host/b")
        try cache.store("new", at: "https://host/c")
        #expect(try cache.body("https://host/a") == "old")
        #expect(try cache.body("https://host/c") == nil)
    }

    // MARK: - Power failures

    #if DEBUG
    @Test(arguments: ["all", "since"])
    func `the removal of all responses survives a power failure`(way: String) async throws {
        let cache = place.cache()
        for name in ["a", "b"] { try cache.store("old", at: "https://host/\(name)") }
        let record = SystemCallRecord(of: ["unlinkat", "fsync"], in: place.responses)
        let calls = await record.during {
            await BlockingQueue(label: "test").run {
                do { try Self.remove(way, from: cache) } catch { Issue.record(error) }
            }
        }
        let names = calls.map { String($0.split(separator: " ")[0]) }
        #expect(names == ["unlinkat", "unlinkat", "fsync"])
    }
    #endif
}
