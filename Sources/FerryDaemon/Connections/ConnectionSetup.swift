import FerryHTTP
import FerryTransfer
import FerryWire

/// The settings of a transfer's connections, with the contents of the files that its session names.
struct ConnectionSetup: Hashable, Sendable {
    /// The proxies.
    var proxies = HTTPProxyList.direct
    /// The trusted authorities; `nil` for those of the system.
    var authorities: TrustedAuthorities?
    /// The client's identity for the servers of the tasks' own requests.
    var identity: HTTPIdentity?
    /// The interface and the addresses.
    var route = HTTPRoute()
    /// What the servers' TLS must fulfil.
    var tls = HTTPTLSRequirements()

    /// Reads the files that connections need; it may block.
    static func reading(
        _ connections: Wire.Connections
    ) -> Result<ConnectionSetup, TransferError> {
        Result { () throws(HTTPError) in
            var setup = ConnectionSetup(plain: connections)
            setup.authorities = try CertificateFiles.authorities(
                file: connections.authorityFile,
                directory: connections.authorityDirectory
            )
            guard let certificate = connections.clientCertificate else { return setup }
            setup.identity = try CertificateFiles.identity(
                certificate: certificate.certificate,
                key: certificate.key,
                passphrase: certificate.passphrase
            )
            return setup
        }.mapError { TransferError($0) }
    }
}

extension ConnectionSetup {
    /// The settings of connections that name no files.
    init(plain connections: Wire.Connections) {
        self.init(
            proxies: connections.proxies,
            route: connections.route,
            tls: connections.tls
        )
    }
}

extension Wire.Connections {
    /// Whether files must be read before a connection can be made.
    var namesFiles: Bool {
        authorityFile != nil || authorityDirectory != nil || clientCertificate != nil
    }

    /// Returns these settings, with others for what they do not say: all about proxies, or all about authorities.
    func filled(from standard: Wire.Connections) -> Wire.Connections {
        var filled = self
        if httpProxy == nil, httpsProxy == nil {
            filled.httpProxy = standard.httpProxy
            filled.httpsProxy = standard.httpsProxy
            filled.proxyExceptions = proxyExceptions ?? standard.proxyExceptions
        }
        if authorityFile == nil, authorityDirectory == nil {
            filled.authorityFile = standard.authorityFile
            filled.authorityDirectory = standard.authorityDirectory
        }
        return filled
    }

    /// Whether the connections use the default settings.
    var isPlain: Bool {
        httpProxy == nil && httpsProxy == nil && !namesFiles && route == HTTPRoute()
            && tls == HTTPTLSRequirements()
    }

    /// Returns whether a host is reached without a network: by a proxy on this machine, or because it is this machine.
    ///
    /// - Parameters:
    ///   - authority: The host and the port, as in ``Origin/authority``.
    ///   - isSecure: Whether it is an https server.
    /// - Returns: Whether it is.
    func reachesLocally(_ authority: String, _ isSecure: Bool) -> Bool {
        if route.isLocal(authority) { return true }
        guard let proxy = isSecure ? httpsProxy : httpProxy else { return false }
        let afterScheme = proxy.firstRange(of: "://").map { proxy[$0.upperBound...] } ?? proxy[...]
        let host = afterScheme.split(separator: "@").last ?? afterScheme
        return Origin.isLocal("\(host):")
    }

    /// The interface and the addresses.
    var route: HTTPRoute {
        let family: HTTPRoute.AddressFamily? =
            switch addressFamily {
            case .ipv4: .ipv4
            case .ipv6: .ipv6
            case nil: nil
            }
        let hosts = (hosts ?? []).map {
            // A port that is none is refused below.
            let port = UInt16(exactly: $0.port) ?? 0
            return HTTPRoute.HostAddresses(host: $0.host, port: port, addresses: $0.addresses)
        }
        return HTTPRoute(
            family: family,
            interface: interface,
            hosts: hosts,
            localPorts: localPorts.map {
                let first = UInt16(exactly: $0.first) ?? 0
                return first...max(first, UInt16(exactly: $0.last) ?? 0)
            },
            redirections: (redirections ?? []).map {
                HTTPRoute.Redirection(
                    host: $0.host,
                    port: UInt16(exactly: $0.port) ?? 0,
                    target: $0.target,
                    targetPort: UInt16(exactly: $0.targetPort) ?? 0
                )
            },
            unixSocket: unixSocket
        )
    }

