import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// The cookies of a session: selects those for requests, and stores those of responses.
///
/// They are in the configuration's `HTTPCookieStorage`, which only has to keep them. This class compensates for
/// errors of Foundation's on Linux:
///
/// - It ignores paths and `Secure` when it looks up cookies for a URL.
/// - It treats a domain with a leading dot and one without as different, so the same cookie can be stored
///   twice.
/// - It identifies a cookie by domain, path and name without separators: `bc` for `/a` and `c` for `/ab`
///   replace each other. This is not corrected.
/// - A cookie that it has read from its file is no longer `Secure`: ``CookieRecord``. For a cookie that the app
///   has stored itself, this is lost after a relaunch.
/// - Every user can read its file: ``Foundation/HTTPCookieStorage/privateShared``.
/// - Each change of one cookie writes all of them to disk at once (40 ms for 300 of them). So call this on
///   ``queue``, not on the event loop.
final class CookieStore: Sendable {
    /// The queue of all stores in the process, as sessions share cookies.
    static let queue = BlockingQueue(label: "ferry.cookies")

    private let configuration: URLSessionConfiguration.Values
    private let now: @Sendable () -> Date
    /// The requests for which the queue's next visit looks up cookies.
    @LoopActor private var lookups: [Lookup] = []
    @LoopActor private var isLookingUp = false

    private struct Lookup: Sendable {
        let request: TransferRequest
        let completion: @LoopActor (HTTPField?) -> Void
    }

    /// The cookies of sessions with a configuration.
    ///
    /// - Parameters:
    ///   - configuration: The storage, and how it is used.
    ///   - now: Returns the current time.
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
    /// There is also none if the request has its own or cookies are not to be set. This blocks:
    /// see ``queue``.
    ///
    /// - Parameters:
    ///   - request: The request, as it is sent otherwise.
    ///   - handlesCookies: The request's `httpShouldHandleCookies`.
    /// - Returns: The field with all matching cookies, RFC 6265 §5.4.
    func field(for request: TransferRequest, handlesCookies: Bool = true) -> HTTPField? {
        guard handlesCookies else { return nil }
        return field(for: request, of: present)
    }

    /// All cookies, as far as requests get any.
    private var present: [HTTPCookie] {
        guard configuration.httpShouldSetCookies else { return [] }
        return configuration.httpCookieStorage.cookies?.cookies ?? []
    }

    private func field(for request: TransferRequest, of cookies: [HTTPCookie]) -> HTTPField? {
        guard !cookies.isEmpty, request.fields.first(named: "Cookie") == nil,
            let origin = URL(string: request.url).flatMap({ CookieOrigin($0) })
        else { return nil }
        let matching = Self.cookies(of: cookies, for: origin, at: now())
        guard !matching.isEmpty else { return nil }
        let pairs = matching.map { "\($0.name)=\($0.value)" }
        return HTTPField(name: "Cookie", value: pairs.joined(separator: "; "))
    }

    /// Looks up the `Cookie` field that goes with a request, on the ``queue``.
    ///
    /// The requests of a turn of the loop, and those that come while others are looked up, are looked up together:
    /// waking the queue's thread for each costs more than a small response does.
    ///
    /// - Parameters:
    ///   - request: The request, as it is sent otherwise.
    ///   - completion: Called later, with the field or nil, after the changes that the queue was given before.
    @LoopActor
    func lookUpField(
        for request: TransferRequest,
        completion: @escaping @LoopActor (HTTPField?) -> Void
    ) {
        lookups.append(Lookup(request: request, completion: completion))
        guard !isLookingUp else { return }
        isLookingUp = true
        LoopActor.perform { self.lookUpAll() }
    }

    @LoopActor
    private func lookUpAll() {
        let batch = lookups
        lookups = []
        Self.queue.perform { [self] in
            let cookies = present
            let fields = batch.map { field(for: $0.request, of: cookies) }
            LoopActor.perform { [self] in
                isLookingUp = !lookups.isEmpty
                if isLookingUp { lookUpAll() }
                for (lookup, field) in zip(batch, fields) { lookup.completion(field) }
            }
        }
    }

