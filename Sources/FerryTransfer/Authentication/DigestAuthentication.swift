package import FerryHTTP

/// Digest authentication, which proves a password without sending it (RFC 7616).
///
/// A server's challenge is valid for many requests, which are counted.
package struct DigestAuthentication: Hashable, Sendable {
    private let realm: String
    private let nonce: String
    private let opaque: String?
    private let algorithmName: String?
    private let digest: MessageDigest
    private let isSessionBound: Bool
    private let protectsRequest: Bool
    private let hashesUser: Bool
    private var requestCount = 0

    /// Whether the server says that only the nonce is too old, and the password may be right.
    package let isStale: Bool

    /// Reads a challenge.
    ///
    /// - Returns: `nil` when it has another scheme or requires something unsupported: an unknown algorithm, or
    ///   only the protection of bodies (`auth-int`).
    package init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let nonce = parameters["nonce"],
            let algorithm = Self.algorithm(parameters["algorithm"])
        else { return nil }
        let protections = parameters["qop"].map { value in
            value.split(whereSeparator: { ", \t".contains($0) }).map { $0.lowercased() }
        }
        if let protections, !protections.contains("auth") { return nil }
        realm = parameters["realm"] ?? ""
        self.nonce = nonce
        opaque = parameters["opaque"]
        algorithmName = parameters["algorithm"]
        (digest, isSessionBound) = algorithm
        protectsRequest = protections != nil
        hashesUser = parameters["userhash"]?.lowercased() == "true"
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    private static func algorithm(_ name: String?) -> (MessageDigest, isSessionBound: Bool)? {
        switch name?.lowercased() {
        case nil, "md5": (.md5, false)
        case "md5-sess": (.md5, true)
        case "sha-256": (.sha256, false)
        case "sha-256-sess": (.sha256, true)
        case "sha-512-256": (.sha512t256, false)
        case "sha-512-256-sess": (.sha512t256, true)
        default: nil
        }
    }

    /// How well the password is protected; the strongest of a server's challenges is answered.
    package var strength: Int {
        switch digest {
        case .md5, .sha1: 0
        case .sha256: 1
        case .sha512, .sha512t256: 2
        }
    }

    /// The value of the `Authorization` or `Proxy-Authorization` field for the next request.
    ///
    /// - Parameters:
    ///   - credential: The user's name and password.
    ///   - method: The request's method.
    ///   - target: Path and query as they are sent, or host and port for a tunnel through a proxy.
    ///   - clientNonce: An unpredictable text that differs from the previous request's.
    /// - Returns: The value.
    /// - Throws: What ``MessageDigest/hexadecimal(of:)`` throws.
    package mutating func value(
        for credential: PasswordCredential,
        method: String,
        target: String,
        clientNonce: String
    ) throws(HTTPError) -> String {
        requestCount += 1
        let count = Self.eightDigits(requestCount)
        var secret = try digest.hexadecimal(
            of: "\(credential.user):\(realm):\(credential.password)"
        )
        if isSessionBound {
            secret = try digest.hexadecimal(of: "\(secret):\(nonce):\(clientNonce)")
        }
        let request = try digest.hexadecimal(of: "\(method):\(target)")
        let proof =
            protectsRequest
            ? "\(secret):\(nonce):\(count):\(clientNonce):auth:\(request)"
            : "\(secret):\(nonce):\(request)"
        let user =
            hashesUser ? try digest.hexadecimal(of: "\(credential.user):\(realm)") : credential.user
        return value(
            user: user,
            target: target,
            response: try digest.hexadecimal(of: proof),
            count: count,
            clientNonce: clientNonce
        )
    }

    private func value(
        user: String,
        target: String,
        response: String,
        count: String,
        clientNonce: String
    ) -> String {
        var parts = [
            userPart(user), "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))",
            "uri=\(Self.quoted(target))", "response=\"\(response)\"",
        ]
        if let algorithmName { parts.append("algorithm=\(algorithmName)") }
        if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        if protectsRequest {
            parts += ["qop=auth", "nc=\(count)", "cnonce=\(Self.quoted(clientNonce))"]
        } else if isSessionBound {
            parts.append("cnonce=\(Self.quoted(clientNonce))")
        }
        if hashesUser { parts.append("userhash=true") }
        return "Digest \(parts.joined(separator: ", "))"
    }

    /// Returns the name parameter; a name that is not ASCII has a special form (RFC 8187).
    private func userPart(_ user: String) -> String {
        guard !user.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return "username=\(Self.quoted(user))"
        }
        return "username*=UTF-8''\(Self.percentEncoded(user))"
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        .joined()
    }

    private static func quoted(_ text: String) -> String {
        // Scalars, not characters: a quote with an accent is another character, but still ends the text.
        let escaped = text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
            scalar == "\"" || scalar == "\\" ? ["\\", scalar] : [scalar]
        }
        return "\"\(String(String.UnicodeScalarView(escaped)))\""
    }

    private static func eightDigits(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
