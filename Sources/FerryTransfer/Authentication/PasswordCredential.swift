import FoundationEssentials

/// A user's name and password.
package struct PasswordCredential: Hashable, Sendable {
    /// The user's name.
    package var user: String
    /// The password.
    package var password: String

    /// Makes a credential from its parts.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

extension PasswordCredential: CustomStringConvertible {
    /// The user's name only, never the password.
    package var description: String { "user \(user)" }
}

/// Basic authentication: unprotected name and password (RFC 7617).
package enum BasicAuthentication {
    /// The value of the `Authorization` or `Proxy-Authorization` field.
    ///
    /// - Returns: `nil` for a name that contains a colon, which would end the name.
    package static func value(for credential: PasswordCredential) -> String? {
        guard !credential.user.contains(":") else { return nil }
        let pair = Data("\(credential.user):\(credential.password)".utf8)
        return "Basic \(pair.base64EncodedString())"
    }
}
