package import FerryHTTP
import FoundationEssentials

/// Decides where a redirect leads, and what of a request may go there.
package struct RedirectPolicy: Hashable, Sendable {
    /// What to do about a response.
    package enum Decision: Hashable, Sendable {
        /// The response is the answer.
        case isFinal
        /// This request is to be sent in place of the one that was answered.
        case follow(TransferRequest)
        /// The transfer cannot go on.
        case fail(TransferError)
    }

    /// How many redirects are followed in a row, 20 by default.
    package var maximumCount: Int

    /// Makes a policy.
    package init(maximumCount: Int = 20) {
        self.maximumCount = maximumCount
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
        guard Origin(target) != nil else {
            return .fail(
                TransferError(
                    code: .redirectToNonHTTP,
                    message: "the server redirects to \(target.scheme ?? "no"):, not to http(s)",
                    failingURL: target.absoluteString
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
        return .follow(
            Self.redirected(request, status: head.status, to: target.absoluteString)
        )
    }

    /// 300 needs a choice and 304 a cache, neither of which is ours to make.
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

    /// What a `Location` of a response names, if that is a place on a server.
    static func serverURL(_ location: String, against base: String) -> String? {
        // Foundation takes more for a URL than can be asked for.
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

    /// A request directed to another place that has the same; `nil` where that is no address.
    static func request(_ request: TransferRequest, directedTo url: String) -> TransferRequest? {
        Origin(url: url) == nil ? nil : Self.request(request, movedTo: url)
    }

    /// A request at another place, without what is meant for the origin of this one if that is another.
    package static func request(
        _ request: TransferRequest,
        movedTo url: String
    ) -> TransferRequest {
        var next = request
        next.url = url
        if Origin(url: request.url) != Origin(url: url) { next.removeSecrets() }
        return next
    }

    /// Fields that describe a body, and go where it goes.
    static let bodyNames = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location",
        "Content-Type", "Expect", "Transfer-Encoding", "Upload-Complete", "Upload-Incomplete",
        "Upload-Length", "Upload-Draft-Interop-Version",
    ]

    /// Fields that say nothing about who asks; any other field may be a secret, whatever its
    /// name, and stays with the origin that the app gave it for.
    fileprivate static let harmlessNames = [
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "DNT",
        "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since",
        "Pragma", "Range", "User-Agent",
    ]
}

extension TransferRequest {
    /// This request with the fields that its session adds to those that it has not itself.
    ///
    /// They are meant for the origin that the task was made for: only what cannot be a secret goes to another one.
    package func adding(_ fields: [HTTPField]) -> TransferRequest {
        let missing = fields.filter { self.fields.first(named: $0.name) == nil }
        var addition = TransferRequest(url: url, fields: missing)
        if let madeFor, Origin(url: madeFor) != Origin(url: url) { addition.removeSecrets() }
        var request = self
        request.fields += addition.fields
        return request
    }

    /// Takes off what may be meant for one origin only.
    fileprivate mutating func removeSecrets() {
        fields.removeAll { field in
            !(RedirectPolicy.harmlessNames + RedirectPolicy.bodyNames).contains {
                field.isNamed($0)
            }
        }
    }
}
