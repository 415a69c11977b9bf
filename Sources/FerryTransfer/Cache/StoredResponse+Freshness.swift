import FerryHTTP

extension StoredResponse {
    /// Up to which age the response is fresh, in seconds (RFC 9111 §4.2.1).
    var freshnessLifetime: Int64 {
        if let maxAge = control.maxAge { return maxAge }
        if head.fields.first(named: "Expires") != nil {
            // What is no date, such as the usual `0`, is in the past (§5.3).
            guard let expires = date(named: "Expires") else { return 0 }
            return max(0, expires.secondsSince1970 - date.secondsSince1970)
        }
        guard head.isHeuristicallyCacheable || control.isExplicitlyCacheable,
            let modified = date(named: "Last-Modified")
        else { return 0 }
        // What has not changed for ten days will stay for another: a tenth is what §4.2.2 suggests.
        return max(0, date.secondsSince1970 - modified.secondsSince1970) / 10
    }

    /// How old the response is, in seconds (RFC 9111 §4.2.3).
    ///
    /// `nil` when the clock has been set back since it came, so that nobody knows.
    func age(at now: HTTPDate) -> Int64? {
        let residentTime = now.secondsSince1970 - responseTime.secondsSince1970
        guard residentTime >= 0 else { return nil }
        let apparentAge = max(0, responseTime.secondsSince1970 - date.secondsSince1970)
        // A response that took long may have been made at the beginning of that time.
        let delay = max(0, responseTime.secondsSince1970 - requestTime.secondsSince1970)
        return max(apparentAge, ageInTransit + delay) + residentTime
    }

    /// Whether a request may be answered with the response without asking the server (§4, §5.2.1).
    func isUsable(for request: TransferRequest, at now: HTTPDate) -> Bool {
        let wanted = CacheControl(fields: request.fields)
        guard !control.isNoCache, !wanted.isNoCache, !Self.hasNoCachePragma(request),
            let age = age(at: now)
        else { return false }
        // 0 asks for validation, also within the second in which the response came.
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

    /// What the caches on the way say; of several values the first (§5.1).
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
