import FerryHTTP
import FerryTransfer
import Foundation

extension HTTPIdentity {
    /// Reads the files that an app has named; it may block.
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
