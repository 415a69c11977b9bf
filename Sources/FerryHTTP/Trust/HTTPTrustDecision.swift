/// What is to become of a connection, once it is known who the server says it is.
package enum HTTPTrustDecision: Hashable, Sendable {
    /// Go by the verdict.
    case followVerdict
    /// Trust the server, whatever the verdict.
    case accept
    /// End the exchange with ``HTTPError/Code/serverTrustUndecided``: somebody else must be asked, which
    /// takes longer than a handshake may wait.
    case ask
}
