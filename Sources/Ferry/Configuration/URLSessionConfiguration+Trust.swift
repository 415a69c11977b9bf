public import Foundation

extension URLSessionConfiguration {
    /// A PEM file of trusted certificate authorities, used instead of the system's.
    ///
    /// Default: nil. Then the environment decides: `CURL_CA_BUNDLE`, or else `SSL_CERT_FILE`, names such a file, and
    /// `SSL_CERT_DIR` a directory; where none does, the system's authorities are trusted. A file that cannot be read
    /// fails tasks with `URLError.Code.serverCertificateUntrusted`. It is read when the session is made, up to 8 MiB; in
    /// background sessions by the daemon, when a transfer starts, by its absolute path.
    public var certificateAuthorityFile: URL? {
        get { self[\.certificateAuthorityFile] }
        set { self[\.certificateAuthorityFile] = newValue }
    }

    /// A directory of authorities' PEM files, named as OpenSSL's `c_rehash` does, used instead of the system's.
    ///
    /// Default: nil; see ``certificateAuthorityFile``. With both, the authorities of both are trusted.
    public var certificateAuthorityDirectory: URL? {
        get { self[\.certificateAuthorityDirectory] }
        set { self[\.certificateAuthorityDirectory] = newValue }
    }

    /// The certificate that the session presents to servers that request one.
    ///
    /// Default: nil. It is presented only to the server of a task's own URL, not after redirects, nor to mirrors. The
    /// delegate's answer to a challenge takes precedence. Files that cannot be used fail tasks with
    /// `URLError.Code.clientCertificateRejected`. In background sessions the daemon reads them when a transfer
    /// starts, by their absolute paths: they are not copied, and must stay there.
    public var clientCertificate: ClientCertificate? {
        get { self[\.clientCertificate] }
        set { self[\.clientCertificate] = newValue }
    }

    /// The environment variables for proxies and authorities, used where the configuration sets nothing else.
    ///
    /// Default: nil, for those of the process at the time the session is made. They are `http_proxy`, `https_proxy`,
    /// `all_proxy`, `no_proxy`, `CURL_CA_BUNDLE`, `SSL_CERT_FILE` and `SSL_CERT_DIR`, with the same meaning as for
    /// curl; other variables are ignored. An empty dictionary means direct connections and the system's
    /// authorities. A proxy's password in them is stored with a background session, in a file that only the user
    /// can read.
    public var connectionEnvironment: [String: String]? {
        get { self[\.connectionEnvironment] }
        set { self[\.connectionEnvironment] = newValue }
    }

    /// Whether a background session's transfers keep the proxies and authorities that an earlier process has set,
    /// whatever this configuration and the environment say.
    ///
    /// Default: false. Then transfers that start after the session was made use the settings of the newest process. A
    /// process that the daemon has started for its events changes nothing, unless its configuration sets something.
    /// For other sessions without effect.
    public var keepsConnectionSettings: Bool {
        get { self[\.keepsConnectionSettings] }
        set { self[\.keepsConnectionSettings] = newValue }
    }
}
