public import FoundationNetworking

extension URLProtectionSpace {
    /// What the server shows to prove who it is; nil for challenges of another method than
    /// `NSURLAuthenticationMethodServerTrust`.
    public var serverTrust: SecTrust? {
        (self as? ServerTrustProtectionSpace)?.trust
    }
}
