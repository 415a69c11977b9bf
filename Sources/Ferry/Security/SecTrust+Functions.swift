public import Foundation

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

// The name is Apple's:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns whether a server was found to be trusted.
///
/// - Parameters:
///   - trust: The trust.
///   - error: Receives the reason if it was not; a `CFError` on Apple's systems.
/// - Returns: Whether ``SecTrust/verificationError`` is nil.
public func SecTrustEvaluateWithError(
    _ trust: SecTrust,
    _ error: UnsafeMutablePointer<(any Error)?>?
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
