import FerryTransfer
import Foundation
import FoundationNetworking

/// How Ferry's sessions use a ``URLCache``, which may be of a class of the app's own.
///
/// Its calls block. Found in the toolchain's (6.3), by tests that say so when it changes:
/// - It knows URLs by too little: ``CacheKey``.
/// - A response that is stored a second time under its key is entered a second time into the order of
///   eviction. When it is that entry's turn, there is nothing to evict, and the process traps.
/// - A response that replaces one, but is too large for the memory or only for the memory, leaves the
///   former one where it is not stored itself, where it is then found.
/// - After the clock has been set back, the former response is kept and the new one removed.
///
///   So each is removed before another is stored.
/// - User info with anything but plain values traps, when it is stored or when it is read from disk.
/// - A cache without room on disk still reads, and removes, what lies in its directory; without a path that
///   is the directory of the shared one: ``URLSessionConfiguration/EphemeralStores``.
/// - Its files can be read by everybody whom the directory lets through (mode 644), so that what has
///   secrets is stored in memory only.
/// - It reads its whole directory for every miss (14 ms for a thousand responses) and the size of every
///   file to store something (100 ms), for which reason none of this is done on the event loop, but by
///   ``ResponseCache/queue``.
struct URLCacheStorage {
    let cache: URLCache

    /// What is stored for a request.
    func entry(for request: TransferRequest) -> CacheEntry? {
        guard let plain = Self.request(request.url),
            let response = cache.cachedResponse(for: plain)
        else { return nil }
        return CacheEntry(response, for: request)
    }

    /// Stores a response for a URL in place of what is there.
    func store(_ entry: CacheEntry, for url: String) {
        guard let request = Self.request(url), let record = CacheRecord(entry.stored).encoded else {
            return
        }
        let response = entry.response
        let hasSecrets = entry.stored.hasSecrets
        var userInfo = response.userInfo ?? [:]
        userInfo[CacheRecord.key] = record
        cache.storeCachedResponse(
            CachedURLResponse(
                response: response.response,
                data: response.data,
                userInfo: userInfo,
                storagePolicy: hasSecrets ? .allowedInMemoryOnly : response.storagePolicy
            ),
            for: request
        )
    }

    /// Removes what is stored for a URL.
    func remove(_ url: String) {
        guard let request = Self.request(url) else { return }
        cache.removeCachedResponse(for: request)
    }

    /// Nil for a text that is no URL.
    private static func request(_ url: String) -> URLRequest? {
        URL(string: url).map { URLRequest(url: $0) }
    }
}
