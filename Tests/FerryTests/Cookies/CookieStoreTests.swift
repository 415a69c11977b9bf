import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import Ferry

@Suite("Cookies of a session", .timeLimit(.minutes(5)))
struct CookieStoreTests {
    private let samples: CookieSamples

    init() throws {
        samples = try CookieSamples()
    }

    // MARK: - Looking up

    @LoopActor
    @Test func `requests that are looked up together get their own cookies`() async throws {
        try samples.set("a=b; Path=/a")
        try samples.set("c=d; Path=/c")
        async let first = samples.lookUp("https://www.example.com/a")
        async let second = samples.lookUp("https://www.example.com/b")
        async let third = samples.lookUp("https://www.example.com/c")
        async let fourth = samples.lookUp("https://www.example.com/a")
        let found = await [first, second, third, fourth]
        #expect(found == ["a=b", nil, "c=d", "a=b"])
    }

    /// The queue has received a cookie in between, and is held up before.
    @LoopActor
    @Test
    func `requests that come while others are looked up go together, and see what came before`()
        async throws
    {
        let (gate, samples) = (DispatchSemaphore(value: 0), samples)
        CookieStore.queue.perform { gate.wait() }
        let first = samples.beginLookUp()
        // The queue gets the first one at the loop's next turn.
        await withCheckedContinuation { turn in LoopActor.perform { turn.resume() } }
        let second = samples.beginLookUp()
        let third = samples.beginLookUp()
        CookieStore.queue.perform { try? samples.set("a=b") }
        gate.signal()
        #expect(await [first.value, second.value, third.value] == [nil, "a=b", "a=b"])
    }

    // MARK: - What is stored

    @Test func `RFC 6265 §5.3: a cookie has all that its response says`() throws {
        try samples.set("a=b; Domain=example.com; Path=/dir; Max-Age=60; Secure; HttpOnly")
        let cookie = try #require(samples.storage.cookies?.first)
        #expect(cookie.name == "a")
        #expect(cookie.value == "b")
        #expect(cookie.domain == ".example.com")
        #expect(cookie.path == "/dir")
        #expect(cookie.isSecure)
        #expect(cookie.isHTTPOnly)
        #expect(!cookie.isSessionOnly)
        let age = try #require(cookie.expiresDate).timeIntervalSinceNow
        #expect((50...60).contains(age))
    }

    @Test func `RFC 6265 §5.3: without attributes it is for its host, path and session`()
        throws
    {
        try samples.set("a=b")
        let cookie = try #require(samples.storage.cookies?.first)
        #expect(cookie.domain == "www.example.com")
        #expect(cookie.path == "/dir")
        #expect(!cookie.isSecure)
        #expect(!cookie.isHTTPOnly)
        #expect(cookie.isSessionOnly)
        #expect(cookie.expiresDate == nil)
        #expect(samples.sent(to: "https://www.example.com/dir/other/file") == "a=b")
        #expect(samples.sent(to: "https://www.example.com/") == nil)
        #expect(samples.sent(to: "https://sub.www.example.com/dir/") == nil)
        #expect(samples.sent(to: "https://example.com/dir/") == nil)
    }

    @Test(arguments: [
        ("https://www.example.com/", "example.org"), ("https://www.example.com/", "com"),
        ("https://www.example.com/", "sub.www.example.com"),
        ("https://www.example.com/", "ample.com"), ("https://192.0.2.1/", "2.1"),
        ("https://192.0.2.1/", "0.2.1"), ("https://[2001:db8::1]/", "db8::1"),
        ("https://www.example.com/", ".."), ("https://shop.example.co.uk/", "co.uk"),
        ("https://me.github.io/", "github.io"), ("https://a.foo.ck/", "foo.ck"),
    ])
    func `REL-19, RFC 6265 §5.3: nobody sets cookies for others`(url: String, domain: String) throws
    {
        try samples.set("a=b; Domain=\(domain); Path=/", at: url)
        #expect(samples.storage.cookies?.isEmpty == true)
    }

