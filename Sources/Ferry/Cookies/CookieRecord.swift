import Foundation
import FoundationNetworking

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
