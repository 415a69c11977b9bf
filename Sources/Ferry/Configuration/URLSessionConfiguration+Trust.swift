public import Foundation

extension URLSessionConfiguration {
    /// A PEM file of the authorities that servers' certificates are trusted by, in place of the system's.
    ///
    /// Default: nil. Then the environment decides: `CURL_CA_BUNDLE`, or else `SSL_CERT_FILE`, names such a file, and
    /// `SSL_CERT_DIR` a directory; where none does, the system's authorities are trusted. A file that cannot be read
    /// fails tasks with `URLError.Code.serverCertificateUntrusted`. It is read when the session is made, up to 8 MiB; in
    /// background sessions by the daemon, when a transfer starts, by its absolute path.
    public var certificateAuthorityFile: URL? {
        get { self[\.certificateAuthorityFile] }
        set { self[\.certificateAuthorityFile] = newValue }
    }

    /// A directory of authorities' PEM files, named as OpenSSL's `c_rehash` does, in place of the system's.
    ///
    /// Default: nil; see ``certificateAuthorityFile``. With both, the authorities of both are trusted.
    public var certificateAuthorityDirectory: URL? {
        get { self[\.certificateAuthorityDirectory] }
        set { self[\.certificateAuthorityDirectory] = newValue }
    }

    /// Who the session is to servers that ask for a client's certificate.
    ///
    /// Default: nil. It is shown to the server of a task's own URL alone, not to where that redirects, nor to
    /// mirrors. What the delegate answers to a challenge comes first. Files that cannot be used fail tasks with
    /// `URLError.Code.clientCertificateRejected`. In background sessions the daemon reads them when a transfer
    /// starts, by their absolute paths: they must stay there, and are not copied.
    public var clientCertificate: ClientCertificate? {
        get { self[\.clientCertificate] }
        set { self[\.clientCertificate] = newValue }
    }

    /// The environment variables that say which proxies and authorities there are, where nothing else in the
    /// configuration does.
    ///
    /// Default: nil, for those of the process at the time the session is made. They are `http_proxy`, `https_proxy`,
    /// `all_proxy`, `no_proxy`, `CURL_CA_BUNDLE`, `SSL_CERT_FILE` and `SSL_CERT_DIR`, and mean what they mean to
    /// curl; other variables are not looked at. An empty dictionary is for direct connections and the system's
    /// authorities. A proxy's password in them is stored with a background session, in a file that only the user
    /// can read.
    public var connectionEnvironment: [String: String]? {
        get { self[\.connectionEnvironment] }
        set { self[\.connectionEnvironment] = newValue }
    }

    /// Whether a background session's transfers go on through the proxies, and trusting the authorities, that an
    /// earlier process has set, whatever this configuration and the environment say.
    ///
    /// Default: false. Then the transfers that start after the session was made do as the newest process says. A
    /// process that the daemon has started for its events has no say of its own, unless its configuration names
    /// something. For other sessions without effect.
    public var keepsConnectionSettings: Bool {
        get { self[\.keepsConnectionSettings] }
        set { self[\.keepsConnectionSettings] = newValue }
    }
}
