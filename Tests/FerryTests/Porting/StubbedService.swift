import Ferry
import Foundation

/// Answers an app's requests itself, for its tests and for demonstrations without a network: to those who have a key.
///
/// Written for Apple's URLSession; only an import is another.
final class StubbedService: URLProtocol {
    /// A configuration with which this answers.
    static func configuration(key: String?) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubbedService.self]
        if let key { configuration.httpAdditionalHeaders = ["X-Api-Key": key] }
        return configuration
    }

    override class func canInit(with request: URLRequest) -> Bool {
        request.value(forHTTPHeaderField: "X-Api-Key") != nil
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url,
                statusCode: 200,
                httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "text/plain"]
            )
        else { return }
        let key = request.value(forHTTPHeaderField: "X-Api-Key") ?? "none"
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("Your key is \(key).".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
