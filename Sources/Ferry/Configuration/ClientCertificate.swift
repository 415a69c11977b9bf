import FerryHTTP
import FerryTransfer
public import Foundation

/// Files that identify a session to servers that request a client certificate.
///
/// ```swift
/// configuration.clientCertificate = ClientCertificate(
///     certificateFile: URL(filePath: "/etc/ssl/client.pem"),
///     keyFile: URL(filePath: "/etc/ssl/private/client.key")
/// )
/// ```
public struct ClientCertificate: Hashable, Sendable {
    /// The certificate, in PEM, or certificate and key, in PEM or PKCS #12.
    public var certificateFile: URL
    /// The key, in PEM; nil if it is in the certificate's file.
    public var keyFile: URL?
    /// The passphrase of the key; nil if it has none.
    ///
    /// In background sessions it is stored until the session is gone, in a file that only the user can read.
    public var passphrase: String?

    /// Creates a client certificate from files.
    ///
    /// - Parameters:
    ///   - certificateFile: The certificate, in PEM, or certificate and key, in PEM or PKCS #12.
    ///   - keyFile: The key, in PEM; nil if it is in the certificate's file.
    ///   - passphrase: The passphrase of the key; nil if it has none.
    public init(certificateFile: URL, keyFile: URL? = nil, passphrase: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.passphrase = passphrase
    }
}

extension ClientCertificate: CustomStringConvertible {
    /// The certificate's file, and nothing secret.
    public var description: String { "ClientCertificate(\(certificateFile.path))" }
}

extension ClientCertificate: CustomReflectable {
    /// A mirror without the passphrase.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["certificateFile": certificateFile, "keyFile": keyFile as Any]
        )
    }
}

extension HTTPIdentity {
    /// Reads the files of a client certificate; may block.
    static func reading(_ certificate: ClientCertificate) -> Result<HTTPIdentity, TransferError> {
        Result { () throws(HTTPError) in
            try CertificateFiles.identity(
                certificate: certificate.certificateFile.path,
                key: certificate.keyFile?.path,
                passphrase: certificate.passphrase
            )
        }.mapError { TransferError($0) }
    }
}
