import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// The properties by which two requests are equal, so that one response serves both.
///
/// Not the app's request: Foundation considers two requests equal whose header fields differ.
///
/// It is an object, and knows its hash, since dictionaries compare it with many others.
final class RequestIdentity: Hashable, Sendable {
    private struct Properties: Hashable {
        var request: TransferRequest
        var mainDocumentURL: URL?
        var handlesCookies: Bool
        var policy: CachePolicy
        /// The conditions of the network in which the task does not load.
        var avoided: Conditions
        var isDownload: Bool
    }

    private let properties: Properties
    private let hash: Int

    /// Creates an identity; nil for requests that are not shared: other than GET, with a body, for a
    /// part, or past all caches.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - original: The request as the app has made it.
    ///   - configuration: The session's configuration.
    ///   - isDownload: Whether it is a download's, which shares nothing with data tasks.
    init?(
        _ request: TransferRequest,
        of original: URLRequest,
        configuration: borrowing URLSessionConfiguration.Values,
        isDownload: Bool
    ) {
        let policy = CachePolicy(original, configuration: configuration)
        guard request.body == nil, request.method == "GET",
            request.fields.first(named: "Range") == nil,
            policy != .reloadIgnoringLocalAndRemoteCacheData,
            policy != .reloadIgnoringLocalCacheData
        else { return nil }
        properties = Properties(
            request: request,
            mainDocumentURL: original.mainDocumentURL,
            handlesCookies: original.httpShouldHandleCookies,
            policy: policy,
            avoided: Conditions(avoidedBy: original, in: configuration),
            isDownload: isDownload
        )
        // The URL and the values of fields: requests differ in little else.
        var hasher = Hasher()
        hasher.combine(request.url)
        for field in request.fields { hasher.combine(field.value) }
        hash = hasher.finalize()
    }

    static func == (one: RequestIdentity, other: RequestIdentity) -> Bool {
        one === other || one.hash == other.hash && one.properties == other.properties
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
