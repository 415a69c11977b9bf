import FerryTransfer
import Foundation
import FoundationNetworking

/// The access of Ferry's sessions to a ``URLCache``, which may be a subclass of the app's.
///
/// Its calls block. Findings about the toolchain's cache (6.3), by tests that fail when it changes:
/// - It does not distinguish all URLs: ``CacheKey``.
/// - A response that is stored a second time under its key is listed a second time in the eviction order. When
///   that entry's turn comes, there is nothing to evict, and the process traps.
/// - A response that replaces another, but is too large for the memory or may be stored only there, leaves the
///   former one in the place where it is not stored itself, and the former one is then found.
/// - After the clock has been set back, the former response is kept and the new one removed.
///
///   So the former response is removed before another is stored.
/// - User info with anything but plain values traps, when it is stored or when it is read from disk.
/// - A cache without room on disk still reads and removes the files in its directory; without a path that is the
///   directory of the shared cache: ``URLSessionConfiguration/EphemeralStores``.
/// - Its files can be read by every user who can enter the directory (mode 644), so responses with secrets are
///   stored in memory only.
/// - It reads its whole directory for every miss (14 ms for a thousand responses), and the size of every file to
///   store something (100 ms), so all of this runs on ``ResponseCache/queue`` and not on the event loop.
struct URLCacheStorage {
    let cache: URLCache

    /// Returns the entry for a request, if there is one.
    func entry(for request: TransferRequest) -> CacheEntry? {
        guard let plain = Self.request(request.url),
            let response = cache.cachedResponse(for: plain)
        else { return nil }
        return CacheEntry(response, for: request)
    }

    /// Stores a response for a URL, replacing any earlier one.
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

    /// Removes the response to a URL.
    func remove(_ url: String) {
        guard let request = Self.request(url) else { return }
        cache.removeCachedResponse(for: request)
    }

    /// Returns a request; nil if the text is not a URL.
    private static func request(_ url: String) -> URLRequest? {
        URL(string: url).map { URLRequest(url: $0) }
    }
}
