import FerryTransfer
import Foundation
import Testing

@testable import Ferry

@Suite("Whom cookies belong to", .timeLimit(.minutes(5)))
struct CookieOriginTests {
    private func origin(_ url: String) throws -> CookieOrigin {
        let url = try #require(URL(string: url))
        return try #require(CookieOrigin(url))
    }

    @Test func `of a URL count the host, the path and the scheme`() throws {
        let one = try origin("HTTPS://Www.Example.com:8443/a%2Fb/c?d=/e#f")
        #expect(one.host == "www.example.com")
        #expect(one.path == "/a%2Fb/c")
        #expect(one.isSecure)
        let other = try origin("http://[2001:DB8::1]:80")
        #expect(other.host == "2001:db8::1")
        #expect(other.path == "/")
        #expect(!other.isSecure)
        #expect(CookieOrigin(URL(fileURLWithPath: "/a")) == nil)
    }

    @Test(arguments: [
        ("https://h", "/"), ("https://h/", "/"), ("https://h/a", "/"), ("https://h/a/", "/a"),
        ("https://h/a/b", "/a"), ("https://h/a/b?c=/d/e", "/a"),
    ])
    func `RFC 6265 §5.1.4: the default path ends before the last slash`(
        url: String,
        path: String
    ) throws {
        #expect(try origin(url).defaultPath == path)
    }

    @Test(arguments: [
        ("example.com", "example.com", true), ("www.example.com", "example.com", true),
        ("badexample.com", "example.com", false), ("example.com", "www.example.com", false),
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "2.1", false), ("192.0.2.1", "1", false),
        ("[2001:db8::1]", "2001:db8::1", true), ("example.com", "", false),
    ])
    func `RFC 6265 §5.1.3: a host matches its own domain and those above`(
        host: String,
        domain: String,
        matches: Bool
    ) throws {
        #expect(try origin("https://\(host)/").isIn(domain) == matches)
    }

    @Test(arguments: [
        ("/a", "/a", true), ("/a/b", "/a", true), ("/a/b", "/a/", true), ("/ab", "/a", false),
        ("/a", "/a/", false), ("/", "/a", false), ("/anything", "/", true), ("/A", "/a", false),
    ])
    func `RFC 6265 §5.1.4: a path matches itself and those below`(
        path: String,
        cookiePath: String,
        matches: Bool
    ) {
        #expect(CookieOrigin.isPath(path, under: cookiePath) == matches)
    }
}
