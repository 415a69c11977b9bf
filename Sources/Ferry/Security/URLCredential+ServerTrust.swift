public import FoundationNetworking

extension URLCredential {
    /// The answer to a challenge about a server, that it is trusted.
    ///
    /// - Parameter trust: What the challenge has shown. It is good for that challenge only.
    public convenience init(trust: SecTrust) {
        self.init(user: "", password: "", persistence: .none)
    }
}
