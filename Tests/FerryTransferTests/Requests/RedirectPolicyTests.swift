import FerryHTTP
import FerryTransfer
import Testing

@Suite(.timeLimit(.minutes(5))) struct RedirectPolicyTests {
    private let policy = RedirectPolicy()

    private func head(_ status: Int, _ location: String?) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: location.map { [HTTPField(name: "location", value: $0)] } ?? [],
            url: "http://host/"
        )
    }

    private func follow(
        _ status: Int = 302,
        from url: String = "https://host/a/b?c#d",
        to location: String,
        method: String = "GET",
        fields: [(String, String)] = [],
        body: [UInt8]? = nil
    ) -> TransferRequest? {
        let request = TransferRequest(
            url: url,
            method: method,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            body: body,
            idleTimeout: 7
        )
        let decision = policy.decision(for: head(status, location), to: request, after: 0)
        return if case .follow(let next) = decision { next } else { nil }
    }

    // MARK: - Where to

    @Test(arguments: [
        ("https://host/x", "https://host/x#d"),
        ("/x", "https://host/x#d"),
        ("x", "https://host/a/x#d"),
        ("../x", "https://host/x#d"),
        ("?x", "https://host/a/b?x#d"),
        ("//other/x", "https://other/x#d"),
        ("http://other:81/x#y", "http://other:81/x#y"),
        ("/a b", "https://host/a%20b#d"),
        ("/%7Ex", "https://host/%7Ex#d"),
        ("HTTPS://host/x", "HTTPS://host/x#d"),
    ])
    func `a location is resolved and inherits the fragment`(location: String, url: String) {
        #expect(follow(to: location)?.url == url)
    }

    @Test(arguments: [200, 204, 206, 300, 304, 309, 399, 404, 500])
    func `DL-3: other statuses are final`(status: Int) {
        let request = TransferRequest(url: "http://host/")
        #expect(policy.decision(for: head(status, "/x"), to: request, after: 0) == .isFinal)
    }

    @Test(arguments: [nil, ""])
    func `a redirect to nowhere is final`(location: String?) {
        let request = TransferRequest(url: "http://host/")
        #expect(policy.decision(for: head(302, location), to: request, after: 0) == .isFinal)
    }

    @Test(arguments: [
        "ftp://host/x", "file:///etc/passwd", "javascript:alert(1)", "data:,x", "mailto:a@b",
        "http:///x", "gopher://host:70/_",
    ])
    func `BG-6: a redirect leads to http or https only`(location: String) {
        let error = RedirectPolicy.refusal(of: location)
        #expect(error?.code == .redirectToNonHTTP)
        #expect(error?.failingURL == location)
        #expect(RedirectPolicy.refusal(of: "https://host/x") == nil)
    }

    @Test(arguments: ["http://a%20b/", "https://a%40b/x", "http://%00/"])
    func `a redirect to an invalid host is a bad response`(location: String) {
        let error = RedirectPolicy.refusal(of: location)
        #expect(error?.code == .badServerResponse)
        #expect(error?.failingURL == location)
    }

    @Test func `DL-4: twenty redirects are followed, the next is not`() {
        let request = TransferRequest(url: "http://host/")
        guard case .follow = policy.decision(for: head(302, "/x"), to: request, after: 19) else {
            Issue.record("the 20th is not followed")
            return
        }
        guard
            case .fail(let error) = policy.decision(
                for: head(302, "/last"),
                to: request,
                after: 20
            )
        else {
            Issue.record("the 21st is followed")
            return
        }
        #expect(error.code == .tooManyRedirects)
        // API-11: what was asked for last, not what would be next.
        #expect(error.failingURL == "http://host/")
        #expect(error.message == "too many HTTP redirects")
    }

    // MARK: - What is sent

    @Test func `DL-4: a redirected request inherits the time limit`() {
        #expect(follow(to: "/x")?.idleTimeout == 7)
    }

    @Test(arguments: [
        (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "GET", "GET"), (301, "HEAD", "HEAD"),
        (302, "POST", "GET"), (302, "DELETE", "DELETE"),
        (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (303, "GET", "GET"),
        (305, "POST", "POST"), (306, "POST", "POST"),
        (307, "POST", "POST"), (307, "PUT", "PUT"), (308, "POST", "POST"), (308, "GET", "GET"),
    ])
    func `DL-3: the method follows the status`(status: Int, method: String, expected: String) {
        let fields = [
            ("Content-Type", "text/plain"), ("content-length", "1"), ("Accept", "*/*"),
            ("X-App", "1"),
        ]
        let next = follow(
            status,
            to: "/x",
            method: method,
            fields: fields,
            body: [1]
        )
        #expect(next?.method == expected)
        let keepsBody = status != 303 && !(method == "POST" && expected == "GET")
        #expect(next?.body == (keepsBody ? [1] : nil))
        let names = next?.fields.map(\.name)
        #expect(
            names == (keepsBody ? fields.map(\.0) : ["Accept", "X-App"])
        )
    }

    // MARK: - Secrets

    private static let secrets = [
        ("Authorization", "Bearer x"), ("cookie", "a=b"), ("Proxy-Authorization", "Basic x"),
        ("X-Api-Key", "x"), ("Referer", "https://host/?token=x"), ("Host", "host"),
        ("Origin", "https://host"),
    ]
    private static let harmless = [
        ("Accept", "*/*"), ("accept-language", "de"), ("User-Agent", "x"),
        ("Range", "bytes=1-"), ("If-Range", "\"a\""), ("Cache-Control", "no-cache"),
    ]

    @Test(arguments: [
        "https://other/x", "https://host:444/x", "http://host/x", "http://host:443/x",
        "//other/x", "https://host.example/x", "https://sub.host/x", "https://host./x",
        "https://user@other/x",
    ])
    func `secrets stay with their origin`(location: String) {
        let next = follow(to: location, fields: Self.secrets + Self.harmless)
        #expect(next?.fields.map(\.name) == Self.harmless.map(\.0))
    }

    @Test(arguments: ["/x", "https://HOST/x", "https://host:443/x", "HTTPS://host/x"])
    func `secrets go on to the same origin`(location: String) {
        let next = follow(to: location, fields: Self.secrets + Self.harmless)
        #expect(next?.fields.count == Self.secrets.count + Self.harmless.count)
    }

    @Test func `secrets do not come back with the origin`() throws {
        let away = try #require(follow(to: "https://other/x", fields: Self.secrets))
        guard
            case .follow(let back) = policy.decision(
                for: head(302, "https://host/a/b"),
                to: away,
                after: 1
            )
        else {
            Issue.record("not followed")
            return
        }
        #expect(back.fields.isEmpty)
    }

    @Test func `a body that goes on takes its description along`() {
        let next = follow(
            307,
            to: "https://other/x",
            method: "POST",
            fields: [("Content-Type", "text/plain"), ("Authorization", "x")],
            body: [1]
        )
        #expect(next?.fields.map(\.name) == ["Content-Type"])
        #expect(next?.body == [1])
    }
}
