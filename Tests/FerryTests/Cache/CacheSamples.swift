import FerryHTTP
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import Ferry

/// Requests and responses for tests of the cache.
enum CacheSamples {
    static let url = "https://host/file"
    static let start = HTTPDate(secondsSince1970: 784_111_777)

    /// A path that no other test uses.
    static func path() -> String { "\(Home.path)/url-cache-\(UUID().uuidString)" }

    static func cache(
        at path: String = path(),
        memory: Int = 1 << 20,
        disk: Int = 10 << 20
    ) -> URLCache {
        URLCache(memoryCapacity: memory, diskCapacity: disk, diskPath: path)
    }

    static func request(_ url: String = url, _ fields: [(String, String)] = []) -> TransferRequest {
        TransferRequest(url: url, fields: fields.map { HTTPField(name: $0.0, value: $0.1) })
    }

    /// An answer as the transaction proposes it for storing.
    static func proposed(
        _ fields: [(String, String)] = [],
        to request: TransferRequest = request(),
        at time: HTTPDate = start
    ) throws -> StoredResponse {
        let head = HTTPResponseHead(
            status: 200,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: request.url
        )
        return try #require(
            StoredResponse(
                answering: request,
                with: head,
                requestTime: time,
                responseTime: time
            )
        )
    }

    /// An answer with a body that tells it from others.
    static func entry(
        _ body: String,
        url: String = url,
        fields: [(String, String)] = [],
        userInfo: [AnyHashable: Any]? = nil,
        policy: URLCache.StoragePolicy = .allowed
    ) throws -> CacheEntry {
        let stored = try proposed(fields, to: request(url))
        return CacheEntry(
            stored: stored,
            response: CachedURLResponse(
                response: try #require(HTTPURLResponse.make(stored.head)),
                data: Data(body.utf8),
                userInfo: userInfo,
                storagePolicy: policy
            )
        )
    }
}

extension URLCacheStorage {
    /// The body that is stored for a URL.
    func body(_ url: String = CacheSamples.url) -> String? {
        entry(for: CacheSamples.request(url)).map {
            String(decoding: $0.response.data, as: UTF8.self)
        }
    }
}
