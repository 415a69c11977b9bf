package import FerryHTTP

/// What is to be done about a challenge.
package enum LoadChallengeAnswer: Hashable, Sendable {
    /// Use this name and password.
    case use(PasswordCredential)
    /// Trust the server.
    case trust
    /// Prove by this who the client is.
    case identify(HTTPIdentity)
    /// Go on without an answer: a response that asks for a password is the answer to the request, and a
    /// server is trusted if its certificates are good.
    case performDefaultHandling
    /// Try the next way that the other side offers.
    case reject
    /// Fail the load with ``TransferError/Code/cancelled``.
    case cancel
}
