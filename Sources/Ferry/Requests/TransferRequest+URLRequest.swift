import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

extension TransferRequest {
    /// Translates a request, with what the session's configuration adds to it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The body to send; it is part of the translation only if it is in the request.
    ///   - configuration: The session's configuration.
    ///   - madeFor: The URL that the task was made for, if it differs; the session's additions are meant for its
    ///     origin.
    /// - Throws: The error with which Apple's library fails such a request before it sends anything.
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
        // Sorted by name, because Foundation keeps no order and a repeated call must be the same.
        fields.sort { $0.name < $1.name }
        // DL-6: for a body from any source.
        if method == "POST", !body.isEmpty(for: request),
            fields.first(named: "Content-Type") == nil
        {
            fields.append(
                HTTPField(name: "Content-Type", value: "application/x-www-form-urlencoded")
            )
        }
    }

    /// Translates the request of a download, whose body cannot be a stream.
    ///
    /// - Throws: The error with which Apple's library fails such a request before it sends anything.
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

    /// Returns the idle time-out; a request's default value counts as not set, because Foundation does not report
    /// whether it was set.
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
    /// Returns the request with the header fields that a session adds to each.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration.
    ///   - madeFor: The URL that the task was made for, if it differs.
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
