import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

/// What makes two requests the same, so that one answer is for both.
///
/// Not the app's request: Foundation takes two for equal whose header fields differ.
struct RequestIdentity: Hashable, Sendable {
    private var request: TransferRequest
    private var mainDocumentURL: URL?
    private var handlesCookies: Bool
    private var policy: CachePolicy

    /// nil for requests that are to be made by themselves: with a body, or for a part, or past all caches.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - original: The request as the app has made it.
    ///   - configuration: That of the session.
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
    }
}
