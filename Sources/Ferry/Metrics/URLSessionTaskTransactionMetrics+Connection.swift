import FerryHTTP
import FerrySystem

extension URLSessionTaskTransactionMetrics {
    /// The registered name of the protocol, `http/1.1` or `h2`; nil if no response was received.
    ///
    /// See [IANA's registry](https://www.iana.org/assignments/tls-extensiontype-values).
    public var networkProtocolName: String? {
        guard let version = metrics.version?.lowercased() else { return nil }
        return switch version {
        case "http/2", "http/2.0": "h2"
        case "http/3", "http/3.0": "h3"
        default: version
        }
    }

    /// Whether the connection had been used before.
    public var isReusedConnection: Bool { metrics.isReusedConnection }

    /// This machine's address: `192.0.2.1` or `2001:db8::1`; nil where there was no connection.
    public var localAddress: String? { metrics.connection?.local.address }

    /// This machine's port; nil where there was no connection.
    public var localPort: Int? { metrics.connection.map { Int($0.local.port) } }

    /// The server's address, or that of a proxy; nil where there was no connection.
    public var remoteAddress: String? { metrics.connection?.remote.address }

    /// The server's port, or that of a proxy; nil where there was no connection.
    public var remotePort: Int? { metrics.connection.map { Int($0.remote.port) } }

    /// The version of TLS; nil without TLS.
    public var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
        metrics.tls.flatMap { tls_protocol_version_t(rawValue: $0.version) }
    }

    /// The cipher suite of TLS; nil without TLS, and for one that Apple has no name for.
    public var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
        metrics.tls.flatMap { tls_ciphersuite_t(rawValue: $0.cipherSuite) }
    }

    /// Whether the connection used a cellular interface; false on Linux, where that is not known.
    public var isCellular: Bool { false }

    /// Whether the connection used an expensive interface; false on Linux, where that is not known.
    public var isExpensive: Bool { false }

    /// Whether the connection used a constrained interface; false on Linux, where that is not known.
    public var isConstrained: Bool { false }

    /// Whether the connection had several paths at once; false on Linux.
    public var isMultipath: Bool { false }

    /// The protocol by which the host name was looked up; ``URLSessionTaskMetrics/DomainResolutionProtocol/unknown`` on
    /// Linux, where the system looks names up.
    public var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }
}
