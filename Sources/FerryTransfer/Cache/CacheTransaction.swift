package import FerryHTTP

/// Decides what one request has to do with the cache; performs nothing itself.
///
/// First ``lookedUp(_:at:)`` with what is stored, then, where that says to fetch,
/// ``answered(with:requestTime:responseTime:)`` with what came. A redirect's target is a request of
/// its own, with a transaction of its own.
package struct CacheTransaction: Hashable, Sendable {
    /// How a request is answered.
    package enum Plan: Hashable, Sendable {
        /// With what is stored.
        case useStored(StoredResponse)
        /// By the server, with these fields added to the request.
        case fetch(adding: [HTTPField])
        /// Not at all: it may not be fetched, and nothing is stored. Apple: -1008.
        case fail
    }

    /// What is to be done about a response.
    package enum Answer: Hashable, Sendable {
        /// It is the app's.
        ///
        /// - Parameters:
        ///   - proposing: What may be stored, with its body, if that comes whole and the app's
        ///     delegate agrees.
        ///   - invalidating: The URLs whose stored responses are out of date.
        case deliver(proposing: StoredResponse?, invalidating: [String])
        /// The stored response is still current, and is the app's in this form.
        ///
        /// - Parameter isKept: Whether it is to be stored in this form; otherwise it is to be removed.
        case useStored(StoredResponse, isKept: Bool)
        /// The server has confirmed something that is not stored. The request is to be sent once
        /// more, without added fields.
        case fetchAgain
    }

    /// The request, with all fields that are sent.
    package let request: TransferRequest
    /// How the app wants it to be answered.
    package let policy: CachePolicy

    private var stored: StoredResponse?
    private var isRevalidating = false

    /// Begins a transaction.
    ///
    /// - Parameters:
    ///   - request: With all fields that are sent, also cookies: a response may depend on them.
    ///   - policy: How the app wants the request to be answered.
    package init(request: TransferRequest, policy: CachePolicy) {
        self.request = request
        self.policy = policy
    }

    /// Whether what is stored makes a difference; otherwise there is nothing to look up.
    package var needsLookup: Bool {
        guard request.method == "GET", !request.hasRange else { return false }
        return switch policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        // An app with a condition of its own has a cache of its own, and wants to see the 304.
        case .useProtocolCachePolicy, .reloadRevalidatingCacheData: !request.isConditional
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: false
        }
    }

    /// Whether something is stored that this request can be answered with, now or once it is confirmed.
    package var isUsingStored: Bool { stored != nil }

    // MARK: - Before

    /// Decides how the request is answered.
    ///
    /// - Parameters:
    ///   - found: What the cache has for the URL; ignored where ``needsLookup`` is false.
    ///   - now: The time.
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

    /// What asks every cache on the way to ask the server, where the app says nothing to them itself.
    ///
    /// `Pragma` is for those from before HTTP/1.1.
    private var endToEndReload: [HTTPField] {
        guard request.fields.first(named: "Cache-Control") == nil else { return [] }
        let control = HTTPField(name: "Cache-Control", value: "no-cache")
        guard request.fields.first(named: "Pragma") == nil else { return [control] }
        return [control, HTTPField(name: "Pragma", value: "no-cache")]
    }

    // MARK: - After

    /// Decides what is to be done about the server's answer, of which only the head has come.
    ///
    /// - Parameters:
    ///   - head: The answer.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the answer came.
    /// - Returns: The decision.
    package mutating func answered(
        with head: HTTPResponseHead,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) -> Answer {
        if isRevalidating, head.status == 304 {
            isRevalidating = false
            guard let stored, stored.isConfirmed(by: head) else { return .fetchAgain }
            let freshened = stored.freshened(
                by: head,
                requestTime: requestTime,
                responseTime: responseTime
            )
            let forbidsStoring =
                freshened.control.isNoStore || CacheControl(fields: request.fields).isNoStore
            return .useStored(freshened, isKept: !forbidsStoring)
        }
        let storable = StoredResponse(
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

    /// Whether what is stored under the URL can no longer be what the server has.
    ///
    /// An error of the server, a login or a part say nothing about that.
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
    /// As RFC 9111 says.
    case useProtocolCachePolicy
    /// Load it, whatever is stored.
    case reloadIgnoringLocalCacheData
    /// Load it, and let no cache on the way answer either.
    case reloadIgnoringLocalAndRemoteCacheData
    /// What is stored, however old; load it where nothing is.
    case returnCacheDataElseLoad
    /// What is stored, however old; fail where nothing is.
    case returnCacheDataDontLoad
    /// What is stored if the server confirms that it is still current.
    case reloadRevalidatingCacheData
}