    @Test(arguments: [
        ("http://localhost/", "localhost"), ("http://192.0.2.1/", "192.0.2.1"),
        ("http://[2001:db8::1]/", "2001:db8::1"), ("http://github.io/", "github.io"),
    ])
    func `RFC 6265 §5.3: an address or a public suffix has no subdomains`(
        url: String,
        domain: String
    ) throws {
        try samples.set("a=b; Domain=\(domain)", at: url)
        #expect(samples.storage.cookies?.map(\.domain) == [domain])
        #expect(samples.sent(to: url) == "a=b")
    }

    @Test func `several cookies come in several fields, and commas part none`() throws {
        try samples.set(["a=1, x=2", "b=3; Expires=Sun, 06 Nov 2095 08:49:37 GMT", "bad", "c=4"])
        #expect(samples.sent() == "a=1, x=2; b=3; c=4")
    }

    @Test func `RFC 6265 §5.3: a cookie replaces the one of its name, domain and path`() throws {
        try samples.set(["a=1; Path=/", "b=1; Path=/"])
        try samples.set("a=2; Path=/")
        #expect(samples.sent() == "a=2; b=1")
        try samples.set("a=3; Path=/; Domain=www.example.com")
        #expect(samples.sent() == "a=3; b=1")
        #expect(samples.storage.cookies?.count == 2)
        try samples.set("a=4; Path=/dir")
        #expect(samples.sent() == "a=4; a=3; b=1")
    }

    @Test(arguments: ["Max-Age=0", "Expires=Thu, 01 Jan 1970 00:00:00 GMT", "Max-Age=-5"])
    func `RFC 6265 §5.3: a cookie that has ended is removed`(attribute: String) throws {
        try samples.set(["a=1", "b=1"])
        try samples.set("a=; \(attribute)")
        #expect(samples.sent() == "b=1")
        try samples.set("b=; \(attribute); Domain=www.example.com")
        #expect(samples.storage.cookies?.isEmpty == true)
        try samples.set("c=; \(attribute)")
        #expect(samples.storage.cookies?.isEmpty == true)
    }

    @Test func `a domain has no more cookies than it should`() throws {
        try samples.set("other=1; Domain=example.com; Path=/")
        try samples.set((0...HTTPCookieStorage.greatestCookieCount).map { "a\($0)=1; Path=/" })
        let names = Set((samples.storage.cookies ?? []).map(\.name))
        #expect(names.count == HTTPCookieStorage.greatestCookieCount + 1)
        #expect(!names.contains("a0"))
        #expect(names.isSuperset(of: ["a1", "a\(HTTPCookieStorage.greatestCookieCount)", "other"]))
    }

    // MARK: - Secrets

    @Test func `Secure cookies go by HTTPS only`() throws {
        try samples.set("a=b; Secure; Path=/")
        #expect(samples.sent() == "a=b")
        #expect(samples.sent(to: "http://www.example.com/") == nil)
    }

    @Test func `RFC 6265bis §5.7: Secure cookies come by HTTPS only`() throws {
        try samples.set("a=b; Secure; Path=/", at: "http://www.example.com/")
        #expect(samples.storage.cookies?.isEmpty == true)
    }

    @Test func `RFC 6265bis §5.7: without HTTPS nobody replaces or hides a Secure cookie`() throws {
        try samples.set("a=secret; Secure; Path=/dir; Domain=example.com")
        for path in ["/dir", "/dir/file"] {
            for domain in ["", "; Domain=www.example.com", "; Domain=example.com"] {
                try samples.set("a=bad; Path=\(path)\(domain)", at: "http://www.example.com/")
            }
        }
        #expect(samples.sent() == "a=secret")
        try samples.set("a=other; Path=/", at: "http://www.example.com/")
        #expect(samples.sent() == "a=secret; a=other")
    }

    @Test(arguments: [
        ("https://host.test/", "__Secure-a=b; Secure", true),
        ("https://host.test/", "__Secure-a=b", false),
        ("http://host.test/", "__Secure-a=b; Secure", false),
        ("https://host.test/", "__secure-a=b", false),
        ("https://host.test/", "__Host-a=b; Secure; Path=/", true),
        ("https://host.test/", "__Host-a=b; Secure", false),
        ("https://host.test/", "__Host-a=b; Path=/", false),
        ("https://host.test/", "__Host-a=b; Secure; Path=/a", false),
        ("https://host.test/", "__Host-a=b; Secure; Path=/; Domain=host.test", false),
        ("http://host.test/", "__Host-a=b; Secure; Path=/", false),
    ])
    func `RFC 6265bis §4.1.3: a name is no empty promise`(
        url: String,
        field: String,
        isAccepted: Bool
    ) throws {
        try samples.set(field, at: url)
        #expect(samples.storage.cookies?.isEmpty == !isAccepted)
    }

