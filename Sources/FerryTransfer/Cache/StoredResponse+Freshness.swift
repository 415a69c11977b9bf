import FerryHTTP

extension StoredResponse {
    /// The age in seconds up to which the response is fresh (RFC 9111 §4.2.1).
    var freshnessLifetime: Int64 {
        if let maxAge = control.maxAge { return maxAge }
        if head.fields.first(named: "Expires") != nil {
            // An invalid date, such as the usual `0`, is in the past (§5.3).
            guard let expires = date(named: "Expires") else { return 0 }
            return max(0, expires.secondsSince1970 - date.secondsSince1970)
        }
        guard head.isHeuristicallyCacheable || control.isExplicitlyCacheable,
            let modified = date(named: "Last-Modified")
        else { return 0 }
        // A resource that has not changed for ten days is likely to stay so for one more: §4.2.2 suggests a
        // tenth.
        return max(0, date.secondsSince1970 - modified.secondsSince1970) / 10
    }

    /// Returns the age of the response in seconds (RFC 9111 §4.2.3).
    ///
    /// `nil` when the clock was set back since the response arrived, so that the age is unknown.
    func age(at now: HTTPDate) -> Int64? {
        let residentTime = now.secondsSince1970 - responseTime.secondsSince1970
        guard residentTime >= 0 else { return nil }
        let apparentAge = max(0, responseTime.secondsSince1970 - date.secondsSince1970)
        // A slow response may have been generated at the beginning of this delay.
        let delay = max(0, responseTime.secondsSince1970 - requestTime.secondsSince1970)
        return max(apparentAge, ageInTransit + delay) + residentTime
    }

    /// Whether a request may be answered with the response without asking the server (§4, §5.2.1).
    func isUsable(for request: TransferRequest, at now: HTTPDate) -> Bool {
        let wanted = CacheControl(fields: request.fields)
        guard !control.isNoCache, !wanted.isNoCache, !Self.hasNoCachePragma(request),
            let age = age(at: now)
        else { return false }
        // 0 requires validation, even within the second in which the response arrived.
        if let maxAge = wanted.maxAge, maxAge == 0 || age > maxAge { return false }
        let freshTime = freshnessLifetime - age
        if let minFresh = wanted.minFresh, freshTime < minFresh { return false }
        if freshTime > 0 { return true }
        guard !control.isMustRevalidate else { return false }
        return switch wanted.maxStale {
        case .any: true
        case .seconds(let seconds): -freshTime <= seconds
        case nil: false
        }
    }

    /// The age that caches on the way report; the first of several values counts (§5.1).
    private var ageInTransit: Int64 {
        let value = head.fields.first(named: "Age")?.split(separator: ",").first
        return value.flatMap { Int64(deltaSeconds: $0.trimmingSpaces) } ?? 0
    }

    /// `Pragma` is for requests that have no `Cache-Control` (§5.4).
    private static func hasNoCachePragma(_ request: TransferRequest) -> Bool {
        request.fields.first(named: "Cache-Control") == nil
            && request.fields.values(named: "Pragma").flatMap(\.listElements)
                .contains { $0.lowercased() == "no-cache" }
    }
}
