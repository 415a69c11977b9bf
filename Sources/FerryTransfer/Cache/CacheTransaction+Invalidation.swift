import FerryHTTP
import FoundationEssentials

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
