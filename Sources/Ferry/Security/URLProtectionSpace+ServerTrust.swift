public import Foundation
public import FoundationNetworking

extension URLProtectionSpace {
    /// What the server shows to prove who it is; nil for challenges of another method than
    /// `NSURLAuthenticationMethodServerTrust`.
    public var serverTrust: SecTrust? {
        (self as? ServerTrustProtectionSpace)?.trust
    }

    /// The names of the authorities whose certificates the server takes, in their binary form (DER); nil for
    /// challenges of another method than `NSURLAuthenticationMethodClientCertificate`.
    public var distinguishedNames: [Data]? {
        (self as? ClientCertificateProtectionSpace)?.names
    }
}
