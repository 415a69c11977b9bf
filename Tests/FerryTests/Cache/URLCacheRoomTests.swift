import Foundation
import Glibc
import Testing

@testable import Ferry

@Suite("The room of URLCache on disk", .timeLimit(.minutes(5)))
struct URLCacheRoomTests {
    private let place: CacheDirectory

    init() throws { place = try CacheDirectory() }

    @Test func `what was used least recently goes first, also after a restart`() throws {
        let urls = (0..<10).map { "https://host/\($0)" }
        let first = place.cache()
        for url in urls { try first.store(url, at: url) }
        for (number, url) in urls.enumerated() {
            try place.setUse(of: url, secondsAgo: Double(1000 - number * 10))
        }
        #expect(try place.cache().body(urls[0]) == urls[0])
        #expect(try place.use(of: urls[0]).timeIntervalSinceNow > -60)
        #expect(try place.use(of: urls[1]).timeIntervalSinceNow < -900)

        let cache = place.cache(disk: 10 * CacheDirectory.block)
        #expect(try cache.body(urls[1]) == urls[1])
        try cache.store("new", at: "https://host/new")
        #expect(cache.currentDiskUsage <= 10 * CacheDirectory.block)
        #expect(place.names.count * CacheDirectory.block == cache.currentDiskUsage)
        for url in [urls[0], urls[1], urls[9]] { #expect(try cache.body(url) == url) }
        #expect(try cache.body("https://host/new") == "new")
        for url in [urls[2], urls[3]] { #expect(try cache.body(url) == nil) }
    }

    @Test func `a response that is used in memory is kept on disk, too`() throws {
        let cache = place.cache(memory: 1 << 20, disk: 5 * CacheDirectory.block)
        for number in 0..<30 {
            try cache.store("a", at: "https://host/\(number)")
            #expect(try cache.body("https://host/0") == "a")
        }
        #expect(try place.cache().body("https://host/0") == "a")
        #expect(try place.cache().body("https://host/1") == nil)
    }

    @Test func `a use is marked at most once a minute`() throws {
        let url = CacheSamples.url
        let cache = place.cache(memory: 1 << 20)
        try cache.store("a", at: url)
        try place.setUse(of: url, secondsAgo: 30)
        #expect(try place.cache().body(url) == "a")
        #expect(try place.use(of: url).timeIntervalSinceNow < -25)
        try place.setUse(of: url, secondsAgo: 70)
        // It was stored less than a minute ago.
        #expect(try cache.body(url) == "a")
        #expect(try place.use(of: url).timeIntervalSinceNow < -65)
        #expect(try place.cache().body(url) == "a")
        #expect(try place.use(of: url).timeIntervalSinceNow > -60)
        // The clock was set back.
        try place.setUse(of: url, secondsAgo: -1000)
        #expect(try place.cache().body(url) == "a")
        #expect(try place.use(of: url).timeIntervalSinceNow < 60)
    }

    @Test func `what other processes have written counts`() throws {
        let capacity = 20 * CacheDirectory.block
        let (one, other) = (place.cache(disk: capacity), place.cache(disk: capacity))
        for number in 0..<100 {
            try one.store("a", at: "https://one/\(number)")
            try other.store("b", at: "https://other/\(number)")
            // Each knows of the other's after a tenth of the capacity.
            #expect(place.names.count <= 20 + 2 * 2)
        }
        try one.store("a", at: "https://one/last")
        #expect(try other.body("https://one/last") == "a")
        try other.store("b", at: "https://other/last")
        #expect(try one.body("https://other/last") == "b")
        one.diskCapacity = 5 * CacheDirectory.block
        #expect(place.names.count == 5)
    }

    @Test func `a long response does not take the room that others have used meanwhile`() throws {
        let capacity = 100 * CacheDirectory.block
        let (one, other) = (place.cache(disk: capacity), place.cache(disk: capacity))
        for number in 0..<5 { try one.store("a", at: "https://one/\(number)") }
        for number in 0..<90 { try other.store("b", at: "https://other/\(number)") }
        let long = String(repeating: "x", count: 50 * CacheDirectory.block - 1000)
        try one.store(long, at: "https://one/long")
        #expect(try one.body("https://one/long") == long)
        #expect(place.cache().currentDiskUsage <= capacity)
    }

    @Test func `a smaller capacity removes what is too much at once`() throws {
        let cache = place.cache(memory: 1 << 20)
        for number in 0..<20 { try cache.store("a", at: "https://host/\(number)") }
        #expect(cache.currentDiskUsage == 20 * CacheDirectory.block)
        cache.diskCapacity = 7 * CacheDirectory.block
        #expect(cache.currentDiskUsage == 7 * CacheDirectory.block)
        #expect(place.names.count == 7)
        #expect(try place.cache().body("https://host/19") == "a")
        #expect(try place.cache().body("https://host/0") == nil)

        #expect(cache.currentMemoryUsage > 20 * 1024)
        #expect(try cache.body("https://host/0") == "a")
        cache.memoryCapacity = 3 * 1024
        #expect((1...3 * 1024).contains(cache.currentMemoryUsage))
        #expect(cache.memoryCapacity == 3 * 1024)

        cache.diskCapacity = 0
        #expect(place.names == [])
        #expect(cache.currentDiskUsage == 0)
        #expect(cache.diskCapacity == 0)
        try cache.store("b", at: "https://host/b")
        #expect(place.names == [])
    }

    @Test func `a response that is larger than the capacity is not stored, and leaves none`() throws
    {
        let cache = place.cache(disk: 3 * CacheDirectory.block)
        try cache.store("old", at: CacheSamples.url)
        try cache.store("a", at: "https://host/a")
        try cache.store(
            String(repeating: "x", count: 3 * CacheDirectory.block),
            at: CacheSamples.url
        )
        #expect(try cache.body(CacheSamples.url) == nil)
        #expect(try cache.body("https://host/a") == "a")
        for capacity in [-1, Int.min, Int.max] {
            cache.diskCapacity = capacity
            cache.memoryCapacity = capacity
            try cache.store("a", at: "https://host/b")
            #expect(try cache.body("https://host/b") == (capacity > 0 ? "a" : nil))
        }
    }

    @Test func `a cache without room on disk does not touch another's responses there`() throws {
        try place.cache().store("a", at: CacheSamples.url)
        let other = place.cache(memory: 1 << 20, disk: 0)
        #expect(try other.body(CacheSamples.url) == nil)
        try other.store("b", at: CacheSamples.url)
        other.removeAllCachedResponses()
        other.removeCachedResponses(since: .distantPast)
        for capacity in [-1, 0, Int.min] { other.diskCapacity = capacity }
        #expect(try place.cache().body(CacheSamples.url) == "a")
    }

    @Test func `a capacity below 0 removes all, also while something is being written`()
        async throws
    {
        try place.cache().store("a", at: CacheSamples.url)
        try Data(count: 10_000).write(to: URL(fileURLWithPath: place.responses + "/new-x"))
        await #expect(processExitsWith: .success) { [path = place.path as String] in
            CacheSamples.cache(at: path).diskCapacity = Int.min
        }
        #expect(try place.cache().body(CacheSamples.url) == nil)
    }

    // MARK: - Replacing

    @Test func `a response that replaces one needs no other's room`() throws {
        let cache = place.cache(disk: 4 * CacheDirectory.block)
        let urls = (0..<4).map { "https://host/\($0)" }
        for url in urls { try cache.store("old", at: url) }
        for _ in 0..<3 { try cache.store("new", at: urls[0]) }
        #expect(try cache.body(urls[0]) == "new")
        for url in urls.dropFirst() { #expect(try cache.body(url) == "old") }
        #expect(cache.currentDiskUsage == 4 * CacheDirectory.block)
    }

    @Test func `a response that replaces a shorter one makes others go`() throws {
        let cache = place.cache(disk: 10 * CacheDirectory.block)
        let urls = (0..<10).map { "https://host/\($0)" }
        for url in urls { try cache.store("old", at: url) }
        let long = String(repeating: "x", count: 5 * CacheDirectory.block - 1000)
        try cache.store(long, at: urls[0])
        #expect(try cache.body(urls[0]) == long)
        #expect(try cache.body(urls[1]) == nil)
        #expect(try cache.body(urls[9]) == "old")
        #expect(cache.currentDiskUsage == 9 * CacheDirectory.block)
        #expect(place.names.count == 5)
    }

    // MARK: - Clocks

    @Test func `what was used last stays, by the clock of a server that is fast as well`() throws {
        let urls = (0..<10).map { "https://host/\($0)" }
        let first = place.cache()
        for url in urls { try first.store(url, at: url) }
        for (number, url) in urls.enumerated() {
            try place.setUse(of: url, secondsAgo: Double(40 - number * 10))
        }
        let cache = place.cache(disk: 10 * CacheDirectory.block)
        try cache.store("new", at: "https://host/new")
        for url in urls.prefix(2) { #expect(try cache.body(url) == nil) }
        for url in urls.suffix(8) { #expect(try cache.body(url) == url) }
    }

    @Test func `after the clock was set back, what was used since stays`() throws {
        let urls = (0..<10).map { "https://host/\($0)" }
        let first = place.cache()
        for url in urls { try first.store(url, at: url) }
        for url in urls.suffix(2) { try place.setUse(of: url, secondsAgo: -1000) }
        let cache = place.cache(disk: 10 * CacheDirectory.block)
        try cache.store("new", at: "https://host/new")
        for url in urls.suffix(2) { #expect(try cache.body(url) == nil) }
        for url in urls.prefix(8) { #expect(try cache.body(url) == url) }
    }

    @Test
    func `what this process has used last stays, by the clock of a server that is a lot fast`()
        throws
    {
        let urls = (0..<10).map { "https://host/\($0)" }
        let cache = place.cache(disk: 11 * CacheDirectory.block)
        for url in urls { try cache.store(url, at: url) }
        for url in urls.suffix(7) { try place.setUse(of: url, secondsAgo: -1000) }
        for url in urls.prefix(3) { try place.setUse(of: url, secondsAgo: 10) }
        try cache.store("new", at: "https://host/new")
        try cache.store("newer", at: "https://host/newer")
        for url in urls.prefix(3) { #expect(try cache.body(url) == nil) }
        for url in urls.suffix(7) { #expect(try cache.body(url) == url) }
    }

    // MARK: - What is being written

    @Test func `what is being written counts`() throws {
        let urls = (0..<5).map { "https://host/\($0)" }
        let first = place.cache()
        for url in urls { try first.store(url, at: url) }
        let unfinished = place.responses + "/new-" + UUID().uuidString
        try Data(count: 9 * CacheDirectory.block).write(to: URL(fileURLWithPath: unfinished))
        let capacity = 12 * CacheDirectory.block
        #expect(place.cache().currentDiskUsage == 14 * CacheDirectory.block)
        let cache = place.cache(disk: capacity)
        try cache.store("new", at: "https://host/new")
        #expect(try cache.body("https://host/new") == "new")
        #expect(cache.currentDiskUsage <= capacity)
        #expect(place.names.count <= 1 + 3)

        // Without room beside it, nothing is stored, and nothing goes.
        try cache.store("other", at: "https://host/other")
        try Data(count: capacity).write(to: URL(fileURLWithPath: unfinished))
        let others = try place.names.filter { try !place.file("https://host/new").hasSuffix($0) }
        #expect(others.count > 1)
        let full = place.cache(disk: capacity)
        try full.store("newer", at: "https://host/new")
        #expect(try full.body("https://host/new") == nil)
        #expect(Set(place.names) == Set(others))
        unlink(unfinished)
        try full.store("newest", at: "https://host/new")
        #expect(try full.body("https://host/new") == "newest")
    }
}
