import FoundationEssentials

/// Who asks, and what proves it.
package struct PasswordCredential: Hashable, Sendable {
    /// The user's name.
    package var user: String
    /// The password.
    package var password: String

    /// Makes a credential of its parts.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

extension PasswordCredential: CustomStringConvertible {
    /// The user's name alone: the password is nobody's business.
    package var description: String { "user \(user)" }
}

/// Name and password as they are (RFC 7617).
package enum BasicAuthentication {
    /// The value of the `Authorization` or `Proxy-Authorization` field.
    ///
    /// - Returns: `nil` for a name with a colon in it, which would end there.
    package static func value(for credential: PasswordCredential) -> String? {
        guard !credential.user.contains(":") else { return nil }
        let pair = Data("\(credential.user):\(credential.password)".utf8)
        return "Basic \(pair.base64EncodedString())"
    }
}
