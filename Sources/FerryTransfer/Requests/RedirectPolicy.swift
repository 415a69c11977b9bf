package import FerryHTTP
import FoundationEssentials

/// Decides where a redirect leads, and which fields of a request may go there.
package struct RedirectPolicy: Hashable, Sendable {
    /// What to do with a response.
    package enum Decision: Hashable, Sendable {
        /// The response is final.
        case isFinal
        /// This request is to be sent in place of the one that was answered.
        case follow(TransferRequest)
        /// The transfer cannot continue.
        case fail(TransferError)
    }

    /// How many redirects are followed in a row, 20 by default.
    package var maximumCount: Int
    /// Whether redirects lead to https servers alone, `false` by default.
    package var requiresTLS: Bool

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumCount: How many redirects are followed in a row; `nil`, the default, for 20.
    ///   - requiresTLS: Whether redirects lead to https servers alone.
    package init(maximumCount: Int? = nil, requiresTLS: Bool = false) {
        self.maximumCount = maximumCount ?? 20
        self.requiresTLS = requiresTLS
    }

    /// Decides about a response.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - request: The request that it answers.
    ///   - count: How many redirects led to that request.
    /// - Returns: What to do.
    package func decision(
        for head: HTTPResponseHead,
        to request: TransferRequest,
        after count: Int
    ) -> Decision {
        guard Self.redirectingStatuses.contains(head.status),
            let location = head.fields.first(named: "Location"), !location.isEmpty
        else { return .isFinal }
        guard let target = Self.resolve(location, against: request.url) else {
            return .fail(
                TransferError(
                    code: .badServerResponse,
                    message: "the server redirects to an address that is no URL",
                    failingURL: location
                )
            )
        }
        guard count < maximumCount else {
            return .fail(
                TransferError(
                    code: .tooManyRedirects,
                    message: "too many HTTP redirects",
                    failingURL: request.url
                )
            )
        }
        guard !requiresTLS || target.scheme?.lowercased() != "http" else {
            return .fail(
                TransferError(
                    code: .redirectToNonHTTP,
                    message: "the server redirects to http:, and only https: is allowed",
                    failingURL: target.absoluteString
                )
            )
        }
        return .follow(
            Self.redirected(request, status: head.status, to: target.absoluteString)
        )
    }

    /// Returns why a redirect cannot be followed to a URL; `nil` if it can.
    ///
    /// A decider is asked first: an app may take what the URL says, such as a code for `myapp:`, and not follow it.
    package static func refusal(of url: String) -> TransferError? {
        guard Origin(url: url) == nil else { return nil }
        let parsed = URL(string: url)
        let scheme = parsed?.scheme
        let isHTTP = ["http", "https"].contains(scheme?.lowercased())
        if isHTTP, parsed?.host()?.isEmpty == false {
            return TransferError(
                code: .badServerResponse,
                message: "the server redirects to an address with an invalid host",
                failingURL: url
            )
        }
        return TransferError(
            code: .redirectToNonHTTP,
            message: isHTTP
                ? "the server redirects to an address without a usable host"
                : "the server redirects to \(scheme ?? "no"):, not to http(s)",
            failingURL: url
        )
    }

    /// 300 needs a choice and 304 a cache; neither is decided here.
    private static let redirectingStatuses: Set = [301, 302, 303, 305, 306, 307, 308]

    /// A fragment is inherited by a target that has none (RFC 9110 §10.2.2).
    private static func resolve(_ location: String, against base: String) -> URL? {
        guard let base = URL(string: base),
            let target = URL(string: location, relativeTo: base)?.absoluteURL
        else { return nil }
        guard target.fragment == nil, let fragment = base.fragment(percentEncoded: true),
            let inherited = URL(string: "\(target.absoluteString)#\(fragment)")
        else { return target }
        return inherited
    }

    /// Returns the URL on a server that a response's `Location` names, if it is one.
    static func serverURL(_ location: String, against base: String) -> String? {
        // Foundation accepts URLs that cannot be requested.
        guard let target = resolve(location, against: base)?.absoluteString,
            Origin(url: target) != nil, (try? HTTPRequest.target(of: target)) != nil
        else { return nil }
        return target
    }

    private static func redirected(
        _ request: TransferRequest,
        status: Int,
        to url: String
    ) -> TransferRequest {
        var next = Self.request(request, movedTo: url)
        if status == 303 || (status == 301 || status == 302) && request.method == "POST" {
            next.method = "GET"
            next.body = nil
            next.fields.removeAll { field in bodyNames.contains { field.isNamed($0) } }
        }
        return next
    }

    /// Returns the request for another URL of the same resource; `nil` if the URL is invalid.
    static func request(_ request: TransferRequest, directedTo url: String) -> TransferRequest? {
        Origin(url: url) == nil ? nil : Self.request(request, movedTo: url)
    }

    /// Returns the request for another URL, without what is meant only for the first one's origin.
    package static func request(
        _ request: TransferRequest,
        movedTo url: String
    ) -> TransferRequest {
        var next = request
        next.url = url
        if Origin(url: request.url) != Origin(url: url) { next.removeSecrets() }
        return next
    }

    /// The fields that describe a body, and are sent with it.
    static let bodyNames = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location",
        "Content-Type", "Expect", "Transfer-Encoding", "Upload-Complete", "Upload-Incomplete",
        "Upload-Length", "Upload-Draft-Interop-Version",
    ]

    /// The fields that say nothing about the client; any other field may be a secret, whatever its name, and
    /// stays with the origin that the app set it for.
    fileprivate static let harmlessNames = [
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "DNT",
        "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since",
        "Pragma", "Range", "User-Agent",
    ]
}

extension TransferRequest {
    /// Returns this request with the fields of its session that it does not set itself.
    ///
    /// They are meant for the origin that the task was made for: only fields that cannot be secrets go to
    /// another one.
    package func adding(_ fields: [HTTPField]) -> TransferRequest {
        let present = Set(self.fields.map { $0.name.lowercased() })
        let missing = fields.filter { !present.contains($0.name.lowercased()) }
        var addition = TransferRequest(url: url, fields: missing)
        if let madeFor, Origin(url: madeFor) != Origin(url: url) { addition.removeSecrets() }
        var request = self
        request.fields += addition.fields
        return request
    }

    /// Removes the fields that may be meant for one origin only.
    fileprivate mutating func removeSecrets() {
        fields.removeAll { field in
            !(RedirectPolicy.harmlessNames + RedirectPolicy.bodyNames).contains {
                field.isNamed($0)
            }
        }
    }
}
