import FerryTransfer
import Foundation
import FoundationNetworking

/// The requests under which a `URLCache` has the response to a URL.
///
/// Foundation's cache knows a URL by host, port and decoded path only: one response for all queries, for
/// `http` and `https`, for `/a%2Fb` and `/a/b`. On disk that key is a file name, in Base64, where a slash
/// or more than 255 bytes make storing fail without a word. So a URL that the cache would confuse or lose
/// goes under a key of its own, made of a hash; any other under the request itself, where the app finds
/// it, too. Which URL a stored response is for, its ``CacheRecord`` says in either case.
struct CacheKey: Hashable {
    /// The URL without its fragment, which is not sent.
    let url: String
    /// The request to store under, and to look under first.
    let request: URLRequest
    /// Where an app may have stored a response itself, if that is another place.
    let appRequest: URLRequest?

    /// The key of a URL in a cache; nil for a text that is no URL.
    init?(url text: String, in cache: URLCache) {
        let text = Self.withoutFragment(text)
        guard let url = URL(string: text) else { return nil }
        self.url = text
        let plain = URLRequest(url: url)
        // A cache of the app's own making has keys of its own, and is told what is really asked for.
        let isFoundations = type(of: cache) == URLCache.self
        guard isFoundations, Self.isConfusable(url), let own = Self.ownURL(for: text) else {
            request = plain
            appRequest = nil
            return
        }
        request = URLRequest(url: own)
        appRequest = plain
    }

    /// Whether a response's URL is this one.
    func isFor(_ url: URL?) -> Bool {
        url.map { Self.withoutFragment($0.absoluteString) } == self.url
    }

    private static func isConfusable(_ url: URL) -> Bool {
        let path = url.path(percentEncoded: true)
        let isCanonical = path == url.path && (path == "/" || !path.hasSuffix("/"))
        let byteCount = path.utf8.count + (url.host(percentEncoded: true) ?? "").utf8.count
        return url.query != nil || !isCanonical || byteCount > greatestByteCount
    }

    /// What fits into a file's name, in Base64 and with a time, an ending and a port.
    private static let greatestByteCount = 150

    private static func ownURL(for text: String) -> URL? {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        // FNV-1a. Two URLs with one hash push each other out; they are not taken for each other.
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return URL(string: "http://cache.ferry.invalid/" + String(hash, radix: 16))
    }

    private static func withoutFragment(_ text: String) -> String {
        String(text.prefix { $0 != "#" })
    }
}
