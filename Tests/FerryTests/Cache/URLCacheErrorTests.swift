import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Ferry

@Suite("Errors of URLCache's disk", .timeLimit(.minutes(5)))
struct URLCacheErrorTests {
    /// A disk whose clock stands until it is moved.
    private final class Disk: Sendable {
        private let disk: Mutex<CacheDisk>
        private let time: Time

        final class Time: Sendable {
            let now = Mutex(ContinuousClock.now)
        }

        init(path: String) {
            let time = Time()
            self.time = time
            disk = Mutex(CacheDisk(path: path) { time.now.withLock { $0 } })
        }

        func advance(by duration: Duration) { time.now.withLock { $0 += duration } }

        func store(_ body: String, at url: String) throws {
            let kept = KeptResponse(try CacheSamples.entry(body, url: url).response)
            let key = try Self.key(url)
            disk.withLock { $0.store(kept, for: key, capacity: 1 << 20) }
        }

        func remove(_ url: String) throws {
            let key = try Self.key(url)
            disk.withLock { $0.remove(key) }
        }

        func body(_ url: String) throws -> String? {
            let key = try Self.key(url)
            let found = disk.withLock { $0.response(for: key, limit: 1 << 20) }
            return found.map { String(decoding: $0.response.data, as: UTF8.self) }
        }

        private static func key(_ url: String) throws -> CacheKey {
            let address = try #require(URL(string: url))
            return try #require(CacheKey(URLRequest(url: address)))
        }
    }

    private let place: CacheDirectory

    init() throws { place = try CacheDirectory() }

    // MARK: - Removing all

    @Test(
        arguments: [.getdents64, .fsync] as [FailingCalls.Call],
        ["all", "since"]
    )
    func `nothing is found again when it is not known whether all was removed`(
        call: FailingCalls.Call,
        way: String
    ) async throws {
        let cache = place.cache()
        try cache.store("a", at: "https://host/a")
        try await FailingCalls.perform(call, failingWith: EIO) {
            if way == "all" {
                cache.removeAllCachedResponses()
            } else {
                cache.removeCachedResponses(since: .distantPast)
            }
        }
        try place.cache().store("b", at: "https://host/b")
        for name in ["a", "b"] { #expect(try cache.body("https://host/\(name)") == nil) }
    }

    @Test func `a file system that synchronizes no directories can be used`() async throws {
        let cache = place.cache()
        try cache.store("a", at: "https://host/a")
        try await FailingCalls.perform(.fsync, failingWith: EINVAL) {
            cache.removeAllCachedResponses()
        }
        try cache.store("b", at: "https://host/b")
        #expect(try cache.body("https://host/a") == nil)
        #expect(try cache.body("https://host/b") == "b")
    }

    @Test(arguments: [.getdents64, .unlinkat] as [FailingCalls.Call])
    func `what is left of a cache that gets no more room is not found when it has some again`(
        call: FailingCalls.Call
    ) async throws {
        let cache = place.cache()
        try cache.store("old", at: "https://host/a")
        try await FailingCalls.perform(call, failingWith: EIO) { cache.diskCapacity = 0 }
        cache.diskCapacity = 1 << 20
        #expect(try cache.body("https://host/a") == nil)
    }

    // MARK: - Using the disk again

    @Test(arguments: ["store", "look up"])
    func `after a minute the disk is used again, without what was there`(
        first: String
    ) async throws {
        let disk = Disk(path: place.path)
        try place.cache().store("old", at: "https://host/a")
        try await FailingCalls.perform(.openat, failingWith: EMFILE) {
            try disk.remove("https://host/a")
        }
        disk.advance(by: .seconds(59))
        try disk.store("new", at: "https://host/b")
        for name in ["a", "b"] { #expect(try disk.body("https://host/\(name)") == nil) }

        disk.advance(by: .seconds(1))
        if first == "store" { try disk.store("new", at: "https://host/b") }
        #expect(try disk.body("https://host/a") == nil)
        if first != "store" { try disk.store("new", at: "https://host/b") }
        #expect(try disk.body("https://host/b") == "new")
        #expect(place.names.count == 1)
    }

    @Test func `as long as errors last, the disk is tried once a minute`() async throws {
        let disk = Disk(path: place.path)
        try place.cache().store("old", at: "https://host/a")
        try await FailingCalls.perform(.openat, failingWith: EMFILE) {
            try disk.remove("https://host/a")
            for _ in 0..<10 {
                disk.advance(by: .seconds(20))
                try disk.store("new", at: "https://host/b")
                #expect(try disk.body("https://host/a") == nil)
            }
        }
        // It was tried 180 seconds after the first error.
        disk.advance(by: .seconds(39))
        #expect(try disk.body("https://host/a") == nil)
        #expect(place.names.count == 1)
        disk.advance(by: .seconds(1))
        #expect(try disk.body("https://host/a") == nil)
        #expect(place.names.count == 0)
    }

    // MARK: - Storing

    @Test func `of a response that cannot be stored nothing is left, nor of the one before it`()
        async throws
    {
        let cache = place.cache()
        try cache.store("old", at: "https://host/a")
        try await FailingCalls.perform(.renameat, failingWith: ENOSPC) {
            for name in ["a", "b"] { try cache.store("new", at: "https://host/\(name)") }
        }
        #expect(place.names == [])
        for other in [cache, place.cache()] { #expect(other.currentDiskUsage == 0) }
    }

    // MARK: - Making room

    @Test
    func `where nothing can be removed to make room, nothing is stored, and the rest is found`()
        async throws
    {
        let cache = place.cache(disk: 4 * CacheDirectory.block)
        for number in 0..<4 { try cache.store("old", at: "https://host/\(number)") }
        try await FailingCalls.perform(.unlinkat, failingWith: EROFS) {
            try cache.store("new", at: "https://host/new")
        }
        #expect(place.names.count == 4)
        #expect(try cache.body("https://host/new") == nil)
        for number in 0..<4 { #expect(try cache.body("https://host/\(number)") == "old") }
        try cache.store("new", at: "https://host/new")
        #expect(try cache.body("https://host/new") == "new")
        #expect(cache.currentDiskUsage <= 4 * CacheDirectory.block)
    }
}
