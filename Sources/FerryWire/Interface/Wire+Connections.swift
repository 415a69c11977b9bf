extension Wire {
    /// How the connections of a session are made: through which proxies, and who trusts whom.
    ///
    /// Files are named by their paths. The daemon reads them when a transfer starts, so that a certificate that
    /// was renewed meanwhile counts, and no key is in its store.
    package struct Connections: Codable, Hashable, Sendable {
        /// The proxy on the way to http servers, as curl reads it; none without it.
        package var httpProxy: String?
        /// The proxy on the way to https servers, as curl reads it; none without it.
        package var httpsProxy: String?
        /// The hosts that are reached without a proxy, as in curl's variable no_proxy.
        package var proxyExceptions: [String]?
        /// The absolute path of a PEM file of trusted authorities, in place of the system's.
        package var authorityFile: String?
        /// The absolute path of a directory of trusted authorities' PEM files as OpenSSL names them.
        package var authorityDirectory: String?
        /// Who the client is.
        package var clientCertificate: ClientCertificate?

        /// Describes connections; without anything they are made directly, and to whom the system trusts.
        package init(
            httpProxy: String? = nil,
            httpsProxy: String? = nil,
            proxyExceptions: [String]? = nil,
            authorityFile: String? = nil,
            authorityDirectory: String? = nil,
            clientCertificate: ClientCertificate? = nil
        ) {
            self.httpProxy = httpProxy
            self.httpsProxy = httpsProxy
            self.proxyExceptions = proxyExceptions
            self.authorityFile = authorityFile
            self.authorityDirectory = authorityDirectory
            self.clientCertificate = clientCertificate
        }
    }

    /// Files by which a client proves who it is, to the servers of its tasks' own requests.
    package struct ClientCertificate: Codable, Hashable, Sendable {
        /// The absolute path of the certificate, in PEM, or of certificate and key, in PEM or PKCS #12.
        package var certificate: String
        /// The absolute path of the key, in PEM, where it is in a file of its own.
        package var key: String?
        /// What the key is locked with.
        package var passphrase: String?

        /// Describes the files.
        package init(certificate: String, key: String? = nil, passphrase: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.passphrase = passphrase
        }
    }
}
