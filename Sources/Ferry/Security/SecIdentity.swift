import FerryHTTP
public import Foundation
import Synchronization

/// A certificate and its key, by which an app proves who it is, as in Apple's Security framework.
///
/// ```swift
/// let identity = SecIdentity(pkcs12: try Data(contentsOf: file), passphrase: passphrase)
/// let credential = URLCredential(identity: identity, certificates: nil, persistence: .forSession)
/// ```
///
/// - Important: On Linux it is made from the file's content, in place of `SecPKCS12Import`. What is wrong with that shows
///   when it is used: the task fails with `URLError.Code.clientCertificateRejected`.
public final class SecIdentity: Sendable {
    let identity: HTTPIdentity

    /// An identity in PKCS #12, RFC 7292.
    ///
    /// OpenSSL 3 does not read the ciphers that old programs use in it.
    ///
    /// - Parameters:
    ///   - data: The content of the file.
    ///   - passphrase: What the key is locked with; nil for none.
    public init(pkcs12 data: Data, passphrase: String?) {
        identity = HTTPIdentity(Array(data), format: .pkcs12, passphrase: passphrase)
    }

    /// An identity in PEM: the certificate first, then those that stand for it, and the key anywhere.
    ///
    /// - Parameters:
    ///   - data: The content of the file, or of several behind one another.
    ///   - passphrase: What the key is locked with; nil for none.
    public init(pem data: Data, passphrase: String? = nil) {
        identity = HTTPIdentity(Array(data), format: .pem, passphrase: passphrase)
    }

    /// The identities that credentials were made of, by the names that those credentials have.
    ///
    /// Foundation's credential has no place for an identity. One and the same is kept once, however often an app
    /// reads it.
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
