import Foundation
import Testing

@testable import Ferry
@testable import FerryTransfer

@Suite("Set-Cookie", .timeLimit(.minutes(5)))
struct SetCookieTests {
    private let now = Date(timeIntervalSince1970: 1_000_000_000)

    @Test(arguments: [
        ("a=b", "a", "b"), (" a = b ", "a", "b"), ("a=", "a", ""), ("a=b=c", "a", "b=c"),
        ("a=\"b c\"", "a", "\"b c\""), ("a\t=\tb\t; Path=/", "a", "b"), ("a=b,c=d", "a", "b,c=d"),
        ("a b=ü", "a b", "ü"),
    ])
    func `RFC 6265 §5.2: name and value`(field: String, name: String, value: String) throws {
        let cookie = try #require(SetCookie(field))
        #expect(cookie.name == name)
        #expect(cookie.value == value)
    }

    @Test(arguments: ["", ";", "a", "=b", " =b", "a; b=c", "a=\u{1}", "a\u{7f}=b", "a=b\r\nc: d"])
    func `RFC 6265 §5.2: what is no cookie is ignored`(field: String) {
        #expect(SetCookie(field) == nil)
    }

    @Test func `a cookie has a greatest size`() {
        let value = String(repeating: "v", count: 4095)
        #expect(SetCookie("a=\(value)") != nil)
        #expect(SetCookie("aa=\(value)") == nil)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(SetCookie("a=b; path=\(path)")?.path == path)
        #expect(SetCookie("a=b; path=\(path)p")?.path == nil)
    }

    @Test func `RFC 6265 §5.2: the last of several attributes counts`() throws {
        let field = "a=b; Domain=x.org; Path=/x;domain = .Y.org ;PATH=/y; unknown=1; secure=no"
        let cookie = try #require(SetCookie(field))
        #expect(cookie.domain == "y.org")
        #expect(cookie.path == "/y")
        #expect(cookie.isSecure)
        #expect(!cookie.isHTTPOnly)
        #expect(cookie.expiryDate(at: now) == nil)
    }

    @Test func `RFC 6265 §5.2: attributes that say nothing are left out`() throws {
        let field = "a=b; Domain=; Path=x; Expires=soon; Max-Age=; HttpOnly; SameSite=Lax;;"
        let cookie = try #require(SetCookie(field))
        #expect(cookie.domain == nil)
        #expect(cookie.path == nil)
        #expect(cookie.expiryDate(at: now) == nil)
        #expect(cookie.isHTTPOnly)
        #expect(!cookie.isSecure)
    }

    @Test(
        arguments: [
            ("60", 60), ("060", 60), ("0", nil), ("-1", nil), ("-99999999999999999999", nil),
            ("99999999999999999999", 3_153_600_000),
        ] as [(String, TimeInterval?)]
    )
    func `RFC 6265 §5.2.2: Max-Age counts from now, and for more than Expires`(
        age: String,
        seconds: TimeInterval?
    ) throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        for attributes in [
            ["Max-Age=\(age)", "Expires=\(date)"], ["expires=\(date)", "max-age=\(age)"],
        ] {
            let cookie = try #require(SetCookie("a=b; " + attributes.joined(separator: "; ")))
            #expect(cookie.expiryDate(at: now) == seconds.map { now + $0 } ?? .distantPast)
        }
    }

    @Test(arguments: ["1.5", "+1", "1s", "--1", "-", " "])
    func `RFC 6265 §5.2.2: a Max-Age that is no number leaves Expires`(age: String) throws {
        let field = "a=b; Max-Age=\(age); Expires=Sun, 06 Nov 1994 08:49:37 GMT"
        let cookie = try #require(SetCookie(field))
        #expect(cookie.expiryDate(at: now)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test func `RFC 6265 §5.2: a semicolon ends a value also with an accent on it`() throws {
        let cookie = try #require(SetCookie("a=b;\u{301}x=y;\u{200D}z; Secure"))
        #expect(cookie.name == "a")
        #expect(cookie.value == "b")
        #expect(cookie.isSecure)
        let other = try #require(SetCookie("a=\u{301}b; Path=/\u{301}"))
        #expect(other.name == "a")
        #expect(other.value == "\u{301}b")
        #expect(other.path == "/\u{301}")
    }
}

@Suite("Dates of cookies", .timeLimit(.minutes(5)))
struct CookieDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "06-Nov-1994 08:49:37", "1994 november 6 8:49:37",
        "08:49:37 6 nov 94", "Sun, 06 Nov 1994 08:49:37 +0200", "6th Novembre 1994/08:49:37.500",
        "08:49:37z;6_Nov(1994)", "Sun, 06 Nov 1994 08:49:37 GMT 07 Dec 2001 10:00:00",
    ])
    func `RFC 6265 §5.1.1: a date is read however it is written`(text: String) {
        #expect(Date(cookieDate: text)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(arguments: [(69, 2069), (70, 1970), (99, 1999), (0, 2000)])
    func `RFC 6265 §5.1.1: a year of two digits is of the age of computers`(
        short: Int,
        long: Int
    ) {
        let digits = short < 10 ? "0\(short)" : "\(short)"
        let date = Date(cookieDate: "01 Jan \(digits) 00:00:00")
        #expect(date != nil)
        #expect(date == Date(cookieDate: "01 Jan \(long) 00:00:00"))
    }

    @Test(arguments: [
        "", "tomorrow", "06 Nov 1994", "08:49:37 GMT", "06 Nov 1994 24:00:00",
        "06 Nov 1994 08:60:37", "06 Nov 1994 08:49:60", "30 Feb 1994 08:49:37",
        "29 Feb 1995 08:49:37", "00 Nov 1994 08:49:37", "32 Nov 1994 08:49:37",
        "06 Nov 1600 08:49:37", "06 Nov 19945 08:49:37", "06 Nov 1994 008:49:37",
        "006 Nov 1994 08:49:37", "06 Nov 1994 08:49",
    ])
    func `RFC 6265 §5.1.1: what is no date is none`(text: String) {
        #expect(Date(cookieDate: text) == nil)
    }

    @Test func `a leap day is a day`() {
        #expect(Date(cookieDate: "29 Feb 2000 00:00:00")?.timeIntervalSince1970 == 951_782_400)
    }
}
