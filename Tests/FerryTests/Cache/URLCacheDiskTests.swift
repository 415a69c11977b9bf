import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Ferry

@Suite("URLCache on disk", .timeLimit(.minutes(5)))
struct URLCacheDiskTests {
    /// What a small response takes.
    private static let block = 4096

    private let path: String
    private let temporary: TemporaryDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        path = temporary.path + "/cache"
    }

    /// A cache as it is after a restart, with as little in memory as is possible.
    private func cache(memory: Int = 0, disk: Int = 10 << 20) -> URLCache {
        CacheSamples.cache(at: path, memory: memory, disk: disk)
    }

    private var responses: String { path + "/io.ferry.responses" }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: responses)) ?? []
    }

    private func file(_ url: String) throws -> String {
        let address = try #require(URL(string: url))
        return responses + "/" + (try #require(CacheKey(URLRequest(url: address))?.fileName))
    }

    /// Sets when a response was last used.
    private func setUse(of url: String, secondsAgo: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)],
            ofItemAtPath: file(url)
        )
    }

    private func use(of url: String) throws -> Date {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(url))
        return try #require(attributes[.modificationDate] as? Date)
    }

    // MARK: - The time that calls take

    #if DEBUG
    @Test func `neither a hit nor a miss lists the directory, however much is in it`()
        async throws
    {
        let cache = cache(disk: 400 << 20)
        let urls = (0..<10_000).map { "https://host/\($0)" }
        for url in urls.dropLast(500) { try cache.store(url, at: url) }
        // The record takes longer for each call that it has.
        let record = SystemCallRecord(of: ["openat", "fstatat", "renameat2"], in: responses)
        let stores = await calls(record) {
            for url in urls.suffix(500) { try cache.store(url, at: url) }
        }
        // There is a listing for each tenth of the capacity; one file is opened and renamed for each response.
        #expect(stores.filter { $0 == "openat " }.count <= 1)
        #expect(cache.currentDiskUsage == 10_000 * Self.block)

        let again = self.cache(disk: 400 << 20)
        let lookups = await calls(record) {
            for url in urls.prefix(500) {
                let (hit, miss) = (try again.body(url), try again.body(url + "?none"))
                #expect(hit == url)
                #expect(miss == nil)
            }
        }
        // The directory is opened once; then there is a file for each lookup.
        #expect(lookups.filter { $0 == "openat " }.count == 1)
        #expect(lookups.count == 1001)

        let removals = await calls(record) {
            for url in urls.prefix(500) { try again.remove(url) }
        }
        #expect(removals == [])
    }

    /// The calls in the directory while work is done where it may block.
    private func calls(
        _ record: SystemCallRecord,
        _ work: @escaping @Sendable () throws -> Void
    ) async -> [String] {
        await record.during {
            await ResponseCache.queue.run {
                do { try work() } catch { Issue.record(error) }
            }
        }
    }

    @Test func `a process that is killed before it has stored a response leaves the former one`()
        async throws
    {
        let url = CacheSamples.url
        try cache().store("old", at: url)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            systemCallObserver.withLock { observer in
                observer = { name, _ in if name == "renameat2" { kill(getpid(), SIGKILL) } }
            }
            let cache = CacheSamples.cache(at: path)
            try cache.store("new", at: CacheSamples.url)
        }
        #expect(names.count == 2)
        #expect(try cache().body(url) == "old")

        // What it has left is removed when no process can be writing it any more.
        #expect(cache().currentDiskUsage == Self.block)
        #expect(names.count == 2)
        let left = try #require(names.first { $0.hasPrefix("new-") })
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -1000)],
            ofItemAtPath: responses + "/" + left
        )
        #expect(cache().currentDiskUsage == Self.block)
        #expect(try names == [URL(fileURLWithPath: file(url)).lastPathComponent])
    }
    #endif

    // MARK: - Files

    @Test func `a cache that is only asked leaves nothing on disk`() throws {
        let cache = cache()
        #expect(try cache.body(CacheSamples.url) == nil)
        try cache.remove(CacheSamples.url)
        cache.removeAllCachedResponses()
        #expect(cache.currentDiskUsage == 0)
        cache.diskCapacity = 1
        #expect(try temporary.names == [])
    }

    @Test func `the directory and its files are the user's alone`() throws {
        try cache().store("a", at: CacheSamples.url)
        for (path, mode) in [(responses, 0o700), (try file(CacheSamples.url), 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        // Where other users could place responses, nothing is looked for.
        chmod(responses, 0o777)
        let cache = cache()
        #expect(try cache.body(CacheSamples.url) == nil)
        try cache.store("b", at: "https://host/b")
        #expect(names.count == 1)
    }

    @Test func `what Foundation's cache has left in the directory is removed once`() throws {
        let (old, other) = (
            "7000.aG9zdA==.storedcachedurlresponse", "notes.storedcachedurlresponse"
        )
        let parent = try Directory(opening: path, creatingPrivate: true)
        for name in [old, other, "a.b.c"] { _ = try parent.open(name, .createNew) }
        try cache().store("a", at: CacheSamples.url)
        #expect(try Set(parent.names()) == [other, "a.b.c", "io.ferry.responses"])
        _ = try parent.open(old, .createNew)
        try cache().store("b", at: CacheSamples.url)
        #expect(try parent.names().contains(old))
    }

    @Test(arguments: ["truncated", "emptied", "overwritten", "link", "pipe"])
    func `a damaged file is a miss, and removed`(kind: String) throws {
        let url = CacheSamples.url
        try cache().store("a", at: url)
        let file = try file(url)
        switch kind {
        case "truncated": truncate(file, 100)
        case "emptied": truncate(file, 0)
        case "overwritten":
            try Data(repeating: 0xff, count: 500).write(to: URL(fileURLWithPath: file))
        case "link":
            unlink(file)
            symlink("/etc/passwd", file)
        default:
            unlink(file)
            mkfifo(file, 0o600)
        }
        let cache = cache()
        #expect(try cache.body(url) == nil)
        #expect(names == [])
        try cache.store("b", at: url)
        #expect(try self.cache().body(url) == "b")
    }

    @Test func `what else is in the directory does not matter`() throws {
        try cache().store("a", at: CacheSamples.url)
        let directory = try Directory(opening: responses)
        let name = String(repeating: "0", count: 64)
        _ = try directory.openSubdirectory(name)
        _ = try directory.open("notes", .createNew)
        _ = try directory.open(String(name.dropLast()) + "Z", .createNew)
        let cache = cache(disk: 3 * Self.block)
        #expect(cache.currentDiskUsage == Self.block)
        for number in 0..<5 { try cache.store("b", at: "https://host/\(number)") }
        #expect(try cache.body("https://host/4") == "b")
        cache.removeAllCachedResponses()
        #expect(Set(names) == [name, "notes", String(name.dropLast()) + "Z"])
    }

    @Test func `a directory that is removed meanwhile is made again`() throws {
        let cache = cache()
        try cache.store("a", at: "https://host/a")
        try FileManager.default.removeItem(atPath: path)
        #expect(try cache.body("https://host/a") == nil)
        try cache.store("b", at: "https://host/b")
        #expect(try cache.body("https://host/b") == "b")
        #expect(cache.currentDiskUsage == Self.block)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "only root can mount a small file system"))
    func `on a full disk nothing is stored, and no former response is left`() throws {
        let disk = try SmallDisk(byteCount: 1 << 20)
        let cache = CacheSamples.cache(at: disk.path, memory: 0)
        let url = CacheSamples.url
        try cache.store("old", at: url)
        try disk.fill()
        try cache.store(String(repeating: "x", count: 100_000), at: url)
        #expect(try cache.body(url) == nil)
        #expect(cache.currentDiskUsage == 0)
        let responses = try disk.directory.openSubdirectory("io.ferry.responses", creating: false)
        #expect(try responses.names() == [])
        disk.empty()
        try cache.store("new", at: url)
        #expect(try cache.body(url) == "new")
    }

    // MARK: - Room

    @Test func `what was used least recently goes first, also after a restart`() throws {
        let urls = (0..<10).map { "https://host/\($0)" }
        let first = cache()
        for url in urls { try first.store(url, at: url) }
        for (number, url) in urls.enumerated() {
            try setUse(of: url, secondsAgo: Double(1000 - number * 10))
        }
        #expect(try cache().body(urls[0]) == urls[0])
        #expect(try use(of: urls[0]).timeIntervalSinceNow > -60)
        #expect(try use(of: urls[1]).timeIntervalSinceNow < -900)

        let cache = cache(disk: 10 * Self.block)
        #expect(try cache.body(urls[1]) == urls[1])
        try cache.store("new", at: "https://host/new")
        #expect(cache.currentDiskUsage <= 10 * Self.block)
        #expect(names.count * Self.block == cache.currentDiskUsage)
        for url in [urls[0], urls[1], urls[9]] { #expect(try cache.body(url) == url) }
        #expect(try cache.body("https://host/new") == "new")
        for url in [urls[2], urls[3]] { #expect(try cache.body(url) == nil) }
    }

    @Test func `a response that is used in memory is kept on disk, too`() throws {
        let cache = cache(memory: 1 << 20, disk: 5 * Self.block)
        for number in 0..<30 {
            try cache.store("a", at: "https://host/\(number)")
            #expect(try cache.body("https://host/0") == "a")
        }
        #expect(try self.cache().body("https://host/0") == "a")
        #expect(try self.cache().body("https://host/1") == nil)
    }

    @Test func `a use is marked at most once a minute`() throws {
        let url = CacheSamples.url
        let cache = cache(memory: 1 << 20)
        try cache.store("a", at: url)
        try setUse(of: url, secondsAgo: 30)
        #expect(try self.cache().body(url) == "a")
        #expect(try use(of: url).timeIntervalSinceNow < -25)
        try setUse(of: url, secondsAgo: 70)
        // It was stored less than a minute ago.
        #expect(try cache.body(url) == "a")
        #expect(try use(of: url).timeIntervalSinceNow < -65)
        #expect(try self.cache().body(url) == "a")
        #expect(try use(of: url).timeIntervalSinceNow > -60)
        // The clock was set back.
        try setUse(of: url, secondsAgo: -1000)
        #expect(try self.cache().body(url) == "a")
        #expect(try use(of: url).timeIntervalSinceNow < 60)
    }

    @Test func `what other processes have written counts`() throws {
        let capacity = 20 * Self.block
        let (one, other) = (cache(disk: capacity), cache(disk: capacity))
        for number in 0..<100 {
            try one.store("a", at: "https://one/\(number)")
            try other.store("b", at: "https://other/\(number)")
            // Each knows of the other's after a tenth of the capacity.
            #expect(names.count <= 20 + 2 * 3)
        }
        try one.store("a", at: "https://one/last")
        #expect(try other.body("https://one/last") == "a")
        #expect(try one.body("https://other/99") == "b")
        one.diskCapacity = 5 * Self.block
        #expect(names.count == 5)
    }

    @Test func `a smaller capacity removes what is too much at once`() throws {
        let cache = cache(memory: 1 << 20)
        for number in 0..<20 { try cache.store("a", at: "https://host/\(number)") }
        #expect(cache.currentDiskUsage == 20 * Self.block)
        cache.diskCapacity = 7 * Self.block
        #expect(cache.currentDiskUsage == 7 * Self.block)
        #expect(names.count == 7)
        #expect(try self.cache().body("https://host/19") == "a")
        #expect(try self.cache().body("https://host/0") == nil)

        #expect(cache.currentMemoryUsage > 20 * 1024)
        #expect(try cache.body("https://host/0") == "a")
        cache.memoryCapacity = 3 * 1024
        #expect((1...3 * 1024).contains(cache.currentMemoryUsage))
        #expect(cache.memoryCapacity == 3 * 1024)

        cache.diskCapacity = 0
        #expect(names == [])
        #expect(cache.currentDiskUsage == 0)
        #expect(cache.diskCapacity == 0)
        try cache.store("b", at: "https://host/b")
        #expect(names == [])
    }

    @Test func `a response that is larger than the capacity is not stored, and leaves none`() throws
    {
        let cache = cache(disk: 3 * Self.block)
        try cache.store("old", at: CacheSamples.url)
        try cache.store("a", at: "https://host/a")
        try cache.store(String(repeating: "x", count: 3 * Self.block), at: CacheSamples.url)
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
        try cache().store("a", at: CacheSamples.url)
        let other = cache(memory: 1 << 20, disk: 0)
        #expect(try other.body(CacheSamples.url) == nil)
        try other.store("b", at: CacheSamples.url)
        other.removeAllCachedResponses()
        other.removeCachedResponses(since: .distantPast)
        #expect(try cache().body(CacheSamples.url) == "a")
    }

    // MARK: - Removing

    @Test(arguments: [0, 1 << 20])
    func `all responses are removed, those of other processes as well`(memory: Int) throws {
        let cache = cache(memory: memory)
        try cache.store("a", at: "https://host/a")
        try self.cache().store("b", at: "https://host/b")
        cache.removeAllCachedResponses()
        #expect(names == [])
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
        let cache = cache(memory: memory)
        try cache.store("a", at: "https://host/a")
        let date = Date()
        try cache.store("b", at: "https://host/b")
        try setUse(of: "https://host/b", secondsAgo: 1000)
        #expect(try cache.body("https://host/a") == "a")
        cache.removeCachedResponses(since: date)
        #expect(try cache.body("https://host/a") == "a")
        #expect(try cache.body("https://host/b") == nil)
        #expect(cache.currentDiskUsage == Self.block)
        cache.removeCachedResponses(since: .distantPast)
        #expect(names == [])
        #expect(try cache.body("https://host/a") == nil)
    }

    @Test func `responses for the memory alone are never on disk`() throws {
        let cache = cache(memory: 1 << 20)
        for policy in [URLCache.StoragePolicy.allowedInMemoryOnly, .notAllowed] {
            try cache.store("old", at: CacheSamples.url)
            try cache.store("new", at: CacheSamples.url, policy: policy)
            #expect(names == [])
            let found = try cache.body(CacheSamples.url)
            #expect(found == (policy == .notAllowed ? nil : "new"))
        }
    }

    // MARK: - Several at once

    @Test func `two caches with a directory see each other's responses`() throws {
        let (one, other) = (cache(), cache())
        try one.store("a", at: CacheSamples.url)
        #expect(try other.body(CacheSamples.url) == "a")
        try other.store("b", at: CacheSamples.url)
        #expect(try one.body(CacheSamples.url) == "b")
        #expect(one.currentDiskUsage == other.currentDiskUsage)
        try one.remove(CacheSamples.url)
        #expect(try other.body(CacheSamples.url) == nil)
        #expect(other.currentDiskUsage == 0)
    }

    @Test func `calls of many threads leave whole responses`() async throws {
        let caches = [cache(memory: 20_000, disk: 200_000), cache(disk: 200_000)]
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for step in 0..<100 {
                        let cache = caches[(number + step) % 2]
                        let url = "https://host/\(step % 7)"
                        let text = "\(url) " + String(repeating: "x", count: step * 100)
                        switch (number + step) % 5 {
                        case 0: try cache.remove(url)
                        case 1: try cache.store(text, at: url)
                        default: #expect(try cache.body(url)?.hasPrefix(url + " ") != false)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(!names.contains { $0.hasPrefix("new-") })
    }

    @Test func `the default directory is named after the process`() async {
        await #expect(processExitsWith: .success) {
            let parent = Home.path + "/cache/org.swift.foundation.URLCache"
            let cache = URLCache(memoryCapacity: 0, diskCapacity: 1 << 20, directory: nil)
            try cache.store("a", at: CacheSamples.url)
            let responses = "\(parent)/\(ProcessInfo.processInfo.processName)/io.ferry.responses"
            #expect(try FileManager.default.contentsOfDirectory(atPath: responses).count == 1)
        }
    }
}

extension URLCache {
    /// Stores a body for a URL.
    fileprivate func store(
        _ body: String,
        at url: String,
        policy: URLCache.StoragePolicy = .allowed
    ) throws {
        let entry = try CacheSamples.entry(body, url: url, policy: policy)
        storeCachedResponse(entry.response, for: URLRequest(url: try #require(URL(string: url))))
    }

    fileprivate func body(_ url: String) throws -> String? {
        let request = URLRequest(url: try #require(URL(string: url)))
        return cachedResponse(for: request).map { String(decoding: $0.data, as: UTF8.self) }
    }

    fileprivate func remove(_ url: String) throws {
        removeCachedResponse(for: URLRequest(url: try #require(URL(string: url))))
    }
}
