import FerryHTTP
public import Foundation
import Synchronization

/// A certificate and its key, by which an app authenticates itself, as in Apple's Security framework.
///
/// ```swift
/// let identity = SecIdentity(pkcs12: try Data(contentsOf: file), passphrase: passphrase)
/// let credential = URLCredential(identity: identity, certificates: nil, persistence: .forSession)
/// ```
///
/// - Important: On Linux it is made from the file's content, instead of by `SecPKCS12Import`. Invalid content is
///   detected only when the identity is used: the task fails with `URLError.Code.clientCertificateRejected`.
public final class SecIdentity: Sendable {
    let identity: HTTPIdentity

    /// Creates an identity from PKCS #12, RFC 7292.
    ///
    /// OpenSSL 3 does not read the ciphers that old programs use for it.
    ///
    /// - Parameters:
    ///   - data: The content of the file.
    ///   - passphrase: The passphrase of the key; nil for none.
    public init(pkcs12 data: Data, passphrase: String?) {
        identity = HTTPIdentity(Array(data), format: .pkcs12, passphrase: passphrase)
    }

    /// Creates an identity from PEM: the certificate first, then those of its issuers, and the key anywhere.
    ///
    /// - Parameters:
    ///   - data: The content of the file, or of several files one after another.
    ///   - passphrase: The passphrase of the key; nil for none.
    public init(pem data: Data, passphrase: String? = nil) {
        identity = HTTPIdentity(Array(data), format: .pem, passphrase: passphrase)
    }

    /// The identities from which credentials were made, by the names in those credentials.
    ///
    /// Foundation's credential cannot hold an identity. Equal identities are kept once, however often an app reads
    /// them.
    private static let known = Mutex<
        (names: [HTTPIdentity: String], identities: [String: SecIdentity])
    >(
        ([:], [:])
    )

    /// The name by which ``named(_:)`` finds it.
    var name: String {
        Self.known.withLock { known in
            if let name = known.names[identity] { return name }
            let name = "identity \(UUID().uuidString)"
            known.names[identity] = name
            known.identities[name] = self
            return name
        }
    }

    static func named(_ name: String) -> SecIdentity? {
        known.withLock { $0.identities[name] }
    }
}
