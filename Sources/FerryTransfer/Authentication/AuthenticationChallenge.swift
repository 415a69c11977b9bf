package import FerryHTTP

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
