package import FerryHTTP
import FoundationEssentials

/// Decides how one request uses the cache; performs nothing itself.
///
/// Call ``lookedUp(_:at:)`` with the stored response first. If its plan is to fetch, call
/// ``answered(with:requestTime:responseTime:)`` with the server's response. The target of a redirect is another
/// request with its own transaction.
package struct CacheTransaction: Hashable, Sendable {
    /// How a request is answered.
    package enum Plan: Hashable, Sendable {
        /// With the stored response.
        case useStored(StoredResponse)
        /// By the server, with these fields added to the request.
        case fetch(adding: [HTTPField])
        /// Not at all: it may not be fetched, and nothing is stored. Apple: -1008.
        case fail
    }

    /// What to do with a response.
    package enum Answer: Hashable, Sendable {
        /// Deliver it to the app.
        ///
        /// - Parameters:
        ///   - proposing: The response that may be stored with its body, if the body is complete and the app's
        ///     delegate agrees.
        ///   - invalidating: The URLs whose stored responses are out of date.
        case deliver(proposing: StoredResponse?, invalidating: [String])
        /// The stored response is still current; deliver it to the app in this form.
        ///
        /// - Parameter isKept: Whether to store it in this form; otherwise remove it.
        case useStored(StoredResponse, isKept: Bool)
        /// The server confirmed a response that is not stored. Send the request again, without added fields.
        case fetchAgain
    }

    /// The request, with all fields that are sent.
    package let request: TransferRequest
    /// The app's policy for the request.
    package let policy: CachePolicy

    private var stored: StoredResponse?
    private var isRevalidating = false

    /// Begins a transaction.
    ///
    /// - Parameters:
    ///   - request: The request with all fields that are sent, including cookies: a response may depend on
    ///     them.
    ///   - policy: The app's policy for the request.
    package init(request: TransferRequest, policy: CachePolicy) {
        self.request = request
        self.policy = policy
    }

    /// Whether the stored response matters; otherwise no lookup is needed.
    package var needsLookup: Bool {
        guard request.method == "GET", !request.hasRange else { return false }
        return switch policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        // An app that sets a condition has its own cache, and wants to receive the 304.
        case .useProtocolCachePolicy, .reloadRevalidatingCacheData: !request.isConditional
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: false
        }
    }

    /// Whether a stored response can answer this request, now or once it is confirmed.
    package var isUsingStored: Bool { stored != nil }

    // MARK: - Before

    /// Decides how the request is answered.
    ///
    /// - Parameters:
    ///   - found: The stored response for the URL; ignored where ``needsLookup`` is false.
    ///   - now: The current time.
    /// - Returns: The decision.
    package mutating func lookedUp(_ found: StoredResponse?, at now: HTTPDate) -> Plan {
        if needsLookup, let found, found.selectingFields.match(request.fields) { stored = found }
        switch policy {
        case .useProtocolCachePolicy:
            if let stored, stored.isUsable(for: request, at: now) { return .useStored(stored) }
            if CacheControl(fields: request.fields).isOnlyIfCached { return .fail }
            return revalidate()
        case .reloadRevalidatingCacheData:
            return revalidate()
        case .returnCacheDataElseLoad:
            return stored.map { .useStored($0) } ?? .fetch(adding: [])
        case .returnCacheDataDontLoad:
            return stored.map { .useStored($0) } ?? .fail
        case .reloadIgnoringLocalCacheData:
            return .fetch(adding: [])
        case .reloadIgnoringLocalAndRemoteCacheData:
            return .fetch(adding: endToEndReload)
        }
    }

    private mutating func revalidate() -> Plan {
        let conditions = stored?.conditions ?? []
        isRevalidating = !conditions.isEmpty
        return .fetch(adding: conditions)
    }

    /// The fields that ask every cache on the way to ask the server, unless the app sets such fields itself.
    ///
    /// `Pragma` is for caches from before HTTP/1.1.
    private var endToEndReload: [HTTPField] {
        guard request.fields.first(named: "Cache-Control") == nil else { return [] }
        let control = HTTPField(name: "Cache-Control", value: "no-cache")
        guard request.fields.first(named: "Pragma") == nil else { return [control] }
        return [control, HTTPField(name: "Pragma", value: "no-cache")]
    }

    // MARK: - After

    /// Decides what to do with the server's response when its head has arrived.
    ///
    /// - Parameters:
    ///   - head: The response head.
    ///   - usesCredential: Whether the request was sent with a credential. It is not among the request's fields, so
    ///     that a lookup could not tell its owner's response from another's: it is not stored.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the response arrived.
    /// - Returns: The decision.
    package mutating func answered(
        with head: HTTPResponseHead,
        usesCredential: Bool,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) -> Answer {
        if isRevalidating, head.status == 304 {
            isRevalidating = false
            guard let stored, stored.isConfirmed(by: head) else { return .fetchAgain }
            var freshened = stored.freshened(
                by: head,
                requestTime: requestTime,
                responseTime: responseTime
            )
            let forbidsStoring =
                usesCredential || freshened.control.isNoStore
                || CacheControl(fields: request.fields).isNoStore
            // The server may name other fields than before.
            let isSelectable =
                head.fields.first(named: "Vary") == nil || freshened.select(for: request.fields)
            return .useStored(freshened, isKept: isSelectable && !forbidsStoring)
        }
        let storable =
            usesCredential
            ? nil
            : StoredResponse(
                answering: request,
                with: head,
                requestTime: requestTime,
                responseTime: responseTime
            )
        let outdated = invalidatedURLs(by: head)
        let isOutdated = storable == nil && supersedesStored(head)
        return .deliver(
            proposing: storable,
            invalidating: isOutdated ? outdated + [request.url] : outdated
        )
    }

    /// Whether the response stored under the URL can no longer be current.
    ///
    /// A server error, a login or a partial response says nothing about that.
    private func supersedesStored(_ head: HTTPResponseHead) -> Bool {
        guard request.method == "GET", stored != nil || !needsLookup else { return false }
        return switch head.status {
        case 206: false
        case 200...299, 301, 308, 404, 410: true
        default: false
        }
    }
}

