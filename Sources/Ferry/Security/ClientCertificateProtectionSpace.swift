import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

/// A server that asks for a client certificate.
final class ClientCertificateProtectionSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because its superclass is open; nothing in this class changes.
    let names: [Data]

    init(_ certificateRequest: CertificateRequest, origin: Origin) {
        names = certificateRequest.issuers.map { Data($0) }
        super.init(
            host: origin.host,
            port: origin.port,
            protocol: origin.scheme,
            realm: nil,
            authenticationMethod: NSURLAuthenticationMethodClientCertificate
        )
    }
}
