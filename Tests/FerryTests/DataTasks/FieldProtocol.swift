import Foundation
import FoundationNetworking

/// Takes what has the field that its session adds, by code that knows nothing of Ferry.
final class FieldProtocol: FoundationNetworking.URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "field"
            && request.value(forHTTPHeaderField: "X-Session") == "added"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let own = request.value(forHTTPHeaderField: "X-Own") ?? "none"
        let response = URLResponse(
            url: url,
            mimeType: nil,
            expectedContentLength: -1,
            textEncodingName: nil
        )
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(own.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
