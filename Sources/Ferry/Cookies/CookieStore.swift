import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// The cookies of a session: which go with its requests, and what responses do to them.
///
/// They are in the configuration's `HTTPCookieStorage`, of which no more is asked than to keep them. What
/// Foundation's does wrong on Linux is made up for:
///
/// - It knows neither paths nor `Secure` when it looks up cookies for a URL.
/// - To it, a domain with and without a dot at its beginning are two, so that the same cookie can be there
///   twice.
/// - It knows a cookie by domain, path and name without a mark between them: `bc` for `/a` and `c` for `/ab`
///   push each other out. This stays so.
/// - A cookie that it has read from its file is not `Secure` any more: ``CookieRecord``. Of one that the app has
///   stored itself nobody knows after a relaunch that it was.
/// - Everybody can read its file: ``Foundation/HTTPCookieStorage/privateShared``.
/// - Each change of one cookie writes all of them to the disk, at once (40 ms for 300 of them). So do not call
///   this on the event loop, but on ``queue``.
final class CookieStore: Sendable {
    /// For all stores in the process, as sessions share cookies.
    static let queue = BlockingQueue(label: "ferry.cookies")

    private let configuration: URLSessionConfiguration.Values
    private let now: @Sendable () -> Date

    /// The cookies of sessions with a configuration.
    ///
    /// - Parameters:
    ///   - configuration: The storage, and how it is used.
    ///   - now: The time.
    init(
        configuration: URLSessionConfiguration.Values,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        self.now = now
    }

    /// Whether the cookies are in memory only, so that nothing here blocks.
    var isInMemory: Bool {
        if case .ephemeral = configuration.httpCookieStorage { true } else { false }
    }

    /// The `Cookie` field that goes with a request; nil for none.
    ///
    /// There is none either when the request has one of its own or cookies are not to be set. This blocks:
    /// see ``queue``.
    ///
    /// - Parameters:
    ///   - request: The request, as it is sent otherwise.
    ///   - handlesCookies: The request's `httpShouldHandleCookies`.
    /// - Returns: The field with all that match, RFC 6265 §5.4.
    func field(for request: TransferRequest, handlesCookies: Bool = true) -> HTTPField? {
        guard handlesCookies, configuration.httpShouldSetCookies,
            request.fields.first(named: "Cookie") == nil,
            let cookies = configuration.httpCookieStorage.cookies?.cookies, !cookies.isEmpty,
            let origin = URL(string: request.url).flatMap({ CookieOrigin($0) })
        else { return nil }
        let matching = Self.cookies(of: cookies, for: origin, at: now())
        guard !matching.isEmpty else { return nil }
        let pairs = matching.map { "\($0.name)=\($0.value)" }
        return HTTPField(name: "Cookie", value: pairs.joined(separator: "; "))
    }

    /// Those cookies that go with a request, in the order in which they are sent.
    static func cookies(
        of cookies: [HTTPCookie],
        for origin: CookieOrigin,
        at now: Date
    ) -> [HTTPCookie] {
        cookies.filter { $0.isFor(origin, at: now) }.map { ($0, CookieRecord($0)) }
            .sorted(by: goesBefore).map(\.0)
    }

    /// Stores the cookies that a response sets, as far as they are accepted.
    ///
    /// This blocks: see ``queue``.
    ///
    /// - Parameters:
    ///   - head: The response, also one that redirects or challenges.
    ///   - request: What it answers.
    ///   - mainDocumentURL: What the request belongs to; nil for the request itself.
    ///   - handlesCookies: The request's `httpShouldHandleCookies`.
    func store(
        _ head: HTTPResponseHead,
        to request: TransferRequest,
        mainDocumentURL: URL?,
        handlesCookies: Bool = true
    ) {
        let fields = head.fields.values(named: "Set-Cookie")
        guard !fields.isEmpty, handlesCookies,
            let origin = URL(string: request.url).flatMap({ CookieOrigin($0) }),
            accepts(from: origin, mainDocumentURL: mainDocumentURL),
            let storage = configuration.httpCookieStorage.cookies
        else { return }
        let now = now()
        for (position, field) in fields.enumerated() {
            // They are sent in the order in which they came.
            let date = now + TimeInterval(position) * 1e-6
            guard let field = SetCookie(field),
                let cookie = HTTPCookie.make(field, from: origin, at: date)
            else { continue }
            storage.keep(cookie, from: origin, at: now)
        }
    }

    private func accepts(from origin: CookieOrigin, mainDocumentURL: URL?) -> Bool {
        switch configuration.httpCookieAcceptPolicy {
        case .always: true
        case .never: false
        case .onlyFromMainDocumentDomain:
            mainDocumentURL.map { CookieOrigin($0)?.isRelated(to: origin) ?? false } ?? true
        }
    }

    /// Longer paths go first, and of equal ones the older.
    private static func goesBefore(
        _ left: (cookie: HTTPCookie, record: CookieRecord),
        _ right: (cookie: HTTPCookie, record: CookieRecord)
    ) -> Bool {
        let (leftLength, rightLength) = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
        guard leftLength == rightLength else { return leftLength > rightLength }
        return left.record.creationDate < right.record.creationDate
    }
}

extension HTTPCookie {
    /// Whether it is sent to a URL, RFC 6265 §5.4.
    fileprivate func isFor(_ origin: CookieOrigin, at now: Date) -> Bool {
        let isForHost = domain.hasPrefix(".") ? origin.isIn(bareDomain) : origin.host == domain
        return isForHost && CookieOrigin.isPath(origin.path, under: path) && !hasEnded(at: now)
            && (origin.isSecure || !CookieRecord(self).isSecure)
    }

    /// Whether its time is over.
    func hasEnded(at now: Date) -> Bool { expiresDate.map { $0 <= now } ?? false }
}

extension URLSessionConfiguration.Values.Store<HTTPCookieStorage> {
    /// The cookies themselves; making the shared storage reads disk.
    fileprivate var cookies: HTTPCookieStorage? {
        switch self {
        case .shared: .privateShared
        case .ephemeral(let stores): stores.cookies
        case .own(let storage): storage
        }
    }
}
