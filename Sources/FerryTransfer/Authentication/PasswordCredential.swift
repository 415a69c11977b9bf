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
