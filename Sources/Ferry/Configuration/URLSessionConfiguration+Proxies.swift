import FerryHTTP
import FerrySystem
import Foundation

extension URLSessionConfiguration.Values {
    /// How the session's connections are made.
    var client: HTTPClient.Configuration { sessionClient ?? makeClient() }

    /// Returns the values for a session that is being made, with the connection settings of the current environment.
    func forSession() -> Self {
        var values = self
        values.sessionClient = makeClient()
        values.sessionFault = values.connectionFault
        return values
    }

    private func makeClient() -> HTTPClient.Configuration {
        var client = HTTPClient.Configuration(environment: variables)
        client.maximumConnectionsPerHost = max(1, httpMaximumConnectionsPerHost)
        if let proxies { client.proxies = proxies }
        if certificateAuthorityFile != nil || certificateAuthorityDirectory != nil {
            client.certificateAuthorityFile = certificateAuthorityFile?.path
            client.certificateAuthorityDirectory = certificateAuthorityDirectory?.path
        }
        client.route = route
        client.proxies.alwaysTunnels = usesProxyTunnels
        client.proxies.fields = proxyHeaders.sorted { $0.key < $1.key }
            .map { HTTPField(name: $0.key, value: $0.value) }
        client.tls = tls
        return client
    }

    /// The environment variables, used where nothing else is set.
    private var variables: [String: String] { connectionEnvironment ?? ProcessEnvironment.current }

    /// Whether the configuration itself sets how connections are made.
    var namesConnectionSettings: Bool {
        connectionProxyDictionary.value != nil || connectionEnvironment != nil
            || certificateAuthorityFile != nil || certificateAuthorityDirectory != nil
            || clientCertificate != nil || route != HTTPRoute() || usesProxyTunnels
            || !proxyHeaders.isEmpty
            || client.tls != HTTPTLSRequirements(maximumVersion: .tls13)
    }

    /// The proxies of ``URLSessionConfiguration/connectionProxyDictionary``; nil where the environment's are used.
    private var proxies: HTTPProxyList? {
        guard let dictionary = connectionProxyDictionary.value else { return nil }
        var list = HTTPProxyList()
        list.http = Self.proxy(in: dictionary, "HTTP") ?? Self.socksProxy(in: dictionary)
        list.https = Self.proxy(in: dictionary, "HTTPS") ?? Self.socksProxy(in: dictionary)
        list.exceptions = dictionary["ExceptionsList"] as? [String] ?? []
        return list
    }

    private static func socksProxy(in dictionary: [AnyHashable: Any]) -> HTTPProxy? {
        proxy(in: dictionary, "SOCKS", kind: .socks5)
    }

    /// Apple's keys are `HTTPEnable`, `HTTPProxy`, `HTTPPort`, and the like for others.
    private static func proxy(
        in dictionary: [AnyHashable: Any],
        _ prefix: String,
        kind: HTTPProxy.Kind = .http
    ) -> HTTPProxy? {
        // A proxy that is named counts as enabled, unless the dictionary says otherwise.
        let isEnabled = number(dictionary["\(prefix)Enable"]) ?? 1
        guard isEnabled != 0, let host = dictionary["\(prefix)Proxy"] as? String, !host.isEmpty
        else { return nil }
        // An invalid port must not bypass the proxy.
        guard let port = UInt16(exactly: number(dictionary["\(prefix)Port"]) ?? 80) else {
            return HTTPProxy(host: "", port: 0, kind: kind)
        }
        return HTTPProxy(host: host, port: port, kind: kind)
    }

    /// Why the settings of connections cannot be used, as a sentence; nil if they can.
    var connectionFault: String? {
        // What is wrong with a proxy of a session in this process is told by the connection to it.
        let proxyFault =
            isBackground ? client.proxies.http?.fault ?? client.proxies.https?.fault : nil
        return proxyFault.map { "The address of the session's proxy cannot be used: \($0)." }
            ?? route.fault.map { "The session's route cannot be used: \($0)." }
            ?? tls.fault.map { "The session's TLS cannot be used: \($0)." }
            ?? client.proxies.fieldFault.map { "The session's proxyHeaders cannot be sent: \($0)." }
    }

    /// Throws if the settings of connections cannot be used: ferryd would not receive them.
    func requireUsableConnections(for url: URL?) throws(URLError) {
        // Of a session it is found once, not for each task.
        let fault = sessionClient == nil ? connectionFault : sessionFault
        guard let fault else { return }
        throw URLError(.cannotConnectToHost, url: url, reason: fault)
    }

    private static func number(_ value: Any?) -> Int? {
        switch value {
        case let number as Int: number
        case let number as NSNumber: number.intValue
        case let flag as Bool: flag ? 1 : 0
        case let text as String: Int(text)
        default: nil
        }
    }

    /// What the servers' TLS must fulfil.
    var tls: HTTPTLSRequirements {
        HTTPTLSRequirements(
            minimumVersion: HTTPTLSVersion(tlsMinimumSupportedProtocolVersion) ?? .tls12,
            maximumVersion: HTTPTLSVersion(tlsMaximumSupportedProtocolVersion),
            ciphers: cipherList,
            keyDigests: pinnedPublicKeyDigests.map { Array($0) }
        )
    }
}

extension HTTPTLSVersion {
    /// nil for DTLS versions, which TCP does not use.
    fileprivate init?(_ version: tls_protocol_version_t) {
        switch version {
        case .TLSv10: self = .tls10
        case .TLSv11: self = .tls11
        case .TLSv12: self = .tls12
        case .TLSv13: self = .tls13
        case .DTLSv10, .DTLSv12: return nil
        }
    }
}

extension HTTPClient.Configuration {
    /// Returns a copy with the trusted authorities that their files contain now; may block.
    ///
    /// libcurl would read the files on the loop, at every new connection, and their disk may not respond. Files
    /// that cannot be read are left to libcurl: then only the requests that need them fail.
    func readingAuthorities() -> Self {
        let authorities = try? CertificateFiles.authorities(
            file: certificateAuthorityFile,
            directory: certificateAuthorityDirectory
        )
        guard let authorities, !authorities.certificates.isEmpty else { return self }
        var copy = self
        copy.certificateAuthorities = authorities
        return copy
    }
}
