public import Foundation

extension URLSessionConfiguration {
    /// Header fields that are added to every request.
    ///
    /// Default: nil. Keys and values are strings, as in `["Accept": "application/json"]`; values of other types are
    /// described as strings, keys of other types are left out. A field of the request itself takes precedence,
    /// whatever its case. The fields are sent only to the origin of the request's own URL: after a redirect to
    /// another one, all but `Accept`, `Accept-Language` and `User-Agent` are left out. Do not set `Authorization`,
    /// `Connection`, `Host` and `WWW-Authenticate` here.
    public var httpAdditionalHeaders: [AnyHashable: Any]? {
        get { self[\.httpAdditionalHeaders].value }
        set { self[\.httpAdditionalHeaders] = Values.Untyped(newValue) }
    }

    /// The maximum number of the session's tasks that use the same host at a time.
    ///
    /// Default: 6. Further tasks wait, in the order in which they were resumed. Less than 1 counts as 1. In
    /// background sessions the daemon's own limit per host applies as well; the default and ephemeral sessions of a
    /// process have at most a quarter of its descriptors as connections together (RLIMIT_NOFILE, getrlimit(2)), from 16
    /// to 1024, and hosts and sessions take turns.
    public var httpMaximumConnectionsPerHost: Int {
        get { self[\.httpMaximumConnectionsPerHost] }
        set { self[\.httpMaximumConnectionsPerHost] = newValue }
    }

    /// The maximum number of a background session's tasks that run at a time, with all hosts together.
    ///
    /// Default: nil, for as many as the daemon allows. Further tasks wait; hosts take turns, and a host's tasks start in the
    /// order of their priorities, then in that in which they were resumed. Less than 1 counts as 1. The connections that
    /// load parts of one file count as one task. Sessions other than background sessions ignore it. Apple has no such
    /// property.
    public var maximumConcurrentTasks: Int? {
        get { self[\.maximumTransfers] }
        set { self[\.maximumTransfers] = newValue.map { max($0, 1) } }
    }

    /// Whether requests are sent before the responses to earlier ones have arrived.
    ///
    /// Default: false. On Linux without effect.
    public var httpShouldUsePipelining: Bool {
        get { self[\.httpShouldUsePipelining] }
        set { self[\.httpShouldUsePipelining] = newValue }
    }

    /// Proxies, by the keys of CFNetwork.
    ///
    /// Default: nil: tasks use the proxies that the environment variables `http_proxy`, `https_proxy`, `all_proxy`
    /// and `no_proxy` name when the session is made, as curl does. An empty dictionary means no proxy. The keys are
    /// `HTTPEnable`, `HTTPProxy` and `HTTPPort`, the same with `HTTPS` for `https` URLs and with `SOCKS` for both,
    /// and `ExceptionsList` with names of hosts. For proxies of other kinds, or with a password, see
    /// ``connectionEnvironment``.
    public var connectionProxyDictionary: [AnyHashable: Any]? {
        get { self[\.connectionProxyDictionary].value }
        set { self[\.connectionProxyDictionary] = Values.Untyped(newValue) }
    }

    /// Proxies, as the Network framework describes them.
    ///
    /// Always empty: there is no Network framework on Linux to make one with. See
    /// ``connectionProxyDictionary`` for how proxies are chosen.
    public var proxyConfigurations: [ProxyConfiguration] {
        get { self[\.proxyConfigurations] }
        set { self[\.proxyConfigurations] = newValue }
    }

