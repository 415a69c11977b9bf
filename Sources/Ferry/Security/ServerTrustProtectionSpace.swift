import FerryTransfer
public import Foundation
public import FoundationNetworking

/// A server that has shown its certificates.
final class ServerTrustProtectionSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because its superclass is open; there is nothing here that changes.
    let trust: SecTrust

    init(_ trust: SecTrust, origin: Origin) {
        self.trust = trust
        super.init(
            host: origin.host,
            port: origin.port,
            protocol: origin.scheme,
            realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust
        )
    }
}

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
