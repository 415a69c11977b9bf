import FerryTransfer
public import Foundation
public import FoundationNetworking

/// A server that has presented its certificates.
final class ServerTrustProtectionSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because its superclass is open; nothing in this class changes.
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
    /// The server's certificates and their verification; nil for challenges of another method than
    /// `NSURLAuthenticationMethodServerTrust`.
    public var serverTrust: SecTrust? {
        (self as? ServerTrustProtectionSpace)?.trust
    }

    /// The names of the authorities whose certificates the server accepts, in their binary form (DER); nil for
    /// challenges of another method than `NSURLAuthenticationMethodClientCertificate`.
    public var distinguishedNames: [Data]? {
        (self as? ClientCertificateProtectionSpace)?.names
    }
}
