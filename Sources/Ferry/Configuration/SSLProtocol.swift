/// A version of TLS, as in the older part of Apple's Security framework.
public enum SSLProtocol: Int32, Hashable, Sendable {
    /// No version in particular.
    case sslProtocolUnknown = 0
    /// SSL 2, which no server should speak.
    case sslProtocol2 = 1
    /// SSL 3, which no server should speak.
    case sslProtocol3 = 2
    /// SSL 3 alone.
    case sslProtocol3Only = 3
    /// TLS 1.0, which is no longer safe.
    case tlsProtocol1 = 4
    /// TLS 1.0 alone.
    case tlsProtocol1Only = 5
    /// All versions.
    case sslProtocolAll = 6
    /// TLS 1.1, which is no longer safe.
    case tlsProtocol11 = 7
    /// TLS 1.2.
    case tlsProtocol12 = 8
    /// DTLS 1.0.
    case dtlsProtocol1 = 9
    /// TLS 1.3.
    case tlsProtocol13 = 10
    /// DTLS 1.2.
    case dtlsProtocol12 = 11
    /// The newest version.
    case tlsProtocolMaxSupported = 999

    /// The name of a version in the newer part of the framework.
    init(_ version: tls_protocol_version_t) {
        self =
            switch version {
            case .TLSv10: .tlsProtocol1
            case .TLSv11: .tlsProtocol11
            case .TLSv12: .tlsProtocol12
            case .TLSv13: .tlsProtocol13
            case .DTLSv10: .dtlsProtocol1
            case .DTLSv12: .dtlsProtocol12
            }
    }

    /// The version itself; nil for those that name none.
    ///
    /// What is older than TLS 1.0 counts as that.
    var version: tls_protocol_version_t? {
        switch self {
        case .sslProtocolUnknown, .sslProtocolAll, .tlsProtocolMaxSupported: nil
        case .sslProtocol2, .sslProtocol3, .sslProtocol3Only, .tlsProtocol1, .tlsProtocol1Only:
            .TLSv10
        case .tlsProtocol11: .TLSv11
        case .tlsProtocol12: .TLSv12
        case .tlsProtocol13: .TLSv13
        case .dtlsProtocol1: .DTLSv10
        case .dtlsProtocol12: .DTLSv12
        }
    }
}

extension URLSessionConfiguration {
    /// The oldest version of TLS to use, by its older name.
    ///
    /// The same as ``tlsMinimumSupportedProtocolVersion``. A value that names no version stands for the default.
    @available(*, deprecated, renamed: "tlsMinimumSupportedProtocolVersion")
    public var tlsMinimumSupportedProtocol: SSLProtocol {
        get { SSLProtocol(tlsMinimumSupportedProtocolVersion) }
        set { tlsMinimumSupportedProtocolVersion = newValue.version ?? .TLSv12 }
    }

    /// The newest version of TLS to use, by its older name.
    ///
    /// The same as ``tlsMaximumSupportedProtocolVersion``. A value that names no version stands for the default.
    @available(*, deprecated, renamed: "tlsMaximumSupportedProtocolVersion")
    public var tlsMaximumSupportedProtocol: SSLProtocol {
        get { SSLProtocol(tlsMaximumSupportedProtocolVersion) }
        set { tlsMaximumSupportedProtocolVersion = newValue.version ?? .TLSv13 }
    }
}
