import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Ferry

@Suite("URLCache on disk", .timeLimit(.minutes(5)))
struct URLCacheDiskTests {
    private let place: CacheDirectory

    init() throws { place = try CacheDirectory() }

    // MARK: - The time that calls take

    #if DEBUG
    @Test func `neither a hit nor a miss lists the directory, however much is in it`()
        async throws
    {
        let cache = place.cache(disk: 400 << 20)
        let urls = (0..<10_000).map { "https://host/\($0)" }
        for url in urls.dropLast(500) { try cache.store(url, at: url) }
        // The record takes longer for each call that it has.
        let record = SystemCallRecord(of: ["openat", "fstatat", "renameat2"], in: place.responses)
        let stores = await calls(record) {
            for url in urls.suffix(500) { try cache.store(url, at: url) }
        }
        // There is a listing for each tenth of the capacity; one file is opened and renamed for each response.
        #expect(stores.filter { $0 == "openat " }.count <= 1)
        #expect(cache.currentDiskUsage == 10_000 * CacheDirectory.block)

        let again = place.cache(disk: 400 << 20)
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
            await BlockingQueue(label: "test").run {
                do { try work() } catch { Issue.record(error) }
            }
        }
    }

    @Test func `a process that is killed before it has stored a response leaves the former one`()
        async throws
    {
        let url = CacheSamples.url
        try place.cache().store("old", at: url)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.path as String] in
            systemCallObservers.withLock { observers in
                observers[ObjectIdentifier(URLCache.self)] = { name, _ in
                    if name == "renameat2" { kill(getpid(), SIGKILL) }
                }
            }
            let cache = CacheSamples.cache(at: path)
            try cache.store("new", at: CacheSamples.url)
        }
        #expect(place.names.count == 2)
        #expect(try place.cache().body(url) == "old")

        // What it has left is removed when no process can be writing it any more.
        #expect(place.cache().currentDiskUsage == 2 * CacheDirectory.block)
        #expect(place.names.count == 2)
        let left = try #require(place.names.first { $0.hasPrefix("new-") })
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -1000)],
            ofItemAtPath: place.responses + "/" + left
        )
        #expect(place.cache().currentDiskUsage == CacheDirectory.block)
        #expect(try place.names == [URL(fileURLWithPath: place.file(url)).lastPathComponent])
    }
    #endif

    // MARK: - Files

    @Test func `a cache that is only asked leaves nothing on disk`() throws {
        let cache = place.cache()
        #expect(try cache.body(CacheSamples.url) == nil)
        try cache.remove(CacheSamples.url)
        cache.removeAllCachedResponses()
        #expect(cache.currentDiskUsage == 0)
        cache.diskCapacity = 1
        #expect(try place.temporary.names == [])
    }

    @Test func `the directory and its files are the user's alone`() throws {
        try place.cache().store("a", at: CacheSamples.url)
        for (path, mode) in [(place.responses, 0o700), (try place.file(CacheSamples.url), 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        // Where other users could place responses, nothing is looked for.
        chmod(place.responses, 0o777)
        let cache = place.cache()
        #expect(try cache.body(CacheSamples.url) == nil)
        try cache.store("b", at: "https://host/b")
        #expect(place.names.count == 1)
    }

    @Test func `what Foundation's cache has left in the directory is removed once`() throws {
        let (old, other) = (
            "7000.aG9zdA==.storedcachedurlresponse", "notes.storedcachedurlresponse"
        )
        let parent = try Directory(opening: place.path, creatingPrivate: true)
        for name in [old, other, "a.b.c"] { _ = try parent.open(name, .createNew) }
        try place.cache().store("a", at: CacheSamples.url)
        #expect(try Set(parent.names()) == [other, "a.b.c", "io.ferry.responses"])
        _ = try parent.open(old, .createNew)
        try place.cache().store("b", at: CacheSamples.url)
        #expect(try parent.names().contains(old))
    }

    @Test(arguments: ["truncated", "emptied", "overwritten", "link", "pipe"])
    func `a damaged file is a miss, and removed`(kind: String) throws {
        let url = CacheSamples.url
        try place.cache().store("a", at: url)
        let file = try place.file(url)
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
        let cache = place.cache()
        #expect(try cache.body(url) == nil)
        #expect(place.names == [])
        try cache.store("b", at: url)
        #expect(try place.cache().body(url) == "b")
    }

    @Test func `what else is in the directory does not matter`() throws {
        try place.cache().store("a", at: CacheSamples.url)
        let directory = try Directory(opening: place.responses)
        let name = String(repeating: "0", count: 64)
        _ = try directory.openSubdirectory(name)
        _ = try directory.open("notes", .createNew)
        _ = try directory.open(String(name.dropLast()) + "Z", .createNew)
        let cache = place.cache(disk: 3 * CacheDirectory.block)
        #expect(cache.currentDiskUsage == CacheDirectory.block)
        for number in 0..<5 { try cache.store("b", at: "https://host/\(number)") }
        #expect(try cache.body("https://host/4") == "b")
        cache.removeAllCachedResponses()
        #expect(Set(place.names) == [name, "notes", String(name.dropLast()) + "Z"])
    }

    @Test func `a directory that is removed meanwhile is made again`() throws {
        let cache = place.cache()
        try cache.store("a", at: "https://host/a")
        try FileManager.default.removeItem(atPath: place.path)
        #expect(try cache.body("https://host/a") == nil)
        try cache.store("b", at: "https://host/b")
        #expect(try cache.body("https://host/b") == "b")
        #expect(cache.currentDiskUsage == CacheDirectory.block)
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

    // MARK: - Several at once

    @Test func `two caches with a directory see each other's responses`() throws {
        let (one, other) = (place.cache(), place.cache())
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
        let caches = [place.cache(memory: 20_000, disk: 200_000), place.cache(disk: 200_000)]
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
        #expect(!place.names.contains { $0.hasPrefix("new-") })
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
