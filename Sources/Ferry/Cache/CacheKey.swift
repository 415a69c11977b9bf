import FerryHTTP
import Foundation
import FoundationNetworking

/// What the response to a URL is stored under: all of the URL but its fragment, which is not sent.
struct CacheKey: Hashable {
    /// The URL without its fragment.
    let url: String

    /// The key of a request; nil for one without a URL.
    init?(_ request: URLRequest) {
        guard let text = request.url?.absoluteURL.absoluteString else { return nil }
        url = String(text.prefix { $0 != "#" })
    }

    /// The name of the response's file; nil if the system's policy forbids SHA-256.
    ///
    /// A URL itself may be too long for a name, and tells what was loaded.
    var fileName: String? { try? MessageDigest.sha256.hexadecimal(of: url) }
}
