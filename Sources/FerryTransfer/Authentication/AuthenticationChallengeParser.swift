package import FerryHTTP

/// Reads the value of a field such as `WWW-Authenticate`.
///
/// A comma separates both parameters and challenges (RFC 9110 §11.6.1). A word followed by an equals sign is
/// the name of a parameter; any other word is a scheme.
struct AuthenticationChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ value: String) { bytes = Array(value.utf8) }

    /// Returns all challenges before the first one that cannot be read.
    mutating func challenges() -> [AuthenticationChallenge] {
        var found: [AuthenticationChallenge] = []
        skipSeparators()
        while let scheme = takeToken() {
            var challenge = AuthenticationChallenge(scheme: scheme.lowercased())
            takeParameters(of: &challenge)
            found.append(challenge)
            skipSeparators()
        }
        return found
    }

    private mutating func takeParameters(of challenge: inout AuthenticationChallenge) {
        while true {
            let start = position
            skipSeparators()
            guard let name = takeToken() else {
                position = start
                return
            }
            skipBlanks()
            guard peek == UInt8(ascii: "="), !isToken68(after: name) else {
                // Either the next challenge, or Base64, which no scheme here uses.
                if peek == UInt8(ascii: "=") { skipToken68() } else { position = start }
                if position == start { return }
                continue
            }
            position += 1
            skipBlanks()
            guard let value = peek == UInt8(ascii: "\"") ? takeQuoted() : takeToken() else {
                return
            }
            let key = name.lowercased()
            if challenge.parameters[key] == nil { challenge.parameters[key] = value }
        }
    }

    /// Whether what looks like a name is Base64 that ends in equals signs.
    private func isToken68(after name: String) -> Bool {
        var next = position
        while next < bytes.count, bytes[next] == UInt8(ascii: "=") { next += 1 }
        while next < bytes.count, Self.isBlank(bytes[next]) { next += 1 }
        return next == bytes.count || bytes[next] == UInt8(ascii: ",")
    }

    private mutating func skipToken68() {
        while peek == UInt8(ascii: "=") { position += 1 }
    }

    // MARK: - Words

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func takeToken() -> String? {
        let start = position
        while let byte = peek, Self.isTokenByte(byte) { position += 1 }
        return start < position ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// Reads a quoted text, in which a backslash escapes the next byte; `nil` if it does not end.
    private mutating func takeQuoted() -> String? {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let quoted = peek else { return nil }
                position += 1
                text.append(quoted)
            default:
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func skipBlanks() {
        while let byte = peek, Self.isBlank(byte) { position += 1 }
    }

    private mutating func skipSeparators() {
        while let byte = peek, Self.isBlank(byte) || byte == UInt8(ascii: ",") { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Whether a byte belongs to a token (RFC 9110 §5.6.2) or to Base64.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~/".utf8.contains(byte)
        }
    }
}

/// An authentication challenge of a server or a proxy (RFC 9110 §11.3).
package struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme, in lower case: `basic`, `digest`, `bearer`.
    package var scheme: String
    /// The parameters by name in lower case; the first one counts if a name occurs twice.
    package var parameters: [String: String]

    /// The protection space in which one name and password are valid; `nil` when the server names none.
    package var realm: String? { parameters["realm"] }

    /// Makes a challenge from its parts.
    package init(scheme: String, parameters: [String: String] = [:]) {
        self.scheme = scheme
        self.parameters = parameters
    }

    /// Returns the challenges of a response, in order.
    ///
    /// - Parameters:
    ///   - head: A response with the status 401 or 407.
    ///   - isProxy: Whether to read the proxy's challenges.
    /// - Returns: The challenges that can be read.
    package static func all(
        in head: HTTPResponseHead,
        forProxy isProxy: Bool = false
    ) -> [AuthenticationChallenge] {
        let name = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
        return head.fields.values(named: name).flatMap { value in
            var parser = AuthenticationChallengeParser(value)
            return parser.challenges()
        }
    }
}
