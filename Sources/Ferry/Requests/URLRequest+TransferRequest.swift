import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

extension URLRequest {
    /// Creates a request as an app would have made it; without a URL if that cannot be read.
    init(_ request: TransferRequest) {
        self.init(url: URL(string: request.url) ?? Self.unreadable)
        url = URL(string: request.url)
        apply(request)
        if request.idleTimeout > 0 { timeoutInterval = request.idleTimeout }
    }

    /// The app's header fields, in whatever order Foundation has them.
    var headerFields: [HTTPField] {
        (allHTTPHeaderFields ?? [:]).map { HTTPField(name: $0.key, value: $0.value) }
    }

    /// Whether the resource is on this machine, or in the URL itself.
    var isLocal: Bool {
        guard let scheme = url?.scheme?.lowercased() else { return false }
        return scheme == "file" || scheme == "data"
    }

    /// Returns this request after redirects have turned it into `request`.
    func redirected(as request: TransferRequest) -> URLRequest {
        guard !isUnchanged(in: request), let target = URL(string: request.url) else { return self }
        var next = self
        next.url = target
        next.apply(request)
        return next
    }

    /// Returns whether a request is still the app's, apart from fields that were added to it.
    private func isUnchanged(in request: TransferRequest) -> Bool {
        request.url == url?.absoluteString && request.method == httpMethod ?? "GET"
            && (allHTTPHeaderFields ?? [:]).allSatisfy { field in
                request.fields.values(named: field.key).contains(field.value)
            }
    }

    /// A placeholder for creating a request, which needs a URL; it can be removed later.
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

extension TransferRequest {
    /// Creates the request that an app has chosen in place of the one that it was offered.
    ///
    /// - Parameters:
    ///   - chosen: The app's request.
    ///   - offered: The request that it was offered.
    ///   - request: The offered request, in the form of the layers below.
    init(_ chosen: URLRequest, insteadOf offered: URLRequest, _ request: TransferRequest) {
        self = request
        // Foundation considers two requests equal even if their fields or bodies differ.
        let isSame =
            chosen.url == offered.url && chosen.httpMethod == offered.httpMethod
            && chosen.httpBody == offered.httpBody
            && chosen.allHTTPHeaderFields ?? [:] == offered.allHTTPHeaderFields ?? [:]
        guard !isSame else { return }
        url = chosen.url?.absoluteString ?? ""
        method = chosen.httpMethod ?? "GET"
        body = chosen.httpBody.map { Array($0) }
        // Fields that the app has set itself may be sent to the URL that it has chosen.
        fields = chosen.headerFields.sorted { $0.name < $1.name }
    }
}
