import Foundation
import Testing

@testable import Ferry

@Suite("Histories of a cache", .timeLimit(.minutes(5)))
struct URLCacheHistoryTests {
    /// Chance that a seed repeats (SplitMix64).
    private struct Chance: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var word = state
            word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
            return word ^ (word >> 31)
        }
    }

    private static let urls = [
        "https://host/a", "http://host/a", "https://host/a/", "https://host/%61",
        "https://host/a?b=1", "https://host/a?b=2", "https://host/", "https://host/aa%3F",
    ]

    /// Bodies that fit in, that only the disk has room for, and that nothing has.
    private static let lengths = [10, 500, 2500, 6000, 30_000]

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `a cache has the latest response to a URL or none`(seed: UInt64) throws {
        var chance = Chance(state: seed)
        let path = CacheSamples.path()
        var storage = URLCacheStorage(
            cache: CacheSamples.cache(at: path, memory: 5000, disk: 20_000)
        )
        var latest: [String: String] = [:]
        var hitCount = 0
        for step in 0..<100 {
            let url = try #require(Self.urls.randomElement(using: &chance))
            switch Int.random(in: 0..<10, using: &chance) {
            case 0:
                storage.remove(url)
                latest[url] = nil
            case 1:
                // The process starts anew.
                storage = URLCacheStorage(
                    cache: CacheSamples.cache(at: path, memory: 5000, disk: 20_000)
                )
            case 2..<6:
                let length = try #require(Self.lengths.randomElement(using: &chance))
                let body = "\(step) \(url) " + String(repeating: "x", count: length)
                let isForMemory = Int.random(in: 0..<4, using: &chance) == 0
                let entry = try CacheSamples.entry(
                    body,
                    url: url,
                    policy: isForMemory ? .allowedInMemoryOnly : .allowed
                )
                storage.store(entry, for: url)
                latest[url] = body
            default:
                guard let body = storage.body(url) else { continue }
                #expect(body == latest[url], "step \(step)")
                hitCount += 1
            }
        }
        #expect(hitCount > 0)
    }
}
