import Foundation

/// A file of cookies in Netscape's format, as curl, wget and browsers' extensions write it.
///
/// A line has a cookie's domain, whether it is for subdomains, its path, whether it is for TLS only, the second since 1970 in
/// which it expires (0 for the end of a session), its name and its value, with tabs between them. `#HttpOnly_` may precede the
/// domain; other lines that begin with `#` are comments.
struct CookieFile: Hashable, Sendable {
    private struct Cookie: Hashable {
        let domain: String
        let includesSubdomains: Bool
        let path: String
        let isSecure: Bool
        let expiry: Double
        let name: String
        let value: String

        var key: [String] { [domain, path, name] }
    }

    /// The maximum size of a file in bytes.
    static let greatestByteCount = 16 << 20

    private static let prefix = "#HttpOnly_"

    private var cookies: [Cookie] = []

    /// Reads a file; nil if a line has another form.
    ///
    /// - Parameter bytes: The content.
    init?(_ bytes: [UInt8]) {
        var latest: [[String]: Int] = [:]
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        for line in text.drop(while: { $0 == "\u{FEFF}" }).split(whereSeparator: \.isNewline) {
            let content = line.hasPrefix(Self.prefix) ? line.dropFirst(Self.prefix.count) : line
            if content.hasPrefix("#") || content.allSatisfy(\.isWhitespace) { continue }
            guard let cookie = Self.cookie(content) else { return nil }
            // The last one counts, as of a server that sets it again (RFC 6265 §5.3).
            latest[cookie.key] = cookies.count
            cookies.append(cookie)
        }
        cookies = cookies.enumerated().filter { latest[$1.key] == $0 }.map(\.element)
    }

    private static func cookie(_ line: Substring) -> Cookie? {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        // A cookie without a value may lack the last tab.
        guard 6...7 ~= fields.count, let expiry = Double(fields[4]),
            fields.suffix(from: 5).allSatisfy({ !$0.unicodeScalars.contains(where: \.isInvisible) })
        else { return nil }
        let domain = fields[0].lowercased()
        return Cookie(
            domain: domain.hasPrefix(".") ? String(domain.dropFirst()) : domain,
            includesSubdomains: fields[1].uppercased() == "TRUE",
            path: String(fields[2]),
            isSecure: fields[3].uppercased() == "TRUE",
            expiry: expiry,
            name: String(fields[5]),
            value: fields.count > 6 ? String(fields[6]) : ""
        )
    }

    /// Returns the value of the request's field, with the longest paths first (RFC 6265 §5.4).
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - now: The present.
    /// - Returns: The value; nil if no cookie is for the URL.
    func field(for url: URL, at now: Date) -> String? {
        guard let host = url.host()?.lowercased() else { return nil }
        let requested = url.path(percentEncoded: true)
        let target = Target(
            host: host,
            // An address has no domain that it is part of (RFC 6265 §5.1.3).
            isAddress: host.contains(":") || host.last?.isNumber == true,
            path: requested.isEmpty ? "/" : requested,
            isSecure: url.scheme?.lowercased() == "https"
        )
        let matching = cookies.enumerated()
            .filter { cookie in
                target.matches(cookie.element)
                    && (cookie.element.expiry == 0
                        || cookie.element.expiry > now.timeIntervalSince1970)
            }
            .sorted { left, right in
                let (first, second) = (left.element.path.utf8.count, right.element.path.utf8.count)
                return first == second ? left.offset < right.offset : first > second
            }
        guard !matching.isEmpty else { return nil }
        return matching.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    /// What a cookie is compared with.
    private struct Target {
        let host: String
        let isAddress: Bool
        let path: String
        let isSecure: Bool

        func matches(_ cookie: Cookie) -> Bool {
            let isPart =
                cookie.includesSubdomains && !isAddress && host.hasSuffix(".\(cookie.domain)")
            guard host == cookie.domain || isPart, isSecure || !cookie.isSecure,
                path.hasPrefix(cookie.path)
            else { return false }
            return path == cookie.path || cookie.path.hasSuffix("/")
                || path.dropFirst(cookie.path.count).hasPrefix("/")
        }
    }
}
