import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

extension URLAuthenticationChallenge {
    /// Makes the challenge that an app sees.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - space: Its protection space.
    ///   - credential: The credential to propose: the stored one, or the one that the server has just refused.
    /// - Returns: The challenge.
    static func make(
        _ challenge: LoadChallenge,
        for space: URLProtectionSpace,
        proposing credential: URLCredential?
    ) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: credential,
            previousFailureCount: challenge.previousFailureCount,
            failureResponse: challenge.response.flatMap { HTTPURLResponse.make($0) },
            error: nil,
            sender: UnusedChallengeSender.only
        )
    }
}

extension LoadChallenge {
    /// Returns the challenge's protection space.
    func protectionSpace(proxy: Origin?) -> URLProtectionSpace {
        switch kind {
        case .serverTrust(let trust):
            let url = URL(string: origin.description)
            return ServerTrustProtectionSpace(SecTrust(trust, url: url), origin: origin)
        case .clientCertificate(let certificateRequest):
            return ClientCertificateProtectionSpace(certificateRequest, origin: origin)
        case .password(let way, isProxy: true):
            let proxy = proxy ?? origin
            return URLProtectionSpace(
                proxyHost: proxy.host,
                port: proxy.port,
                type: proxy.scheme,
                realm: way.realm,
                authenticationMethod: way.authenticationMethod
            )
        case .password(let way, isProxy: false):
            return URLProtectionSpace(
                host: origin.host,
                port: origin.port,
                protocol: origin.scheme,
                realm: way.realm,
                authenticationMethod: way.authenticationMethod
            )
        }
    }
}

extension AuthenticationChallenge {
    fileprivate var authenticationMethod: String {
        scheme == "digest"
            ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic
    }
}

/// The sender of challenges that are answered by a handler, as URLSession's are.
///
/// Foundation requires a sender. On Apple's systems it must not be used either.
final class UnusedChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    static let only = UnusedChallengeSender()

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}

    func cancel(_ challenge: URLAuthenticationChallenge) {}

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
