import FerrySystem

extension HTTPClient {
    /// How a client talks to servers; fixed for its life.
    package struct Configuration: Sendable {
        /// How many connections to one host may be open at once; 0 for no limit, 6 by default.
        ///
        /// Further requests wait for a free one. An HTTP/2 connection carries as many requests at once as its
        /// server allows, and 100 until the server has said how many.
        package var maximumConnectionsPerHost = 6
        /// How long a connection may take, from the lookup of the host's name to the end of the TLS handshake, for requests
        /// that do not say; zero for no limit, 15 s by default.
        package var connectTimeout = Duration.seconds(15)
        /// How many connections may be open at once; 0 for no limit, the default.
        package var maximumConnections = 0
        /// The `User-Agent` of requests that have none of their own; `nil` sends none.
        package var userAgent: String? = "Ferry"
        /// The maximum total size of the headers of one exchange, 256 KiB by default.
        package var maximumHeaderBytes = 256 * 1024
        /// The size of the buffer that responses are read into, 1 KiB...512 KiB; the maximum by default.
        package var receiveBufferBytes = 512 * 1024
        /// How much of a body must be missing for it to be delivered in pipes, 16 MiB by default.
        ///
        /// Its connection cannot be used again, which costs a short body more than it saves.
        package var minimumSplicedBytes: Int64 = 16 * 1024 * 1024
        /// Whether a server must prove its identity with a certificate, `true` by default.
        package var verifiesServer = true
        /// What the TLS of connections to servers must fulfil.
        package var tls = HTTPTLSRequirements()
        /// A PEM file of trusted authorities in place of the system's; by default the one that
        /// `CURL_CA_BUNDLE` names, or else `SSL_CERT_FILE`, as for curl.
        package var certificateAuthorityFile: String?
        /// A directory of trusted authorities' PEM files in place of the system's; by default the
        /// one that `SSL_CERT_DIR` names, as for curl.
        package var certificateAuthorityDirectory: String?
        /// The trusted authorities, in place of the system's and of those in files; `nil`, the default, for those.
        package var certificateAuthorities: TrustedAuthorities?
        /// The proxies that requests go through, by default those that the environment names.
        ///
        /// All requests of a client share its connections, including those through a proxy that has received
        /// a password: another proxy, or other authorities, need another client.
        ///
        /// A request's `Proxy-Authorization` is sent only to proxies: with CONNECT for an `https` server, and
        /// with a request by `http`. A kept tunnel is also used for requests with another one, or with none.
        package var proxies = HTTPProxyList.direct
        /// Which interface and which addresses connections use; by default, those that the system chooses.
        package var route = HTTPRoute()

        /// Makes the default configuration.
        ///
        /// - Parameter environment: The variables that name the trusted authorities and the proxies.
        package init(environment: [String: String] = ProcessEnvironment.current) {
            func path(_ name: String) -> String? {
                environment[name].flatMap { $0.isEmpty ? nil : $0 }
            }
            certificateAuthorityFile = path("CURL_CA_BUNDLE") ?? path("SSL_CERT_FILE")
            certificateAuthorityDirectory = path("SSL_CERT_DIR")
            proxies = HTTPProxyList(environment: environment)
        }
    }
}

/// A version of TLS.
package enum HTTPTLSVersion: Int, Hashable, Sendable, CaseIterable {
    /// TLS 1.0, which is no longer safe (RFC 8996).
    case tls10
    /// TLS 1.1, which is no longer safe (RFC 8996).
    case tls11
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13
}

extension HTTPTLSVersion: Comparable {
    /// Whether one is older than the other.
    package static func < (older: HTTPTLSVersion, newer: HTTPTLSVersion) -> Bool {
        older.rawValue < newer.rawValue
    }
}
