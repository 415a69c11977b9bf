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
}
