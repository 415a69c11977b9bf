import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

extension TransferRequest {
    /// Translates a request, with what the session's configuration adds to it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: What is sent; not in the translation, but for a body in the request.
    ///   - configuration: That of the session.
    ///   - madeFor: The URL that the task was made for, where that is another one: what the session adds is meant for
    ///     its origin.
    /// - Throws: What Apple's library fails such a request with before it sends anything.
    init(
        _ request: URLRequest,
        body: DataBody,
        configuration: URLSessionConfiguration.Values,
        madeFor: String?
    ) throws(URLError) {
        let url = try Self.httpURL(of: request)
        try configuration.requireUsableProxy(for: url)
        let method = request.httpMethod ?? "GET"
        let bytes = body.isInRequest ? request.httpBody ?? Data() : Data()
        guard method != "GET" || body.isInRequest && bytes.isEmpty else {
            throw URLError(
                .dataLengthExceedsMaximum,
                url: url,
                reason: "A GET request must not have a body."
            )
        }
        self.init(
            url: url.absoluteString,
            method: method,
            fields: request.headerFields,
            body: bytes.isEmpty ? nil : Array(bytes),
            idleTimeout: Self.idleTimeout(of: request, configuration: configuration),
            madeFor: madeFor
        )
        self = adding(configuration.additionalFields)
        // In the order of their names, as Foundation keeps none and a repeated call must be the same.
        fields.sort { $0.name < $1.name }
        // DL-6: whatever the body comes from.
        if method == "POST", !body.isEmpty(for: request),
            fields.first(named: "Content-Type") == nil
        {
            fields.append(
                HTTPField(name: "Content-Type", value: "application/x-www-form-urlencoded")
            )
        }
    }

    /// Translates the request of a download, which can have no stream as its body.
    ///
    /// - Throws: What Apple's library fails such a request with before it sends anything.
    init(
        _ request: URLRequest,
        configuration: URLSessionConfiguration.Values,
        madeFor: String?
    ) throws(URLError) {
        guard request.httpBodyStream == nil else {
            throw URLError(
                .requestBodyStreamExhausted,
                url: request.url,
                reason: "A download's request can have data as its body, but no stream."
            )
        }
        try self.init(
            request,
            body: .inRequest,
            configuration: configuration,
            madeFor: madeFor
        )
    }

    private static func httpURL(of request: URLRequest) throws(URLError) -> URL {
        guard let url = request.url else { throw URLError(.unsupportedURL, url: nil) }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            Origin(url.absoluteURL) != nil
        else { throw URLError(.unsupportedURL, url: url) }
        return url
    }

    /// Foundation does not tell whether a request's time-out was set, so that its default counts as not
    /// set.
    private static func idleTimeout(
        of request: URLRequest,
        configuration: URLSessionConfiguration.Values
    ) -> Double {
        let isSet = request.timeoutInterval != defaultTimeoutInterval
        return max(isSet ? request.timeoutInterval : configuration.timeoutIntervalForRequest, 0)
    }

    private static let defaultTimeoutInterval: TimeInterval = 60
}

extension URLRequest {
    /// The request with the header fields that a session adds to each.
    ///
    /// - Parameters:
    ///   - configuration: That of the session.
    ///   - madeFor: The URL that the task was made for, where that is another one.
    /// - Returns: The request.
    func completed(
        by configuration: URLSessionConfiguration.Values,
        madeFor: String? = nil
    ) -> URLRequest {
        let fields = TransferRequest(url: url?.absoluteString ?? "", madeFor: madeFor)
            .adding(configuration.additionalFields).fields
        var request = self
        for field in fields where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return request
    }
}

extension URLSessionConfiguration.Values {
    /// The header fields that are added to every request.
    var additionalFields: [HTTPField] {
        (httpAdditionalHeaders.value ?? [:])
            .compactMap { key, value in
                guard let name = key as? String else { return nil }
                return HTTPField(name: name, value: value as? String ?? "\(value)")
            }
            .sorted { $0.name < $1.name }
    }

    var isBackground: Bool {
        guard case .background = kind else { return false }
        return true
    }
}