    /// Returns the cookies to send with a request, in the order in which they are sent.
    static func cookies(
        of cookies: [HTTPCookie],
        for origin: CookieOrigin,
        at now: Date
    ) -> [HTTPCookie] {
        // Most are for other hosts, which is found out before all else is read.
        cookies.filter { origin.isIn($0.bareDomain) }.map { (cookie: $0, plain: $0.plain) }
            .filter { $0.plain.isFor(origin, at: now) }
            .sorted { $0.plain.goesBefore($1.plain) }.map(\.cookie)
    }

    /// Stores the cookies that a response sets, as far as they are accepted.
    ///
    /// This blocks: see ``queue``.
    ///
    /// - Parameters:
    ///   - head: The response, which may be a redirect or a challenge.
    ///   - request: The request that it answers.
    ///   - mainDocumentURL: The document that the request belongs to; nil for the request itself.
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
            // They are sent in the order in which they were received.
            let date = now + TimeInterval(position) * 1e-6
            guard let field = SetCookie(field),
                let cookie = HTTPCookie.make(field, from: origin, at: date)
            else { continue }
            storage.keep(cookie, from: origin, at: now)
        }
    }

    private func accepts(from origin: CookieOrigin, mainDocumentURL: URL?) -> Bool {
        CookieAcceptance(configuration.httpCookieAcceptPolicy, of: mainDocumentURL).accepts(origin)
    }
}

extension URLSessionConfiguration.Values.Store<HTTPCookieStorage> {
    /// The cookies themselves; making the shared storage reads the disk.
    fileprivate var cookies: HTTPCookieStorage? {
        switch self {
        case .shared: .privateShared
        case .ephemeral(let stores): stores.cookies
        case .own(let storage): storage
        }
    }
}

/// The properties of a cookie that Foundation's storage loses when it reads its file.
///
/// It does not write when a cookie was made, by which cookies are sorted, and writes `Secure` in a way that it
/// cannot read. It does keep the comment, which cookies no longer have, RFC 6265: the record is stored there.
struct CookieRecord: Hashable, Sendable {
    /// When the cookie was first stored.
    var creationDate: Date
    /// Whether it is sent over secure connections only.
    var isSecure: Bool

    init(creationDate: Date, isSecure: Bool) {
        self.creationDate = creationDate
        self.isSecure = isSecure
    }

    /// The record of a cookie, including one that the app has stored.
    init(_ cookie: HTTPCookie) {
        let words = (cookie.comment ?? "").split(separator: " ")
        guard words.count == 3, words[0] == Self.name, let seconds = TimeInterval(words[1]) else {
            let created = cookie.properties?[HTTPCookiePropertyKey("Created")] as? TimeInterval
            creationDate = Date(timeIntervalSinceReferenceDate: created ?? 0)
            isSecure = cookie.isSecure
            return
        }
        creationDate = Date(timeIntervalSinceReferenceDate: seconds)
        isSecure = cookie.isSecure || words[2] == Self.secure
    }

    /// The record as a cookie's comment.
    var comment: String {
        let seconds = creationDate.timeIntervalSinceReferenceDate
        return "\(Self.name) \(seconds) \(isSecure ? Self.secure : Self.plain)"
    }

    private static let name = "io.ferry.cookie"
    private static let secure = "secure"
    private static let plain = "plain"
}

extension CookieAcceptance {
    /// What a session's policy accepts for a request with a document, if it has one.
    init(_ policy: HTTPCookie.AcceptPolicy, of mainDocumentURL: URL?) {
        switch policy {
        case .always: self = .all
        case .never: self = .none
        case .onlyFromMainDocumentDomain:
            self = mainDocumentURL.map { .site(of: $0.absoluteString) } ?? .all
        }
    }

    /// The cookies that a request's transfer keeps in a session that stores none of them itself.
    init(_ request: URLRequest, configuration: borrowing URLSessionConfiguration.Values) {
        let isOff: Bool
        if case .own(nil) = configuration.httpCookieStorage { isOff = true } else { isOff = false }
        guard !isOff, configuration.httpShouldSetCookies, request.httpShouldHandleCookies else {
            self = .none
            return
        }
        self.init(configuration.httpCookieAcceptPolicy, of: request.mainDocumentURL)
    }
}