    /// What the servers' TLS must fulfil.
    var tls: HTTPTLSRequirements {
        HTTPTLSRequirements(
            minimumVersion: minimumTLSVersion.map { HTTPTLSVersion($0) } ?? .tls12,
            maximumVersion: maximumTLSVersion.map { HTTPTLSVersion($0) },
            ciphers: ciphers,
            keyDigests: (keyDigests ?? []).map { Array($0) }
        )
    }

    /// The proxies.
    var proxies: HTTPProxyList {
        var proxies = HTTPProxyList(
            http: httpProxy.map { HTTPProxy(address: $0) },
            https: httpsProxy.map { HTTPProxy(address: $0) },
            exceptions: proxyExceptions ?? [],
            alwaysTunnels: alwaysTunnels ?? false
        )
        proxies.fields = proxyFields ?? []
        return proxies
    }

    /// The first member that cannot be used, and why; `nil` if there is none.
    var contradiction: (member: String, reason: String)? {
        for (member, address) in [("httpProxy", httpProxy), ("httpsProxy", httpsProxy)]
        where address?.isUsableAddress == false {
            return (member, "a proxy's address has 1 to 4096 bytes, and no control characters")
        }
        let exceptions = proxyExceptions ?? []
        if exceptions.reduce(0, { $0 + $1.utf8.count + 1 }) > Self.maximumExceptionBytes {
            return ("proxyExceptions", "there are more than \(Self.maximumExceptionBytes) bytes")
        }
        if proxyFields?.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) ?? 0
            > Self.maximumExceptionBytes
        {
            return ("proxyFields", "there are more than \(Self.maximumExceptionBytes) bytes")
        }
        let paths = [
            ("authorityFile", authorityFile), ("authorityDirectory", authorityDirectory),
            ("clientCertificate.certificate", clientCertificate?.certificate),
            ("clientCertificate.key", clientCertificate?.key),
        ]
        for (member, path) in paths where path?.isUsablePath == false {
            return (member, "a path is absolute and has up to 4095 bytes")
        }
        if clientCertificate?.passphrase?.utf8.count ?? 0 > 1024 {
            return ("clientCertificate.passphrase", "a passphrase has up to 1024 bytes")
        }
        for (member, count) in [("hosts", hosts?.count), ("redirections", redirections?.count)]
        where count ?? 0 > Self.maximumHostCount {
            return (member, "there are more than \(Self.maximumHostCount)")
        }
        if let localPorts, localPorts.last < localPorts.first || localPorts.last > 65_535 {
            return ("localPorts", "the ports are from 1 to 65535, the first one first")
        }
        if let fault = tls.fault { return ("tls", fault) }
        if let fault = route.fault { return ("route", fault) }
        if let fault = proxies.fieldFault { return ("proxyFields", fault) }
        return nil
    }

    private static let maximumHostCount = 1000
    private static let maximumExceptionBytes = 65_536
}

extension HTTPTLSVersion {
    fileprivate init(_ version: Wire.TLSVersion) {
        self =
            switch version {
            case .tls10: .tls10
            case .tls11: .tls11
            case .tls12: .tls12
            case .tls13: .tls13
            }
    }
}

extension String {
    fileprivate var isUsableAddress: Bool {
        (1...4096).contains(utf8.count) && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    fileprivate var isUsablePath: Bool {
        hasPrefix("/") && utf8.count <= 4095 && !utf8.contains(0)
    }
}
