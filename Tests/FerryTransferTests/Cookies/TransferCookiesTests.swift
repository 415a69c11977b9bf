import FerryHTTP
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer

@Suite("Cookies of a transfer", .timeLimit(.minutes(5)))
struct TransferCookiesTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// Returns the field that a request gets after responses have set cookies.
    private func field(
        _ url: String,
        after responses: [(String, [String])],
        _ acceptance: CookieAcceptance = .all,
        own: [HTTPField] = []
    ) -> String? {
        var cookies = TransferCookies()
        for (url, fields) in responses {
            let request = TransferRequest(url: url, cookieAcceptance: acceptance)
            let head = HTTPResponseHead(
                status: 302,
                fields: fields.map { HTTPField(name: "set-cookie", value: $0) },
                url: url
            )
            cookies.store(head, to: request, at: now)
        }
        let request = TransferRequest(url: url, fields: own, cookieAcceptance: acceptance)
        return cookies.field(for: request, at: now)?.value
    }

    static let rows: [(from: String, cookie: String, to: String, isSent: Bool)] = [
        ("http://a.example/x", "s=1", "http://a.example/x", true),
        ("http://a.example/x", "s=1", "http://a.example:8080/y", true),
        ("http://a.example/x", "s=1", "http://b.example/x", false),
        ("http://a.example/x", "s=1", "http://b.a.example/x", false),
        ("http://b.a.example/x", "s=1; Domain=a.example", "http://c.a.example/x", true),
        ("http://b.a.example/x", "s=1; Domain=.a.example", "http://a.example/x", true),
        ("http://b.a.example/x", "s=1; Domain=c.example", "http://c.example/x", false),
        ("http://a.example/x", "s=1; Domain=example", "http://a.example/x", false),
        ("http://a.example/x/y", "s=1", "http://a.example/z", false),
        ("http://a.example/x/y", "s=1", "http://a.example/x/z", true),
        ("http://a.example/x/y", "s=1; Path=/", "http://a.example/z", true),
        ("http://a.example/x", "s=1; Path=/p", "http://a.example/pq", false),
        ("https://a.example/x", "s=1; Secure", "https://a.example/x", true),
        ("https://a.example/x", "s=1; Secure", "http://a.example/x", false),
        ("http://a.example/x", "s=1; Secure", "https://a.example/x", false),
        ("http://a.example/x", "__Secure-s=1", "http://a.example/x", false),
        ("http://a.example/x", "s=1; Max-Age=0", "http://a.example/x", false),
        ("http://a.example/x", "s=1; Max-Age=5", "http://a.example/x", true),
        ("http://a.example/x", "s=1; HttpOnly", "http://a.example/x", true),
        ("http://127.0.0.1/x", "s=1", "http://127.0.0.1/x", true),
        ("http://127.0.0.1/x", "s=1; Domain=0.0.1", "http://127.0.0.1/x", false),
    ]

    @Test(arguments: rows)
    func `HTTP-4: a cookie is sent where RFC 6265 says`(
        row: (from: String, cookie: String, to: String, isSent: Bool)
    ) {
        let field = field(row.to, after: [(row.from, [row.cookie])])
        #expect((field != nil) == row.isSent, "\(row)")
    }

    @Test func `HTTP-4: a later cookie replaces the one of its name, and the order stays`() {
        let url = "http://a.example/x"
        let responses = [
            (url, ["a=1", "b=2", "c=3; Path=/x"]), (url, ["a=4"]), (url, ["b=5; Max-Age=0"]),
        ]
        #expect(field(url, after: responses) == "c=3; a=4")
    }

    @Test func `HTTP-4: an insecure server cannot hide a secure cookie`() {
        let secure = "https://a.example/x"
        let responses = [(secure, ["s=1; Secure"]), ("http://a.example/x", ["s=2"])]
        #expect(field(secure, after: responses) == "s=1")
    }

    @Test func `HTTP-4: a request with a field of its own keeps it`() {
        let url = "http://a.example/x"
        let own = [HTTPField(name: "cookie", value: "mine=1")]
        #expect(field(url, after: [(url, ["s=1"])], own: own) == nil)
    }

    @Test(
        arguments: [
            (.all, true), (.none, false), (.site(of: "http://a.example/"), true),
            (.site(of: "http://example/"), true), (.site(of: "http://b.example/"), false),
            (.site(of: "nothing"), false),
        ] as [(CookieAcceptance, Bool)]
    )
    func `HTTP-4: the app decides whose cookies are kept`(
        acceptance: CookieAcceptance,
        isKept: Bool
    ) {
        let url = "http://a.example/x"
        #expect((field(url, after: [(url, ["s=1"])], acceptance) != nil) == isKept)
        // As it is stored.
        let again = CookieAcceptance(
            ignoresCookies: acceptance.ignoresCookies,
            site: acceptance.site
        )
        #expect(again == acceptance)
    }

    @Test func `HTTP-4: what a server sets without end is limited`() throws {
        let url = "http://a.example/x"
        let fields = (0..<1000).map { "c\($0)=1" }
        let sent = try #require(field(url, after: [(url, fields)]))
        #expect(sent.split(separator: ";").count == 150)
        #expect(sent.hasSuffix("c999=1"))
    }

    @Test(
        arguments: [
            { $0.url = "http://b/" }, { $0.method = "PUT" },
            { $0.fields = [HTTPField(name: "A", value: "b")] }, { $0.body = [1] },
            { $0.idleTimeout = 5 }, { $0.madeFor = "http://c/" },
            { $0.cookieAcceptance = .none }, { $0.cookieAcceptance = .site(of: "http://d/") },
        ] as [@Sendable (inout TransferRequest) -> Void]
    )
    func `TEST-18: a request that is read again has every field`(
        change: @Sendable (inout TransferRequest) -> Void
    ) throws {
        let plain = TransferRequest(url: "http://a/")
        var request = plain
        change(&request)
        #expect(request != plain)
        let again = try JSONDecoder().decode(
            TransferRequest.self,
            from: try JSONEncoder().encode(request)
        )
        #expect(again == request)
    }

    @Test func `REL-18: 20 000 fields of a session are added at once`() {
        let fields = (0..<20_000).map { HTTPField(name: "X-\($0)", value: "a") }
        let own = fields.suffix(10_000).map { HTTPField(name: $0.name.lowercased(), value: "b") }
        let request = TransferRequest(url: "http://a/", fields: own)
        var added = request
        // Each field beside each other one would take minutes.
        #expect(processorTime { added = request.adding(fields) } < .seconds(5))
        #expect(added.fields.count == 20_000)
    }
}
