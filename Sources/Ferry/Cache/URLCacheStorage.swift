import FerryTransfer
import Foundation
import FoundationNetworking

/// The access of Ferry's sessions to a ``URLCache``, which may be a subclass of the app's.
///
/// Its calls block, so they are made on ``URLCache/queue`` and not on the event loop.
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
