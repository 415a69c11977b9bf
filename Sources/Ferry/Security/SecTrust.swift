import FerryHTTP
import FerryTransfer
public import Foundation

/// The certificates of a server, and the result of their verification.
///
/// It comes with a challenge, as `challenge.protectionSpace.serverTrust`. To accept the server, answer with
/// ``URLSession/AuthChallengeDisposition/useCredential`` and `URLCredential(trust:)`; to go by the result, answer
/// with ``URLSession/AuthChallengeDisposition/performDefaultHandling``.
///
/// - Important: On Linux the certificates are verified when the app is asked, by OpenSSL against the system's
///   authorities; the result is here. There are no policies or anchors to set: an app that trusts an authority of
///   its own compares the last certificate of the chain.
public final class SecTrust: Sendable {
    /// The certificates, the server's own first, then those of its issuers up to an authority: as verified, or as the
    /// server has sent them if that failed.
    public let certificateChain: [SecCertificate]
    /// The host that was asked for.
    public let host: String
    /// The reason why the server is not trusted; nil if an authority of the system vouches for it and for its name.
    ///
    /// One of `URLError.Code.serverCertificateUntrusted` and `URLError.Code.serverCertificateHasBadDate`, whose
    /// `NSLocalizedFailureReasonErrorKey` has the reason in words.
    public let verificationError: URLError?

    init(_ trust: HTTPServerTrust, url: URL?) {
        certificateChain = trust.certificates.map { SecCertificate(data: Data($0)) }
        host = trust.host
        verificationError = trust.verdict.error.map { URLError(TransferError($0), url: url) }
    }
}

// The name is Apple's:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the certificates of a trust, the server's own first.
///
/// - Parameter trust: The trust.
/// - Returns: ``SecTrust/certificateChain``; nil where there are none.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> [SecCertificate]? {
    trust.certificateChain.isEmpty ? nil : trust.certificateChain
}

// The name is Apple's:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the number of certificates in a trust.
///
/// - Parameter trust: The trust.
/// - Returns: The length of ``SecTrust/certificateChain``.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> Int {
    trust.certificateChain.count
}

/// The reason why a server is not trusted.
///
/// On Apple's systems a class of Core Foundation. On Linux any error, and nearly always a `URLError`.
public typealias CFError = any Error

// The name is Apple's:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns whether a server was found to be trusted.
///
/// - Parameters:
///   - trust: The trust.
///   - error: Receives the reason if it was not.
/// - Returns: Whether ``SecTrust/verificationError`` is nil.
public func SecTrustEvaluateWithError(
    _ trust: SecTrust,
    _ error: UnsafeMutablePointer<CFError?>?
) -> Bool {
    error?.pointee = trust.verificationError
    return trust.verificationError == nil
}

// The name is Apple's:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the encoding of a certificate.
///
/// - Parameter certificate: The certificate.
/// - Returns: Its binary form (DER).
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data {
    certificate.data
}
