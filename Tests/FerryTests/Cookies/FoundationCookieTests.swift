import FerryTransfer
import Foundation
import Testing

@testable import Ferry

/// The faults of Foundation's cookies that ``CookieStore`` works around.
///
/// A test that fails tells that Foundation has been mended, and what can be made shorter.
@Suite("Faults of Foundation's cookies", .timeLimit(.minutes(5)))
struct FoundationCookieTests {
    private func cookies(_ field: String) throws -> [HTTPCookie] {
        let url = try #require(URL(string: CookieSamples.url))
        return HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url)
    }

    private func cookie(
        _ name: String = "a",
        domain: String = "www.example.com",
        path: String = "/",
        with more: [HTTPCookiePropertyKey: Any] = [:]
    ) throws -> HTTPCookie {
        var properties = more
        properties[.name] = name
        properties[.value] = "1"
        properties[.domain] = domain
        properties[.path] = path
        return try #require(HTTPCookie(properties: properties))
    }

    @Test func `the parser has no default path, no Max-Age and takes any domain`() throws {
        #expect(try cookies("a=b").first?.path == "/")
        #expect(try cookies("a=b; Max-Age=60").first?.expiresDate == nil)
        #expect(try cookies("a=b; Domain=example.org").first?.domain == ".example.org")
    }

    @Test func `a lookup knows neither paths nor Secure nor addresses`() throws {
        let storage = try CookieSamples().storage
        storage.setCookie(try cookie(path: "/dir", with: [.secure: "TRUE"]))
        let url = try #require(URL(string: "http://www.example.com/"))
        #expect(storage.cookies(for: url)?.count == 1)
    }

    @Test func `one cookie can be there twice, and two push each other out`() throws {
        let storage = try CookieSamples().storage
        storage.setCookie(try cookie(domain: "www.example.com"))
        storage.setCookie(try cookie(domain: ".www.example.com"))
        #expect(storage.cookies?.count == 2)
        storage.setCookie(try cookie("bc", path: "/a"))
        storage.setCookie(try cookie("c", path: "/ab"))
        #expect(storage.cookies?.count == 3)
    }

    @Test func `Secure and the time of creation do not outlive the process`() throws {
        let name = UUID().uuidString
        let old = try cookie(with: [.secure: "TRUE", .expires: Date() + 60, .comment: "kept"])
        CookieSamples.fileStorage(name).setCookie(old)
        let storage = try CookieSamples.storageOfAnotherProcess(name)
        let new = try #require(storage.cookies?.first)
        #expect(old.isSecure && !new.isSecure)
        #expect(new.comment == "kept")
        let created = HTTPCookiePropertyKey("Created")
        #expect(new.properties?[created] as? Double != old.properties?[created] as? Double)
    }
}
