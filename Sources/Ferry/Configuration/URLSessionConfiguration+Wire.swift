import FerryHTTP
import FerryWire
import Foundation

extension Wire.Connections {
    /// What the daemon is told of how a session's connections are made; nil for what it knows already.
    ///
    /// - Parameters:
    ///   - configuration: That of the session.
    ///   - isForEvents: Whether the daemon has started this process for the events of this session, so that nobody has
    ///     chosen the environment.
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
    /// The path seen from the root: the daemon is in another directory.
    ///
    /// Nothing is asked of the file's disk, which may not answer.
    fileprivate var absolutePath: String {
        URL(filePath: self, directoryHint: .notDirectory).standardizedFileURL.path
    }
}