    /// The oldest version of TLS to use.
    ///
    /// Default: TLS 1.2. If a server supports only older versions, the task fails with
    /// `URLError.Code.secureConnectionFailed`.
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { self[\.tlsMinimumSupportedProtocolVersion] }
        set { self[\.tlsMinimumSupportedProtocolVersion] = newValue }
    }

    /// The newest version of TLS to use.
    ///
    /// Default: TLS 1.3.
    public var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
        get { self[\.tlsMaximumSupportedProtocolVersion] }
        set { self[\.tlsMaximumSupportedProtocolVersion] = newValue }
    }

    /// The ciphers of connections up to TLS 1.2, in OpenSSL's words (openssl-ciphers(1)).
    ///
    /// Default: nil, for those of the system. If none is one that the server has, the task fails with
    /// `URLError.Code.secureConnectionFailed`. A list has up to 4096 characters of ASCII without spaces; another one fails
    /// all tasks with `URLError.Code.cannotConnectToHost`. Apple has no such property. libcurl's `CURLOPT_SSL_CIPHER_LIST`.
    public var cipherList: String? {
        get { self[\.cipherList] }
        set { self[\.cipherList] = newValue }
    }

    /// The SHA-256 digests of the public keys of which a server's own certificate must have one.
    ///
    /// Default: none, for any key. Each has 32 bytes and is of the key in DER (SubjectPublicKeyInfo, RFC 7469 §2.4). A server
    /// with another key fails the task with `URLError.Code.serverCertificateUntrusted`, whatever else is decided about its
    /// certificate. There are at most 100; what cannot be a digest fails all tasks with
    /// `URLError.Code.cannotConnectToHost`. Apple has `NSPinnedDomains` in an app's `Info.plist` for this. libcurl's
    /// `CURLOPT_PINNEDPUBLICKEY`.
    public var pinnedPublicKeyDigests: [Data] {
        get { self[\.pinnedPublicKeyDigests] }
        set { self[\.pinnedPublicKeyDigests] = newValue }
    }

    /// Whether a proxy is asked for a tunnel to `http` servers, as it is for those of `https`.
    ///
    /// Default: false. Many proxies refuse it. Apple has no such property. libcurl's `CURLOPT_HTTPPROXYTUNNEL`.
    public var usesProxyTunnels: Bool {
        get { self[\.usesProxyTunnels] }
        set { self[\.usesProxyTunnels] = newValue }
    }

    /// Header fields that proxies get, and servers do not.
    ///
    /// Default: none. They are sent with CONNECT, and with requests by http through a proxy. A `Proxy-Authorization` of a request
    /// comes before one of these. One that is not a line of its own (RFC 9110 §5.5) fails all tasks with
    /// `URLError.Code.cannotConnectToHost`. Apple has no such property. libcurl's `CURLOPT_PROXYHEADER`.
    public var proxyHeaders: [String: String] {
        get { self[\.proxyHeaders] }
        set { self[\.proxyHeaders] = newValue }
    }

    /// Whether requests may be sent with the first bytes of a TLS 1.3 connection.
    ///
    /// Default: false. On Linux without effect.
    public var enablesEarlyData: Bool {
        get { self[\.enablesEarlyData] }
        set { self[\.enablesEarlyData] = newValue }
    }

    /// Whether the older of the system's two loaders is used.
    ///
    /// Default: false. On Linux without effect: there is one loader.
    public var usesClassicLoadingMode: Bool {
        get { self[\.usesClassicLoadingMode] }
        set { self[\.usesClassicLoadingMode] = newValue }
    }

    /// Subclasses of `URLProtocol` that are asked to load requests.
    ///
    /// Default: those that are registered when the configuration is made, the latest first; see
    /// ``URLProtocol/registerClass(_:)``. The first class that can load a request loads it, including that of a
    /// download. For background sessions the default is empty, and the property has no effect.
    public var protocolClasses: [AnyClass]? {
        get { self[\.protocolClasses].value }
        set { self[\.protocolClasses] = Values.Untyped(newValue) }
    }
}

/// A proxy, as Apple's Network framework describes it.
///
/// There is no Network framework on Linux, so there are no values of this type. It exists so that
/// ``URLSessionConfiguration/proxyConfigurations`` can be read, and set to an empty array.
public enum ProxyConfiguration: Hashable, Sendable {}

// The names are Apple's:
// swift-format-ignore: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase
/// A version of TLS, as in Apple's Security framework.
public enum tls_protocol_version_t: UInt16, Hashable, Sendable {
    /// TLS 1.0, which is no longer safe.
    case TLSv10 = 0x0301
    /// TLS 1.1, which is no longer safe.
    case TLSv11 = 0x0302
    /// TLS 1.2.
    case TLSv12 = 0x0303
    /// TLS 1.3.
    case TLSv13 = 0x0304
    /// DTLS 1.0.
    case DTLSv10 = 0xfeff
    /// DTLS 1.2.
    case DTLSv12 = 0xfefd
}
