import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct PlainURLTests {
    @Test(arguments: [
        ("http://host/", false, "host", nil, "/"),
        ("https://a.b-c:65535/d/e.f_~G?h=i&j=1", true, "a.b-c", 65535, "/d/e.f_~G"),
        ("http://127.0.0.1:1/?/", false, "127.0.0.1", 1, "/"),
        ("https://-/a/../b//", true, "-", nil, "/a/../b//"),
        ("http://a..b/", false, "a..b", nil, "/"),
        ("http://.../", false, "...", nil, "/"),
    ])
    func `a plain URL is read as libcurl reads it, unless its host is a number`(
        url: String,
        isSecure: Bool,
        host: String,
        port: Int?,
        path: String
    ) throws {
        let plain = try #require(PlainURL(url))
        #expect(plain.isSecure == isSecure)
        #expect(plain.host == host)
        #expect(plain.port == port)
        #expect(plain.path == path)
        let target = try CurlURL.target(of: url)
        #expect(target.path.prefix { $0 != "?" } == path)
        #expect(target.authority == host + (port.map { ":\($0)" } ?? ""))
    }

    @Test(arguments: [
        "", "http", "http:/host/", "http:///", "http://host", "http://host?a/", "HTTP://host/",
        "http://Host/",
        "ftp://host/", "http://user@host/", "http://user:1@host/", "http://[::1]/", "http://host:/",
        "http://host:0/", "http://host:080/", "http://host:65536/", "http://host:1a/",
        "http://ho%73t/",
        "http://höst/", "http://ho st/", "http://host/a b", "http://host/a%20b", "http://host/ä",
        "http://host/#a", "http://host/\0", "http://host/a\n", "http://host/\u{7F}",
        "http://host/[",
        "http://host/\(String(repeating: "a", count: 2048))",
    ])
    func `any other URL is left to a parser`(url: String) {
        #expect(PlainURL(url) == nil)
    }

    @Test(arguments: [
        ("https://a/", true), ("HTTPS:", true), ("hTTps://", true), ("http://a/", false),
        ("https", false), ("", false),
        ("httpss://a/", false), ("https\u{1A}//a/", false), ("xhttps://a/", false),
        ("ｈttps:", false),
    ])
    func `a scheme has no case`(url: String, isSecure: Bool) {
        #expect(HTTPRequest.isSecure(url) == isSecure)
    }
}
