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
        configuration: borrowing URLSessionConfiguration.Values,
        madeFor: String?
    ) throws(URLError) {
        let url = try Self.httpURL(of: request)
        try configuration.requireUsableConnections(for: url)
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
            madeFor: madeFor,
            cookieAcceptance: CookieAcceptance(request, configuration: configuration)
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
        configuration: borrowing URLSessionConfiguration.Values,
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
        guard let url = request.url else {
            throw URLError(.unsupportedURL, url: nil, reason: "The request has no URL.")
        }
        guard let scheme = url.scheme?.lowercased() else {
            throw URLError(.unsupportedURL, url: url, reason: "The URL has no scheme.")
        }
        guard scheme == "http" || scheme == "https" else {
            let reason = "URLs of the scheme “\(scheme)” cannot be loaded here."
            throw URLError(.unsupportedURL, url: url, reason: reason)
        }
        guard Origin(url.absoluteURL) != nil else {
            throw URLError(.unsupportedURL, url: url, reason: "The URL has no usable host.")
        }
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
        let additionalFields = configuration.additionalFields
        guard !additionalFields.isEmpty else { return self }
        let fields = TransferRequest(url: url?.absoluteString ?? "", madeFor: madeFor)
            .adding(additionalFields).fields
        // At once: Foundation looks through all fields to find one, and would do that for each.
        var all = allHTTPHeaderFields ?? [:]
        let present = Set(all.keys.map { $0.lowercased() })
        for field in fields where !present.contains(field.name.lowercased()) {
            all[field.name] = field.value
        }
        var request = self
        request.allHTTPHeaderFields = all
        return request
    }
}

extension URLSessionConfiguration.Values {
    /// The header fields that are added to every request; of two names that differ in case, the first one's.
    var additionalFields: [HTTPField] {
        var names: Set<String> = []
        return (httpAdditionalHeaders.value ?? [:])
            .compactMap { key, value in
                guard let name = key as? String else { return nil }
                return HTTPField(name: name, value: value as? String ?? "\(value)")
            }
            .sorted { $0.name < $1.name }
            .filter { names.insert($0.name.lowercased()).inserted }
    }

    var isBackground: Bool {
        guard case .background = kind else { return false }
        return true
    }
}

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
        guard request.url == url?.absoluteString, request.method == httpMethod ?? "GET" else {
            return false
        }
        let sent = Set(
            request.fields.map { HTTPField(name: $0.name.lowercased(), value: $0.value) }
        )
        return (allHTTPHeaderFields ?? [:]).allSatisfy { name, value in
            sent.contains(HTTPField(name: name.lowercased(), value: value))
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
    ///   - former: The request that was redirected.
    init(
        _ chosen: URLRequest,
        insteadOf offered: URLRequest,
        _ request: TransferRequest,
        after former: TransferRequest
    ) {
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
        guard method != "GET", request.method == "GET", former.method != "GET" else { return }
        // The redirect has made a GET of the request, without what described its body. Where the app sends the body
        // after all, that describes it again.
        for name in Self.bodyDescriptions where fields.first(named: name) == nil {
            fields += former.fields.filter { $0.isNamed(name) }
        }
    }

    private static let bodyDescriptions = ["Content-Encoding", "Content-Language", "Content-Type"]
}
