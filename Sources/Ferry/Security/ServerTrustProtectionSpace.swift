import FerryTransfer
import FoundationNetworking

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
