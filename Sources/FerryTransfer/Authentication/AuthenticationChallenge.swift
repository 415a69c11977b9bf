package import FerryHTTP

/// One way in which a server, or a proxy, would like to be told who asks (RFC 9110 §11.3).
package struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme, in lower case: `basic`, `digest`, `bearer`.
    package var scheme: String
    /// What it comes with, by name in lower case; those of a name that is there twice are the first's.
    package var parameters: [String: String]

    /// The space of resources that one name and password are good for; `nil` when the server tells none.
    package var realm: String? { parameters["realm"] }

    /// Makes a challenge of its parts.
    package init(scheme: String, parameters: [String: String] = [:]) {
        self.scheme = scheme
        self.parameters = parameters
    }

    /// The challenges of a response, in its order.
    ///
    /// - Parameters:
    ///   - head: A response with the status 401 or 407.
    ///   - isProxy: Whether those of a proxy are asked for.
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
