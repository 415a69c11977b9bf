import Ferry
import FerryTransfer
import Foundation

/// A file of cookies in Netscape's format, as curl, wget and browsers' extensions write it.
///
/// A line has a cookie's domain, whether it is for subdomains, its path, whether it is for TLS only, the second since 1970 in
/// which it expires (0 for the end of a session), its name and its value, with tabs between them. `#HttpOnly_` may precede the
/// domain; other lines that begin with `#` are comments.
struct CookieFile: Hashable, Sendable {
    private struct Key: Hashable {
        let domain: String
        let path: String
        let name: String

        init(_ cookie: Cookie) {
            (domain, path, name) = (cookie.domain, cookie.path, cookie.name)
        }
    }

    /// The maximum size of a file in bytes.
    static let greatestByteCount = 16 << 20

    private static let prefix = "#HttpOnly_"

    /// The cookies, each of which was created at its place in the file.
    private var cookies: [Cookie] = []

    /// Reads a file; nil if a line has another form.
    ///
    /// - Parameter bytes: The content.
    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        for line in text.split(whereSeparator: \.isNewline).map(\.withoutByteOrderMark) {
            let isHTTPOnly = line.hasPrefix(Self.prefix)
            let content = isHTTPOnly ? line.dropFirst(Self.prefix.count) : line
            if content.hasPrefix("#") || content.allSatisfy(\.isWhitespace) { continue }
            guard var cookie = Self.cookie(content) else { return nil }
            cookie.isHTTPOnly = isHTTPOnly
            cookie.creationDate = Date(timeIntervalSinceReferenceDate: Double(cookies.count))
            cookies.append(cookie)
        }
        keepLatest()
    }

    /// Adds cookies that servers have set; one that has expired removes that of its name.
    ///
    /// - Parameters:
    ///   - new: The cookies, in the order in which they were set.
    ///   - now: The present.
    mutating func add(_ new: [Cookie], at now: Date) {
        cookies += new
        keepLatest()
        cookies.removeAll { $0.hasEnded(at: now) }
    }

    /// Removes the cookies that end with the session in which they were set.
    mutating func removeThoseOfSessions() { cookies.removeAll { $0.expiryDate == nil } }

    /// The content of the file.
    var text: String {
        let lines = cookies.map { cookie in
            let fields = [
                cookie.isForHostOnly ? cookie.domain : ".\(cookie.domain)",
                cookie.isForHostOnly ? "FALSE" : "TRUE", cookie.path,
                cookie.isSecure ? "TRUE" : "FALSE",
                "\(cookie.expiryDate.map { Int64(min($0.timeIntervalSince1970, 1e12)) } ?? 0)",
                cookie.name, cookie.value,
            ]
            return (cookie.isHTTPOnly ? Self.prefix : "") + fields.joined(separator: "\t") + "\n"
        }
        return "# Netscape HTTP Cookie File\n\n" + lines.joined()
    }

    /// Of several cookies with the same name, the last one counts, as of a server that sets it again (RFC 6265 §5.3).
    private mutating func keepLatest() {
        var latest: [Key: Int] = [:]
        for (index, cookie) in cookies.enumerated() { latest[Key(cookie)] = index }
        cookies = cookies.enumerated().filter { latest[Key($1)] == $0 }.map(\.element)
    }

    private static func cookie(_ line: Substring) -> Cookie? {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        // A cookie without a value may lack the last tab.
        guard 6...7 ~= fields.count, let expiry = Double(fields[4]), expiry.isFinite,
            fields.suffix(from: 5).allSatisfy({ !$0.unicodeScalars.contains(where: \.isInvisible) })
        else { return nil }
        let domain = fields[0].lowercased()
        return Cookie(
            name: String(fields[5]),
            value: fields.count > 6 ? String(fields[6]) : "",
            domain: domain.hasPrefix(".") ? String(domain.dropFirst()) : domain,
            isForHostOnly: fields[1].uppercased() != "TRUE",
            path: String(fields[2]),
            expiryDate: expiry == 0 ? nil : Date(timeIntervalSince1970: expiry),
            isSecure: fields[3].uppercased() == "TRUE",
            isHTTPOnly: false,
            creationDate: .distantPast
        )
    }

    /// Returns the cookies of a URL's site: of its host, of the domains above, and of other hosts of the domain.
    ///
    /// Which domain is a site's own is a matter of a list that is not here (the Public Suffix List): the last two labels of
    /// the host count. Each cookie is sent to its own domain alone in any case.
    ///
    /// - Parameters:
    ///   - url: The URL of the first request.
    ///   - now: The present.
    /// - Returns: The cookies; those for the URL itself first, then the newest.
    func cookies(near url: URL, at now: Date) -> [Cookie] {
        guard let origin = CookieOrigin(url) else { return [] }
        let labels = origin.host.split(separator: ".")
        let site = origin.isAddress ? origin.host : labels.suffix(2).joined(separator: ".")
        let near = cookies.filter { cookie in
            !cookie.hasEnded(at: now) && cookie.canBeSent
                && (CookieOrigin.isDomain(cookie.domain, in: site) || origin.isIn(cookie.domain))
        }
        let ranked =
            near.filter { $0.isFor(origin, at: now) }
            + near.reversed().filter { !$0.isFor(origin, at: now) }
        return Array(ranked.prefix(TransferCookies.greatestCount))
    }
}
