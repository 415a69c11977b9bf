/// What is to become of a connection whose server wants to know who its client is.
package enum HTTPIdentityDecision: Hashable, Sendable {
    /// Go on without a certificate; it is up to the server what it makes of that.
    case goOnWithout
    /// End the exchange with ``HTTPError/Code/clientCertificateUndecided``: somebody else must be asked,
    /// which takes longer than a handshake may wait.
    ///
    /// The same request may be sent again with an ``HTTPRequest/identity``, or without
    /// ``HTTPRequest/asksForIdentity``.
    case ask
}
