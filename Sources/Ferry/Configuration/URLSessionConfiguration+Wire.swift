import FerryHTTP
import FerryWire
import Foundation

extension Wire.Connections {
    /// The connection settings to send to the daemon; nil if it keeps those that it has.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration.
    ///   - isForEvents: Whether the daemon has started this process for the events of this session, so that its
    ///     environment does not count.
    init?(_ configuration: URLSessionConfiguration.Values, isForEvents: Bool) {
        guard !configuration.keepsConnectionSettings, !configuration.hasUnusableProxy,
            !isForEvents || configuration.namesConnectionSettings
        else { return nil }
        let client = configuration.client
        let exceptions = client.proxies.exceptions
        self.init(
            httpProxy: client.proxies.http?.address,
            httpsProxy: client.proxies.https?.address,
            proxyExceptions: exceptions.isEmpty ? nil : exceptions,
            authorityFile: client.certificateAuthorityFile?.absolutePath,
            authorityDirectory: client.certificateAuthorityDirectory?.absolutePath,
            clientCertificate: configuration.clientCertificate.map { certificate in
                Wire.ClientCertificate(
                    certificate: certificate.certificateFile.path.absolutePath,
                    key: certificate.keyFile?.path.absolutePath,
                    passphrase: certificate.passphrase
                )
            }
        )
    }
}

extension String {
    /// The absolute path: the daemon runs in another directory.
    ///
    /// The file's disk is not accessed, as it may not respond.
    fileprivate var absolutePath: String {
        URL(filePath: self, directoryHint: .notDirectory).standardizedFileURL.path
    }
}
