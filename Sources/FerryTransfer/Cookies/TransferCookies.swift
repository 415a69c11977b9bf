import FerryHTTP
import FoundationEssentials

/// Which cookies a transfer keeps for the requests that follow redirects.
package enum CookieAcceptance: Hashable, Sendable {
    /// Those of all servers.
    case all
    /// None.
    case none
    /// Those of the site of a URL, which is that of the document that the request belongs to.
    case site(of: String)

    /// Reads it from the two values in which it is kept.
    package init(ignoresCookies: Bool?, site: String?) {
        self = ignoresCookies == true ? .none : site.map { .site(of: $0) } ?? .all
    }

    /// Whether none are kept; nil for no.
    package var ignoresCookies: Bool? { self == .none ? true : nil }

    /// The URL whose site alone may set cookies, if any.
    package var site: String? { if case .site(let url) = self { url } else { nil } }

    /// Returns whether cookies of a server are kept.
    package func accepts(_ origin: CookieOrigin) -> Bool {
        switch self {
        case .all: true
        case .none: false
        case .site(let url):
            URL(string: url).flatMap { CookieOrigin($0) }?.isRelated(to: origin) ?? false
        }
    }
}

/// The cookies of a transfer whose app has no part in it: those that the app has given, and those that servers set.
///
/// A server may set a cookie with a redirect, and answer only the request that brings it back.
package struct TransferCookies: Sendable {
    private var cookies: [Cookie]

    /// The maximum number of cookies: no chain of redirects needs more.
    package static let greatestCount = 150

    /// Begins with the cookies that the app has given.
    init(_ cookies: [Cookie] = []) { self.cookies = cookies }

    /// Keeps the cookies that a response sets, as far as they are accepted.
    mutating func store(_ head: HTTPResponseHead, to request: TransferRequest, at now: Date) {
        let fields = head.fields.values(named: "Set-Cookie")
        guard !fields.isEmpty, let origin = URL(string: request.url).flatMap({ CookieOrigin($0) }),
            request.cookieAcceptance.accepts(origin)
        else { return }
        for (position, field) in fields.enumerated() {
            // They are sent in the order in which they were received.
            let date = now + Double(position) * 1e-6
            guard let field = SetCookie(field),
                let cookie = Cookie(field, from: origin, at: date)
            else { continue }
            keep(cookie, from: origin, at: now)
        }
    }

    private mutating func keep(_ cookie: Cookie, from origin: CookieOrigin, at now: Date) {
        guard origin.isSecure || !cookies.contains(where: { $0.isHidden(by: cookie, at: now) })
        else { return }
        var cookie = cookie
        if let index = cookies.firstIndex(where: { $0.isSame(as: cookie) }) {
            cookie.creationDate = cookies[index].creationDate
            cookies.remove(at: index)
        }
        guard !cookie.hasEnded(at: now) else { return }
        cookies.append(cookie)
        if cookies.count > Self.greatestCount { cookies.removeFirst() }
    }

    /// Returns the field with the cookies for a request; nil for none, and for a request with a field of its own.
    func field(for request: TransferRequest, at now: Date) -> HTTPField? {
        guard !cookies.isEmpty, request.cookieAcceptance != .none,
            request.fields.first(named: "Cookie") == nil,
            let origin = URL(string: request.url).flatMap({ CookieOrigin($0) })
        else { return nil }
        let matching = cookies.filter { $0.isFor(origin, at: now) }
            .sorted { $0.goesBefore($1) }
        guard !matching.isEmpty else { return nil }
        let pairs = matching.map { "\($0.name)=\($0.value)" }
        return HTTPField(name: "Cookie", value: pairs.joined(separator: "; "))
    }
}