/// How an app wants a request to use the cache: Apple's `NSURLRequest.CachePolicy`.
///
/// Apple has one more name, `reloadIgnoringCacheData`, for ``reloadIgnoringLocalCacheData``.
package enum CachePolicy: Hashable, Sendable, CaseIterable {
    /// As RFC 9111 specifies.
    case useProtocolCachePolicy
    /// Load it, whatever is stored.
    case reloadIgnoringLocalCacheData
    /// Load it, and let no cache on the way answer either.
    case reloadIgnoringLocalAndRemoteCacheData
    /// Use the stored response, however old; load it if there is none.
    case returnCacheDataElseLoad
    /// Use the stored response, however old; fail if there is none.
    case returnCacheDataDontLoad
    /// Use the stored response if the server confirms that it is still current.
    case reloadRevalidatingCacheData
}

extension CacheTransaction {
    /// Returns the URLs whose stored responses were invalidated by a change on the server (RFC 9111 §4.4).
    ///
    /// These are the request's URL and those that the response names at the same origin: no server may empty
    /// the cache of another.
    func invalidatedURLs(by head: HTTPResponseHead) -> [String] {
        guard !Self.safeMethods.contains(request.method), (200...399).contains(head.status) else {
            return []
        }
        let named = ["Location", "Content-Location"].compactMap { name in
            head.fields.first(named: name).flatMap { sameOriginURL($0) }
        }
        return [request.url] + named.filter { $0 != request.url }
    }

    private func sameOriginURL(_ reference: String) -> String? {
        guard let base = URL(string: request.url), let origin = Origin(base),
            let target = URL(string: reference, relativeTo: base)?.absoluteURL,
            Origin(target) == origin
        else { return nil }
        return target.absoluteString
    }

    /// The methods that change nothing on a server (RFC 9110 §9.2.1); an unknown method may.
    private static let safeMethods: Set = ["GET", "HEAD", "OPTIONS", "TRACE"]
}
