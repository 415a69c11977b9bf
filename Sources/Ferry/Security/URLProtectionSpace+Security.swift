import FerryHTTP
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

// The names are Apple's; Foundation on Linux only declares them as unavailable.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The method of a challenge that asks whether a server is trusted; see ``SecTrust``.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The method of a challenge that asks for a client certificate.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
