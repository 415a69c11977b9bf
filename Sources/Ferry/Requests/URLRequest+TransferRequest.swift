import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

extension URLRequest {
    /// A request as an app would have made it; without URL where that cannot be read.
    init(_ request: TransferRequest) {
        self.init(url: URL(string: request.url) ?? Self.unreadable)
        url = URL(string: request.url)
        apply(request)
        if request.idleTimeout > 0 { timeoutInterval = request.idleTimeout }
    }

    /// This request after redirects have made `request` of it.
    func redirected(as request: TransferRequest) -> URLRequest {
        guard request.url != url?.absoluteString, let target = URL(string: request.url) else {
            return self
        }
        var next = self
        next.url = target
        next.apply(request)
        return next
    }

    /// Stands in while a request is made, which takes a URL and can lose it later.
    private static let unreadable = URL(fileURLWithPath: "/")

    private mutating func apply(_ request: TransferRequest) {
        httpMethod = request.method
        httpBody = request.body.map { Data($0) }
        allHTTPHeaderFields = Dictionary(
            request.fields.map { ($0.name, $0.value) },
            uniquingKeysWith: { "\($0), \($1)" }
        )
    }
}
