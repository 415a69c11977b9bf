import FerryTransfer
import Foundation
import FoundationNetworking

/// The request under which Foundation's cache stores the response to a URL.
///
/// That cache identifies a URL by host, port and decoded path only: it has one response for all queries, for
/// `http` and `https`, for `/a%2Fb` and `/a/b`. On disk the key is a Base64 file name, where a slash or more
/// than 255 bytes make storing fail silently. So a URL that the cache would confuse or lose is stored under a
/// key made from a hash, and any other under itself. In either case, the URL is in the user info of the stored
/// response.
struct CacheKey: Hashable {
    /// The URL without its fragment, which is not sent.
    let url: String
    /// The request to store under.
    let request: URLRequest

    /// The key of a request; nil for one without a URL.
    init?(_ request: URLRequest) {
        guard let text = request.url?.absoluteURL.absoluteString else { return nil }
        url = Self.withoutFragment(text)
        guard let plain = URL(string: url),
            let key = Self.isConfusable(plain) ? Self.ownURL(for: url) : plain
        else { return nil }
        self.request = URLRequest(url: key)
    }

    private static func isConfusable(_ url: URL) -> Bool {
        let path = url.path(percentEncoded: true)
        let isCanonical = path == url.path && (path == "/" || !path.hasSuffix("/"))
        let byteCount = path.utf8.count + (url.host(percentEncoded: true) ?? "").utf8.count
        let isSecure = url.scheme?.lowercased() == "https"
        return !isSecure || url.query != nil || !isCanonical || byteCount > greatestByteCount
    }

    /// The length that fits into a file name, in Base64 and with a time, an extension and a port.
    private static let greatestByteCount = 150

    private static func ownURL(for text: String) -> URL? {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        // FNV-1a. Two URLs with the same hash replace each other; they are not confused.
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return URL(string: "http://cache.ferry.invalid/" + String(hash, radix: 16))
    }

    private static func withoutFragment(_ text: String) -> String {
        String(text.prefix { $0 != "#" })
    }
}

// MARK: - Stored responses

extension CacheKey {
    /// The name of the user info entry that has the URL of a stored response.
    private static let name = "io.ferry.url"

    /// A response as it is stored under this key.
    func putOn(_ response: CachedURLResponse) -> CachedURLResponse {
        var userInfo = response.userInfo ?? [:]
        let mayGoToDisk = response.storagePolicy == .allowed && Self.mayGoToDisk(userInfo)
        userInfo[Self.name] = url
        return CachedURLResponse(
            response: response.response,
            data: response.data,
            userInfo: userInfo,
            storagePolicy: mayGoToDisk || response.storagePolicy != .allowed
                ? response.storagePolicy : .allowedInMemoryOnly
        )
    }

    /// Returns a stored response as it was given; nil if it is for another URL.
    func takeOff(_ response: CachedURLResponse) -> CachedURLResponse? {
        var userInfo = response.userInfo ?? [:]
        // Responses that an earlier Ferry or another program has stored have no such entry.
        let owner = userInfo.removeValue(forKey: Self.name) as? String
        let known = owner ?? response.response.url.map { Self.withoutFragment($0.absoluteString) }
        guard known == url else { return nil }
        return CachedURLResponse(
            response: response.response,
            data: response.data,
            userInfo: userInfo.isEmpty ? nil : userInfo,
            storagePolicy: response.storagePolicy
        )
    }

    /// Whether Foundation can write the user info, and read it again.
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

extension CachePolicy {
    /// How a request is to be answered in a session.
    ///
    /// Foundation does not report whether a request's policy was set, so its default counts as not set.
    init(_ request: URLRequest, configuration: URLSessionConfiguration.Values) {
        let own = request.cachePolicy
        self.init(own == .useProtocolCachePolicy ? configuration.requestCachePolicy : own)
    }

    /// Translates Apple's name.
    init(_ policy: NSURLRequest.CachePolicy) {
        switch policy {
        case .useProtocolCachePolicy: self = .useProtocolCachePolicy
        case .reloadIgnoringLocalCacheData: self = .reloadIgnoringLocalCacheData
        case .reloadIgnoringLocalAndRemoteCacheData: self = .reloadIgnoringLocalAndRemoteCacheData
        case .returnCacheDataElseLoad: self = .returnCacheDataElseLoad
        case .returnCacheDataDontLoad: self = .returnCacheDataDontLoad
        case .reloadRevalidatingCacheData: self = .reloadRevalidatingCacheData
        }
    }
}