    // MARK: - What is sent

    @Test func `RFC 6265 §5.4: longer paths go first, and of equal ones the older`() throws {
        try samples.set(["c=1; Path=/", "b=1; Path=/dir", "a=1; Path=/", "d=1; Path=/dir"])
        #expect(samples.sent() == "b=1; d=1; c=1; a=1")
    }

    @Test func `RFC 6265 §5.4: a cookie whose time is over is not sent`() throws {
        let offset = Mutex<TimeInterval>(0)
        let samples = try CookieSamples(now: { Date() + offset.withLock { $0 } })
        try samples.set("a=b; Max-Age=1000")
        offset.withLock { $0 = 900 }
        #expect(samples.sent() == "a=b")
        offset.withLock { $0 = 1001 }
        #expect(samples.sent() == nil)
    }

    @Test func `a request with cookies of its own, or that wants none, gets none`() throws {
        try samples.set("a=b")
        let own = [HTTPField(name: "cookie", value: "own=1")]
        let request = TransferRequest(url: CookieSamples.url, fields: own)
        #expect(samples.store.field(for: request, handlesCookies: true) == nil)
        let plain = TransferRequest(url: CookieSamples.url)
        #expect(samples.store.field(for: plain, handlesCookies: false) == nil)
        #expect(
            samples.store.field(for: plain, handlesCookies: true)
                == HTTPField(name: "Cookie", value: "a=b")
        )
        let other = TransferRequest(url: "data:,")
        #expect(samples.store.field(for: other, handlesCookies: true) == nil)
    }

    @Test func `httpShouldSetCookies false sends none, but stores`() throws {
        let samples = try CookieSamples { $0.httpShouldSetCookies = false }
        try samples.set("a=b")
        #expect(samples.sent() == nil)
        #expect(samples.storage.cookies?.count == 1)
    }

    @Test func `a session without a storage has no cookies`() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        let store = CookieStore(configuration: configuration.snapshot)
        let head = HTTPResponseHead(
            status: 200,
            fields: [HTTPField(name: "Set-Cookie", value: "a=b")],
            url: CookieSamples.url
        )
        let request = TransferRequest(url: CookieSamples.url)
        store.store(head, to: request, mainDocumentURL: nil)
        #expect(store.field(for: request) == nil)
    }

    // MARK: - Accepting

    @Test func `a request that handles no cookies stores none`() throws {
        let head = HTTPResponseHead(
            status: 200,
            fields: [HTTPField(name: "Set-Cookie", value: "a=b")],
            url: CookieSamples.url
        )
        let request = TransferRequest(url: CookieSamples.url)
        samples.store.store(head, to: request, mainDocumentURL: nil, handlesCookies: false)
        #expect(samples.storage.cookies?.isEmpty == true)
    }

    @Test(arguments: [
        (nil, true), ("https://www.example.com/other", true), ("http://example.com/", true),
        ("https://sub.www.example.com/", true), ("https://example.org/", false),
        ("https://ww.example.com/", false), ("file:///a", false),
    ])
    func `cookies come from the main document's domain only`(
        mainDocument: String?,
        isAccepted: Bool
    ) throws {
        try samples.set(["a=b"], mainDocument: mainDocument)
        #expect(samples.storage.cookies?.isEmpty == !isAccepted)
        let open = try CookieSamples { $0.httpCookieAcceptPolicy = .always }
        try open.set(["a=b"], mainDocument: mainDocument)
        #expect(open.sent() == "a=b")
        let closed = try CookieSamples { $0.httpCookieAcceptPolicy = .never }
        try closed.set(["a=b"], mainDocument: mainDocument)
        #expect(closed.storage.cookies?.isEmpty == true)
    }

    // MARK: - Cookies from elsewhere

    @Test func `cookies that the app has stored are sent, too`() throws {
        func cookie(_ name: String, _ more: [HTTPCookiePropertyKey: Any]) throws -> HTTPCookie {
            let own: [HTTPCookiePropertyKey: Any] = [.name: name, .value: "1", .path: "/"]
            return try #require(HTTPCookie(properties: own.merging(more) { $1 }))
        }
        samples.storage.setCookie(try cookie("a", [.domain: "www.example.com"]))
        samples.storage.setCookie(try cookie("b", [.domain: ".example.com", .secure: "TRUE"]))
        samples.storage.setCookie(try cookie("c", [.domain: "example.com"]))
        #expect(samples.sent() == "a=1; b=1")
        #expect(samples.sent(to: "http://www.example.com/") == "a=1")
        #expect(samples.sent(to: "https://example.com/") == "b=1; c=1")
    }

    @Test func `cookies outlive the process with all that decides about them`() throws {
        let name = UUID().uuidString
        let samples = try CookieSamples(storage: CookieSamples.fileStorage(name))
        let names = (0..<20).map { "n\($0)" }.shuffled()
        try samples.set(names.map { "\($0)=1; Path=/; Max-Age=60" })
        try samples.set(["secure=1; Path=/; Max-Age=60; Secure; Domain=example.com", "session=1"])
        let plain = names.map { "\($0)=1" }.joined(separator: "; ")
        #expect(samples.sent() == "session=1; \(plain); secure=1")

        let later = try CookieSamples(storage: CookieSamples.storageOfAnotherProcess(name))
        #expect(later.sent() == "\(plain); secure=1")
        #expect(later.sent(to: "http://www.example.com/") == plain)
        #expect(later.sent(to: "https://example.com/") == "secure=1")
        try later.set("secure=bad; Path=/; Domain=example.com", at: "http://www.example.com/")
        #expect(later.sent(to: "https://example.com/") == "secure=1")
    }

    @Test func `a value of any characters spoils no other cookie`() throws {
        let name = UUID().uuidString
        let samples = try CookieSamples(storage: CookieSamples.fileStorage(name))
        let values = ["<&>]]>", "ü\u{1F600}", "\u{FFFF}", "\u{FFFE}", "\u{0}x", "\"'%00\\"]
        try samples.set(values.enumerated().map { "a\($0)=\($1); Path=/; Max-Age=60" })
        let sent = try #require(samples.sent())
        let later = try CookieSamples(storage: CookieSamples.storageOfAnotherProcess(name))
        #expect(later.sent() == sent)
    }

    @Test func `the shared cookies are for their user only`() async {
        await #expect(processExitsWith: .success) {
            let data = "\(Home.path)/\(UUID().uuidString)"
            ProcessEnvironment.set("XDG_DATA_HOME", data)
            let configuration = URLSessionConfiguration.default
            let store = CookieStore(configuration: configuration.snapshot)
            let head = HTTPResponseHead(
                status: 200,
                fields: [HTTPField(name: "Set-Cookie", value: "a=b; Max-Age=60")],
                url: CookieSamples.url
            )
            let request = TransferRequest(url: CookieSamples.url)
            store.store(head, to: request, mainDocumentURL: nil)
            #expect(store.field(for: request)?.value == "a=b")
            #expect(HTTPCookieStorage.shared.cookies?.count == 1)

            let manager = FileManager.default
            let names = try manager.contentsOfDirectory(atPath: data)
            let directory = "\(data)/\(try #require(names.first))"
            #expect(try manager.contentsOfDirectory(atPath: directory) == [".cookies.shared"])
            let attributes = try manager.attributesOfItem(atPath: directory)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test func `what is there already is not written again`() throws {
        let name = UUID().uuidString
        let samples = try CookieSamples(storage: CookieSamples.fileStorage(name))
        try samples.set("a=b; Expires=Sun, 06 Nov 2095 08:49:37 GMT")
        let file = try CookieSamples.file(name)
        try FileManager.default.removeItem(at: file)
        try samples.set("a=b; Expires=Sun, 06 Nov 2095 08:49:37 GMT")
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try samples.set("a=c; Expires=Sun, 06 Nov 2095 08:49:37 GMT")
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `many threads share a storage`() async throws {
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask { [samples] in
                    for round in 0..<50 {
                        try? samples.set("a\(number)=\(round); Path=/")
                        _ = samples.sent()
                    }
                }
            }
        }
        #expect(samples.storage.cookies?.count == 8)
    }
}
