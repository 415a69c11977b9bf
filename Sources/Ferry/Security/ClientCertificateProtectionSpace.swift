import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

/// A server that wants to know by a certificate who its client is.
final class ClientCertificateProtectionSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because its superclass is open; there is nothing here that changes.
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
