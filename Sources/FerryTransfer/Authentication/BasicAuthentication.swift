import FoundationEssentials

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
