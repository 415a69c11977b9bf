import FerryTransfer
import Foundation
import FoundationNetworking

@testable import Ferry

extension FuzzTarget {
    /// A cookie goes to nobody but the party that has set it.
    static let setCookie = FuzzTarget("set-cookie") { input throws(Finding) in
        var input = input
        let address = addresses[Int(input.takeNumber()) % addresses.count]
        let text = input.text
        guard let field = SetCookie(text) else { return }
        try check(field, text)
        guard let url = URL(string: address), let origin = CookieOrigin(url) else {
            throw Finding(description: "\(address) is no origin")
        }
        let now = Date(timeIntervalSince1970: 1_784_000_000)
        guard let cookie = HTTPCookie.make(field, from: origin, at: now) else { return }
        try expect(origin.isIn(cookie.bareDomain), "\(address) sets a cookie of \(cookie.domain)")
        try expect(origin.isSecure || !cookie.isSecure, "who is heard by all sets a secure cookie")
        try expectSame(cookie.name, field.name, "the name")
        try expectSame(cookie.value, field.value, "the value")
        try expect(cookie.path.utf8.first == UInt8(ascii: "/"), "the path is \(cookie.path)")
        try expect(CookieRecord(cookie).isSecure == field.isSecure, "whether it is secure")
        try expect(
            cookie.plain.isSame(as: cookie.created(at: now).plain),
            "a copy is another cookie"
        )
    }

    private static let addresses = [
        "https://www.example.com/a/b", "http://example.com", "https://127.0.0.1/", "http://[::1]/",
        "https://localhost/x",
    ]

    private static func check(_ field: SetCookie, _ text: String) throws(Finding) {
        try expect(!field.name.isEmpty, "a cookie without a name")
        try expect(text.utf8.count >= field.name.utf8.count + field.value.utf8.count, "\(field)")
        for part in [field.name, field.value, field.path ?? "", field.domain ?? ""] {
            try expect(!part.utf8.contains(UInt8(ascii: ";")), "a semicolon in \(part)")
            try expect(part.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 }, "a control character")
        }
        try expect(!field.name.utf8.contains(UInt8(ascii: "=")), "an equals sign in the name")
        let years = field.expires.map { $0.timeIntervalSince1970 / 31_556_952 + 1970 }
        try expect((1600...10_000).contains(years ?? 2000), "it ends in \(years ?? 0)")
        let now = Date(timeIntervalSince1970: 1_784_000_000)
        let end = field.expiryDate(at: now)?.timeIntervalSince1970 ?? 0
        try expect(end.isFinite, "it ends at \(end)")
    }
}
