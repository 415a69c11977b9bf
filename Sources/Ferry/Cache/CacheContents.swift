import Foundation
import FoundationNetworking

/// The responses of a ``URLCache``, in memory and on disk.
///
/// Its calls block while they read and write the disk.
struct CacheContents {
    /// How many bytes there may be.
    struct Limits {
        var memory: Int
        /// Without room on disk the disk is not looked at, either: its directory may be another cache's.
        var disk: Int
    }

    private var memory = RecencyList<CacheKey, KeptResponse>()
    private var disk: CacheDisk

    init(disk: CacheDisk) { self.disk = disk }

    /// How many bytes there are in memory.
    var memoryByteCount: Int { memory.cost }

    /// Returns how many bytes there are on disk, as far as this process knows.
    mutating func diskByteCount(within limits: Limits) -> Int {
        limits.disk > 0 ? disk.byteCount() : 0
    }

    /// Looks up a response, and marks it as used.
    mutating func response(for key: CacheKey, within limits: Limits) -> KeptResponse? {
        let now = Date()
        if let kept = memory.value(for: key) {
            let isDue = KeptResponse.isDue(lastMark: kept.marked, now: now)
            if limits.disk > 0 { disk.recordUse(of: key, marking: isDue) }
            return memory.use(key) { if isDue { $0.marked = now } }
        }
        guard limits.disk > 0, let kept = disk.response(for: key, limit: limits.disk) else {
            return nil
        }
        keep(kept, for: key, within: limits)
        return kept
    }

    /// Stores a response where its policy and the room allow it; an earlier one for the key is gone in any case.
    mutating func store(_ kept: KeptResponse, for key: CacheKey, within limits: Limits) {
        let policy = kept.response.storagePolicy
        memory.remove(key)
        if policy != .notAllowed { keep(kept, for: key, within: limits) }
        guard limits.disk > 0 else { return }
        if policy == .allowed {
            disk.store(kept, for: key, capacity: limits.disk)
        } else {
            disk.remove(key)
        }
    }

    /// Removes the response for a key.
    mutating func remove(_ key: CacheKey, within limits: Limits) {
        memory.remove(key)
        if limits.disk > 0 { disk.remove(key) }
    }

    /// Removes all responses.
    mutating func removeAll(within limits: Limits) {
        memory = RecencyList()
        if limits.disk > 0 { disk.removeAll() }
    }

    /// Removes the responses that were stored after a date.
    mutating func removeAll(since date: Date, within limits: Limits) {
        for key in Array(memory.keys) where memory.value(for: key).map({ $0.date > date }) == true {
            memory.remove(key)
        }
        if limits.disk > 0 { disk.removeAll(since: date) }
    }

    /// Removes the responses that were used least recently, until there are no more bytes in memory than this.
    mutating func evictFromMemory(to byteCount: Int) {
        while memory.cost > max(byteCount, 0), memory.removeOldest() != nil {}
    }

    /// Removes the responses that were used least recently, until there are no more bytes on disk than this.
    mutating func evictFromDisk(to byteCount: Int) {
        if byteCount > 0 { disk.evict(to: byteCount) } else { disk.removeAll() }
    }

    private mutating func keep(_ kept: KeptResponse, for key: CacheKey, within limits: Limits) {
        let cost = kept.memoryCost(for: key)
        guard cost <= limits.memory else { return }
        evictFromMemory(to: limits.memory - cost)
        memory.insert(kept, for: key, cost: cost)
    }
}
