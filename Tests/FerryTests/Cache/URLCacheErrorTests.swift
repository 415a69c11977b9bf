import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

@testable import Ferry

@Suite("Errors of URLCache's disk", .timeLimit(.minutes(5)))
struct URLCacheErrorTests {
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

    // MARK: - Making room

    @Test func `where nothing can be removed to make room, nothing is stored, and the rest is found`()
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
