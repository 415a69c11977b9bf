extension Wire {
    /// A way in which a server or a proxy wants to be told who asks (RFC 9110).
    package struct PasswordChallenge: Codable, Hashable, Sendable {
        /// The scheme in lower case: basic or digest.
        package var scheme: String
        /// What it comes with, by name in lower case; the realm among it.
        package var parameters: [String: String]
        /// Whether a proxy asks.
        package var isProxy: Bool

        /// Creates one of its parts.
        package init(
            scheme: String,
            parameters: [String: String],
            isProxy: Bool
        ) {
            self.scheme = scheme
            self.parameters = parameters
            self.isProxy = isProxy
        }
    }
}
