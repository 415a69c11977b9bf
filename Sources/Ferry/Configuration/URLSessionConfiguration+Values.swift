import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

extension URLSessionConfiguration {
    /// The three kinds of session.
    enum Kind: Hashable, Sendable {
        case `default`
        case ephemeral
        case background(identifier: String)
    }

    /// The settings of a configuration, as a value that sessions copy.
    struct Values: Sendable {
        let kind: Kind
        var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
        var timeoutIntervalForRequest: TimeInterval = 60
        var timeoutIntervalForResource: TimeInterval = 604_800
        var networkServiceType = NSURLRequest.NetworkServiceType.default
        var allowsCellularAccess = true
        var allowsExpensiveNetworkAccess = true
        var allowsConstrainedNetworkAccess = true
        var allowsUltraConstrainedNetworkAccess = true
        var waitsForConnectivity = false
        var isDiscretionary = false
        var sharedContainerIdentifier: String?
        var sessionSendsLaunchEvents = true
        var sessionSendsLaunchEventsForEachTask = false
        var connectionProxyDictionary = Untyped<[AnyHashable: Any]?>(nil)
        var proxyConfigurations: [ProxyConfiguration] = []
        var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv12
        var tlsMaximumSupportedProtocolVersion = tls_protocol_version_t.TLSv13
        var httpShouldUsePipelining = false
        var httpShouldSetCookies = true
        var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
        var httpAdditionalHeaders = Untyped<[AnyHashable: Any]?>(nil)
        var httpMaximumConnectionsPerHost = 6
        var httpCookieStorage: Store<HTTPCookieStorage>
        var urlCredentialStorage: Store<URLCredentialStorage>
        var urlCache: Store<URLCache>
        var shouldUseExtendedBackgroundIdleMode = false
        var protocolClasses: Untyped<[AnyClass]?>
        /// Whether the classes that are registered when a task is made are asked, too: in the shared session.
        var asksRegisteredClasses = false
        var multipathServiceType = MultipathServiceType.none
        var requiresDNSSECValidation = false
        var usesClassicLoadingMode = false
        var enablesEarlyData = false
        var transferOptions = TransferOptions()
        var replacesExpiredLinks = false
        var deliversChallenges = false
        var maximumInMemoryBodySize = 512 << 20
        var maximumReceiveRate: Int64?
        var maximumSendRate: Int64?
        var certificateAuthorityFile: URL?
        var certificateAuthorityDirectory: URL?
        var clientCertificate: ClientCertificate?
        var route = HTTPRoute()
        var cipherList: String?
        var pinnedPublicKeyDigests: [Data] = []
        var usesProxyTunnels = false
        var proxyHeaders: [String: String] = [:]
        var maximumTransfers: Int?
        var connectionEnvironment: [String: String]?
        var keepsConnectionSettings = false
        /// How connections are made, in the values of a session.
        var sessionClient: HTTPClient.Configuration?
        /// Why the connections of the session cannot be made, as a sentence; nil if they can.
        var sessionFault: String?
        /// The source of the machine's conditions, if it is not the process's.
        var conditions: (any ConditionsProvider)?
        /// The connections that the session shares with others, if they are not the process's.
        var connections: ProcessConnections?
        /// When several connections fetch one download.
        var segments = Download.SegmentPolicy()

        init(kind: Kind) {
            self.kind = kind
            protocolClasses = Untyped([])
            switch kind {
            case .default:
                protocolClasses = Untyped(ProtocolClass.registered)
                httpCookieStorage = .shared
                urlCredentialStorage = .shared
                urlCache = .shared
            case .ephemeral:
                protocolClasses = Untyped(ProtocolClass.registered)
                let stores = EphemeralStores()
                httpCookieStorage = .ephemeral(stores)
                urlCredentialStorage = .ephemeral(stores)
                urlCache = .ephemeral(stores)
            case .background:
                httpCookieStorage = .shared
                urlCredentialStorage = .shared
                urlCache = .own(nil)
            }
        }
    }
}

extension URLSessionConfiguration.Values {
    /// A value whose type cannot be declared as sendable.
    // @unchecked because Apple's signatures demand `Any` and `AnyClass`. Nothing in Ferry changes
    // what is stored: it is set whole, returned whole, and read as strings.
    struct Untyped<Value>: @unchecked Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    /// Where a configuration's cookies, credentials or cached responses are.
    enum Store<Storage: Sendable>: Sendable {
        /// In the process's shared object, which is looked up when it is needed: making it reads the disk.
        case shared
        /// In memory, with the session.
        case ephemeral(URLSessionConfiguration.EphemeralStores)
        /// In the app's own store; nil for nowhere.
        case own(Storage?)
    }
}

extension Wire.Connections {
    /// The connection settings to send to the daemon; nil if it keeps those that it has.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration.
    ///   - isForEvents: Whether the daemon has started this process for the events of this session, so that its
    ///     environment does not count.
    init?(_ configuration: URLSessionConfiguration.Values, isForEvents: Bool) {
        guard !configuration.keepsConnectionSettings, configuration.connectionFault == nil,
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
            },
            alwaysTunnels: client.proxies.alwaysTunnels ? true : nil,
            proxyFields: client.proxies.fields.orNothing
        )
        set(client.route)
        set(client.tls)
    }

    private mutating func set(_ route: HTTPRoute) {
        addressFamily = Wire.AddressFamily(route.family)
        interface = route.interface
        hosts =
            route.hosts.map {
                Wire.HostAddresses(host: $0.host, port: Int($0.port), addresses: $0.addresses)
            }.orNothing
        localPorts = route.localPorts.map {
            Wire.PortRange(first: Int($0.lowerBound), last: Int($0.upperBound))
        }
        redirections =
            route.redirections.map {
                Wire.Redirection(
                    host: $0.host,
                    port: Int($0.port),
                    target: $0.target,
                    targetPort: Int($0.targetPort)
                )
            }.orNothing
        unixSocket = route.unixSocket
    }

    private mutating func set(_ tls: HTTPTLSRequirements) {
        minimumTLSVersion = tls.minimumVersion == .tls12 ? nil : Wire.TLSVersion(tls.minimumVersion)
        // The newest that there is.
        maximumTLSVersion = tls.maximumVersion.flatMap { $0 == .tls13 ? nil : Wire.TLSVersion($0) }
        ciphers = tls.ciphers
        keyDigests = tls.keyDigests.map { Data($0) }.orNothing
    }
}

extension Array {
    /// The array; nil if it is empty.
    fileprivate var orNothing: Self? { isEmpty ? nil : self }
}

extension Wire.TLSVersion {
    fileprivate init(_ version: HTTPTLSVersion) {
        self =
            switch version {
            case .tls10: .tls10
            case .tls11: .tls11
            case .tls12: .tls12
            case .tls13: .tls13
            }
    }
}

extension Wire.AddressFamily {
    fileprivate init?(_ family: HTTPRoute.AddressFamily?) {
        switch family {
        case .ipv4: self = .ipv4
        case .ipv6: self = .ipv6
        case nil: return nil
        }
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
