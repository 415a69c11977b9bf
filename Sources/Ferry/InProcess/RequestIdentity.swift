import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// The properties by which two requests are equal, so that one response serves both.
///
/// Not the app's request: Foundation considers two requests equal whose header fields differ.
struct RequestIdentity: Hashable, Sendable {
    private var request: TransferRequest
    private var mainDocumentURL: URL?
    private var handlesCookies: Bool
    private var policy: CachePolicy
    /// The conditions of the network in which the task does not load.
    private var avoided: Conditions

    /// Creates an identity; nil for requests that are not shared: other than GET, with a body, for a
    /// part, or past all caches.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - original: The request as the app has made it.
    ///   - configuration: The session's configuration.
    init?(
        _ request: TransferRequest,
        of original: URLRequest,
        configuration: URLSessionConfiguration.Values
    ) {
        policy = CachePolicy(original, configuration: configuration)
        guard request.body == nil, request.method == "GET",
            request.fields.first(named: "Range") == nil,
            policy != .reloadIgnoringLocalAndRemoteCacheData,
            policy != .reloadIgnoringLocalCacheData
        else { return nil }
        self.request = request
        mainDocumentURL = original.mainDocumentURL
        handlesCookies = original.httpShouldHandleCookies
        avoided = Conditions(avoidedBy: original, in: configuration)
    }

    /// Hashes the URL and the values of fields: requests differ in little else.
    func hash(into hasher: inout Hasher) {
        hasher.combine(request.url)
        for field in request.fields { hasher.combine(field.value) }
    }
}
