public import Foundation

/// An X.509 certificate, as in Apple's Security framework.
///
/// - Important: On Linux it holds the encoding only: to look inside, use a certificate library.
public final class SecCertificate: Hashable, Sendable {
    /// The certificate in its binary form (DER).
    public let data: Data

    /// Creates a certificate from its encoding, which is not checked.
    ///
    /// - Parameter data: The binary form (DER).
    public init(data: Data) {
        self.data = data
    }

    /// Returns whether two certificates are the same, byte by byte.
    ///
    /// - Parameters:
    ///   - first: A certificate.
    ///   - second: Another one.
    /// - Returns: Whether their encodings are equal.
    public static func == (first: SecCertificate, second: SecCertificate) -> Bool {
        first.data == second.data
    }

    /// Feeds the encoding into a hasher.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(data)
    }
}
