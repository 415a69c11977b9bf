import FerryTransfer
import Foundation
import FoundationNetworking

/// Foundation's `URLCache`, used so that what it gets wrong does no harm.
///
/// Its calls block. Found in the toolchain's (6.3), by tests that say so when it changes:
/// - It knows URLs by too little: ``CacheKey``.
/// - A response that is stored a second time under its key is entered a second time into the order of
///   eviction. When it is that entry's turn, there is nothing to evict, and the process traps.
/// - A response that replaces one, but is too large for the memory or only for the memory, leaves the
///   former one where it is not stored itself, where it is then found.
/// - After the clock has been set back, the former response is kept and the new one removed.
///
///   So each is removed before another is stored. Two threads at once would undo that: all of Ferry's
///   calls come from one queue, ``ResponseCache/queue``.
/// - User info with anything but plain values traps, when it is stored or when it is read from disk:
///   ``mayGoToDisk(_:)``.
/// - A cache without room on disk still reads, and removes, what lies in its directory; without a path that
///   is the directory of the shared one: ``URLSessionConfiguration/EphemeralStores``.
/// - Its files can be read by everybody whom the directory lets through (mode 644), so that what has
///   secrets is stored in memory only.
/// - It reads its whole directory for every miss (14 ms for a thousand responses) and the size of every
///   file to store something (100 ms), for which reason none of this is done on the event loop.
struct URLCacheStorage {
    let cache: URLCache

    /// What is stored for a request.
    func entry(for request: TransferRequest) -> CacheEntry? {
        guard let key = CacheKey(url: request.url, in: cache) else { return nil }
        for place in [key.request, key.appRequest].compactMap({ $0 }) {
            guard let response = cache.cachedResponse(for: place),
                let entry = CacheEntry(response, under: key, for: request)
            else { continue }
            return entry
        }
        return nil
    }

    /// Stores a response for a URL in place of what is there.
    func store(_ entry: CacheEntry, for url: String) {
        guard let key = CacheKey(url: url, in: cache),
            let record = CacheRecord(entry.stored, url: key.url).encoded
        else { return }
        let response = entry.response
        var userInfo = response.userInfo ?? [:]
        let isDiskAllowed =
            response.storagePolicy == .allowed && !entry.stored.hasSecrets
            && Self.mayGoToDisk(userInfo)
        userInfo[CacheRecord.key] = record
        cache.removeCachedResponse(for: key.request)
        cache.storeCachedResponse(
            CachedURLResponse(
                response: response.response,
                data: response.data,
                userInfo: userInfo,
                storagePolicy: isDiskAllowed ? .allowed : .allowedInMemoryOnly
            ),
            for: key.request
        )
    }

    /// Removes what is stored for a URL.
    func remove(_ url: String) {
        guard let key = CacheKey(url: url, in: cache) else { return }
        cache.removeCachedResponse(for: key.request)
        // What is there may be for another URL.
        guard let place = key.appRequest, let response = cache.cachedResponse(for: place),
            CacheEntry(response, under: key, for: TransferRequest(url: url)) != nil
        else { return }
        cache.removeCachedResponse(for: place)
    }

    /// Whether Foundation can write the user info that an app has added, and read it again.
    private static func mayGoToDisk(_ userInfo: [AnyHashable: Any]) -> Bool {
        userInfo.allSatisfy { key, value in
            guard key.base is String else { return false }
            return switch value {
            case is String, is Data, is Date, is Bool, is Int, is Double: true
            default: false
            }
        }
    }
}
