import FerryTransfer
import Foundation
import Testing

@testable import Ferry

@Suite("Copies of cookies", .timeLimit(.minutes(5)))
struct CookieCopyTests {
    private let date = Date(timeIntervalSinceReferenceDate: 700_000_000)

    /// A cookie with nothing in particular.
    static let plain = Cookie(
        name: "a",
        value: "b",
        domain: "example.com",
        isForHostOnly: true,
        path: "/",
        expiryDate: nil,
        isSecure: false,
        isHTTPOnly: false,
        creationDate: Date(timeIntervalSinceReferenceDate: 600_000_000)
    )

    /// A change of each field.
    static let changes: [@Sendable (inout Cookie) -> Void] = [
        { _ in }, { $0.name = "c" }, { $0.value = "d" }, { $0.domain = "example.org" },
        { $0.isForHostOnly = false }, { $0.path = "/e" },
        { $0.expiryDate = Date(timeIntervalSinceReferenceDate: 900_000_000) },
        { $0.isSecure = true }, { $0.isHTTPOnly = true },
        { $0.creationDate = Date(timeIntervalSinceReferenceDate: 650_000_000) },
        {
            $0.isSecure = true
            $0.isHTTPOnly = true
            $0.isForHostOnly = false
        },
    ]

    private static func cookie(_ change: @Sendable (inout Cookie) -> Void) -> Cookie {
        var cookie = plain
        change(&cookie)
        return cookie
    }

    @Test(arguments: changes)
    func `TEST-18: Foundation's form of a cookie has every field`(
        change: @Sendable (inout Cookie) -> Void
    ) throws {
        let cookie = Self.cookie(change)
        let made = try #require(HTTPCookie.make(cookie))
        #expect(made.plain == cookie)
        #expect(made.isSessionOnly == (cookie.expiryDate == nil))
    }

    @Test(arguments: changes)
    func `TEST-18: a cookie that is made anew differs in its date alone`(
        change: @Sendable (inout Cookie) -> Void
    ) throws {
        var cookie = Self.cookie(change)
        let made = try #require(HTTPCookie.make(cookie))
        let copy = made.created(at: date)
        cookie.creationDate = date
        #expect(copy.plain == cookie)
        #expect(copy.isSecure == made.isSecure)
        #expect(copy.isSessionOnly == made.isSessionOnly)
        #expect(copy.version == made.version)
        #expect(copy.portList == made.portList)
        #expect(copy.commentURL == made.commentURL)
    }

    @Test(arguments: changes)
    func `TEST-18: a cookie that is set again is what was set, with its first date`(
        change: @Sendable (inout Cookie) -> Void
    ) throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let origin = try #require(
            URL(string: "https://example.com/").flatMap { CookieOrigin($0) }
        )
        let first = try #require(HTTPCookie.make(Self.plain))
        storage.keep(first, from: origin, at: date)
        let cookie = Self.cookie(change)
        var again = cookie
        again.creationDate = date
        storage.keep(try #require(HTTPCookie.make(again)), from: origin, at: date)
        var expected = again
        if cookie.isSame(as: Self.plain) { expected.creationDate = Self.plain.creationDate }
        let kept = (storage.cookies ?? []).map(\.plain)
        #expect(kept.contains(expected), "\(kept)")
        #expect(kept.count == (cookie.isSame(as: Self.plain) ? 1 : 2))
    }
}
