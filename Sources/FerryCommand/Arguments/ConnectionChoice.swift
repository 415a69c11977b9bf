import Ferry
import FerrySystem
import Foundation

/// How a command makes connections, according to its options and its caller's environment.
struct ConnectionChoice: Hashable, Sendable {
    private static let proxy = OptionSyntax(
        "proxy",
        letter: "x",
        value: "URL",
        help: "go through this proxy, such as http://user:password@host:3128 or socks5h://host"
    )
    private static let noProxy = OptionSyntax(
        "noproxy",
        value: "HOSTS",
        help: "go to these hosts directly, such as 'localhost,.example.com,10.0.0.0/8' or '*'"
    )
    private static let authorities = OptionSyntax(
        "cacert",
        value: "FILE",
        help: "trust the authorities in this PEM file, and no others"
    )
    private static let certificate = OptionSyntax(
        "cert",
        value: "FILE",
        help: "show the server this certificate, in PEM or PKCS #12"
    )
    private static let key = OptionSyntax(
        "key",
        value: "FILE",
        help: "the key of --cert, in PEM, where it is in a file of its own"
    )

    private static let passphrase = OptionSyntax(
        "pass-file",
        value: "FILE",
        help: "the first line of this file is the passphrase of --key"
    )
    private static let onlyIPv4 = OptionSyntax(
        "ipv4",
        letter: "4",
        help: "use addresses of version 4 alone"
    )
    private static let onlyIPv6 = OptionSyntax(
        "ipv6",
        letter: "6",
        help: "use addresses of version 6 alone"
    )
    private static let interface = OptionSyntax(
        "interface",
        value: "NAME",
        help: "connect from this interface, such as eth0, or from this address of the machine"
    )
    private static let resolve = OptionSyntax(
        "resolve",
        value: "HOST:PORT:ADDRESS",
        help:
            "use this address, or several with commas between them, without a lookup of the host's name"
    )

    private static let tunnel = OptionSyntax(
        "proxytunnel",
        help: "ask the proxy for a tunnel to http servers, too"
    )
    private static let proxyHeader = OptionSyntax(
        "proxy-header",
        value: "'NAME: VALUE'",
        help: "send this header field to the proxy, and not to the server"
    )
    private static let keyDigests = OptionSyntax(
        "pinnedpubkey",
        value: "sha256//DIGITS",
        help: "accept only servers whose key has this SHA-256 in base64, or one of several with ';'"
    )
    private static let oldestTLS = OptionSyntax(
        "tls-min",
        value: "VERSION",
        help: "use this version of TLS or a newer one, 1.2 or 1.3 (default: 1.2)"
    )
    private static let newestTLS = OptionSyntax(
        "tls-max",
        value: "VERSION",
        help: "use this version of TLS or an older one"
    )
    private static let ciphers = OptionSyntax(
        "ciphers",
        value: "LIST",
        help: "use these ciphers up to TLS 1.2, as 'openssl ciphers' names them"
    )
    private static let localPort = OptionSyntax(
        "local-port",
        value: "N-M",
        help: "connect from one of these ports"
    )
    private static let redirection = OptionSyntax(
        "connect-to",
        value: "HOST1:PORT1:HOST2:PORT2",
        help: "connect to the second server in place of the first one"
    )
    private static let unixSocket = OptionSyntax(
        "unix-socket",
        value: "PATH",
        help: "connect to this UNIX socket in place of the server"
    )

    /// The options of a command that makes connections.
    static let options = [
        proxy, noProxy, tunnel, proxyHeader, authorities, certificate, key, passphrase, keyDigests,
        oldestTLS,
        newestTLS, ciphers, onlyIPv4, onlyIPv6, interface, localPort, resolve, redirection,
        unixSocket,
    ]

    /// The help's paragraph about the environment.
    static let discussion =
        "Without --proxy, --noproxy and --cacert the variables http_proxy, https_proxy, all_proxy, no_proxy, "
        + "CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR count, as for curl. A password in an "
        + "argument can be seen by every user of this machine; one in a variable cannot."

    /// The proxy for all requests; empty for none.
    private let proxy: String?
    /// The hosts that are reached directly.
    private let exceptions: String?
    private let authorityFile: URL?
    private let clientCertificate: ClientCertificate?
    private let version: URLSessionConfiguration.InternetProtocolVersion?
    private let interface: String?
    private let hostAddresses: [URLSessionConfiguration.HostAddresses]
    private let redirections: [URLSessionConfiguration.HostRedirection]
    private let localPorts: ClosedRange<Int>?
    private let socket: URL?
    private let usesTunnels: Bool
    private let proxyHeaders: [String: String]
    private let oldestVersion: tls_protocol_version_t?
    private let newestVersion: tls_protocol_version_t?
    private let cipherList: String?
    private let publicKeyDigests: [Data]

    /// Reads a command's options.
    init(_ arguments: Arguments) throws(UsageError) {
        proxy = try arguments.value(of: Self.proxy).map { text throws(UsageError) in
            try Self.proxyAddress(text, arguments)
        }
        exceptions = arguments.value(of: Self.noProxy)
        authorityFile = try Self.file(Self.authorities, arguments)
        let key = try Self.file(Self.key, arguments)
        let certificate = try Self.file(Self.certificate, arguments)
        if key != nil, certificate == nil {
            throw arguments.error("--key is the key of a certificate: --cert is missing.")
        }
        let passphrase = try Self.line(Self.passphrase, arguments)
        if passphrase != nil, certificate == nil {
            throw arguments.error("--pass-file is of the key of a certificate: --cert is missing.")
        }
        clientCertificate = certificate.map {
            ClientCertificate(certificateFile: $0, keyFile: key, passphrase: passphrase)
        }
        version =
            switch (arguments.has(Self.onlyIPv4), arguments.has(Self.onlyIPv6)) {
            case (true, true): throw arguments.error("--ipv4 and --ipv6 exclude each other.")
            case (true, false): .v4
            case (false, true): .v6
            case (false, false): nil
            }
        interface = arguments.value(of: Self.interface)
        hostAddresses = try arguments.values(of: Self.resolve).map { text throws(UsageError) in
            try Self.hostAddresses(text, arguments)
        }
        redirections = try arguments.values(of: Self.redirection).map { text throws(UsageError) in
            try Self.redirection(text, arguments)
        }
        localPorts = try arguments.value(of: Self.localPort).map { text throws(UsageError) in
            try Self.ports(text, arguments)
        }
        socket = try Self.file(Self.unixSocket, arguments)
        var headers: [String: String] = [:]
        for text in arguments.values(of: Self.proxyHeader) {
            let (name, value) = try RequestFields.parts(of: text, Self.proxyHeader, arguments)
            headers[name] = value
        }
        proxyHeaders = headers
        usesTunnels = arguments.has(Self.tunnel)
        oldestVersion = try Self.version(Self.oldestTLS, arguments)
        newestVersion = try Self.version(Self.newestTLS, arguments)
        if oldestVersion == .TLSv13, newestVersion == .TLSv12 {
            throw arguments.error("--tls-min is newer than --tls-max.")
        }
        cipherList = arguments.value(of: Self.ciphers)
        publicKeyDigests = try Self.digests(arguments)
        let configuration = URLSessionConfiguration.ephemeral
        applyRoute(to: configuration)
        if let fault = configuration.connectionFault { throw arguments.error("\(fault).") }
    }

    /// Checks that the files can be used.
    ///
    /// - Throws: ``UnusableCertificate`` for one that cannot.
    func check() throws(UnusableCertificate) {
        if let authorityFile {
            try UnusableCertificate.check(authorityFile, of: "cacert", needsText: true)
        }
        guard let clientCertificate else { return }
        let key = clientCertificate.keyFile
        let hasKey = key != nil
        let mayBeLocked = clientCertificate.passphrase != nil
        try UnusableCertificate.check(
            clientCertificate.certificateFile,
            of: "cert",
            needsText: hasKey,
            mayBeLocked: mayBeLocked
        )
        guard let key else { return }
        try UnusableCertificate.check(
            key,
            of: "key",
            needsText: true,
            mayBeLocked: mayBeLocked
        )
    }

    /// Applies the choice to a session's configuration.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration.
    ///   - environment: The caller's variables, used where no option is given.
    func apply(to configuration: URLSessionConfiguration, in environment: [String: String]) {
        var variables = environment
        if let proxy {
            for name in ["http_proxy", "https_proxy", "all_proxy"] { variables[name] = proxy }
            for name in ["HTTPS_PROXY", "ALL_PROXY"] { variables[name] = nil }
        }
        if let exceptions {
            variables["no_proxy"] = exceptions
            variables["NO_PROXY"] = nil
        }
        configuration.connectionEnvironment = variables
        configuration.certificateAuthorityFile = authorityFile
        configuration.clientCertificate = clientCertificate
        applyRoute(to: configuration)
    }

    private func applyRoute(to configuration: URLSessionConfiguration) {
        configuration.internetProtocolVersion = version
        configuration.requiredInterface = interface
        configuration.hostAddresses = hostAddresses
        configuration.hostRedirections = redirections
        configuration.localPorts = localPorts
        configuration.unixSocket = socket
        configuration.usesProxyTunnels = usesTunnels
        configuration.proxyHeaders = proxyHeaders
        if let oldestVersion { configuration.tlsMinimumSupportedProtocolVersion = oldestVersion }
        if let newestVersion { configuration.tlsMaximumSupportedProtocolVersion = newestVersion }
        configuration.cipherList = cipherList
        configuration.pinnedPublicKeyDigests = publicKeyDigests
    }

    /// Returns what `HOST1:PORT1:HOST2:PORT2` says; an address of version 6 has brackets.
    private static func redirection(
        _ text: String,
        _ arguments: Arguments
    ) throws(UsageError) -> URLSessionConfiguration.HostRedirection {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        let target = parts.last.flatMap { rest in rest.lastIndex(of: ":").map { rest.split(at: $0) }
        }
        guard parts.count == 3, let port = Int(parts[1]), let target, let targetPort = Int(target.1)
        else {
            throw arguments.error(
                "--connect-to needs HOST1:PORT1:HOST2:PORT2, such as example.org:443:192.0.2.1:8443, not '\(text)'."
            )
        }
        return .init(
            host: String(parts[0]),
            port: port,
            target: target.0.withoutBrackets,
            targetPort: targetPort
        )
    }

    /// Returns what `N` or `N-M` says.
    private static func ports(
        _ text: String,
        _ arguments: Arguments
    ) throws(UsageError) -> ClosedRange<Int> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard 1...2 ~= ends.count, let first = ends[0], let last = ends.last ?? nil, first <= last
        else {
            throw arguments.error("--local-port needs a port or a range such as 40000-40100.")
        }
        return first...last
    }

    private static func version(
        _ option: OptionSyntax,
        _ arguments: Arguments
    ) throws(UsageError) -> tls_protocol_version_t? {
        switch arguments.value(of: option) {
        case nil: nil
        case "1.2"?: .TLSv12
        case "1.3"?: .TLSv13
        case let text?:
            throw arguments.error("--\(option.name) takes 1.2 or 1.3, not '\(text)'.")
        }
    }

    private static func digests(_ arguments: Arguments) throws(UsageError) -> [Data] {
        let texts = arguments.value(of: keyDigests)?.split(separator: ";") ?? []
        return try texts.map { text throws(UsageError) in
            guard text.hasPrefix("sha256//"),
                let digest = Data(base64Encoded: String(text.dropFirst(8))), digest.count == 32
            else {
                throw arguments.error(
                    "--pinnedpubkey needs sha256// and the digest of a key in base64, not '\(text)'."
                )
            }
            return digest
        }
    }

    /// Returns what `HOST:PORT:ADDRESS[,ADDRESS]` says; an address of version 6 may have brackets.
    private static func hostAddresses(
        _ text: String,
        _ arguments: Arguments
    ) throws(UsageError) -> URLSessionConfiguration.HostAddresses {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let port = Int(parts[1]) else {
            throw arguments.error(
                "--resolve needs HOST:PORT:ADDRESS, such as example.org:443:192.0.2.1, not '\(text)'."
            )
        }
        let addresses = parts[2].split(separator: ",").map(\.withoutBrackets)
        return .init(host: String(parts[0]), port: port, addresses: addresses)
    }

    /// Returns the address as curl reads it; an invalid one is not shown, because it may contain a password.
    private static func proxyAddress(
        _ original: String,
        _ arguments: Arguments
    ) throws(UsageError) -> String {
        let text = PastedText.address(original)
        // aria2's -x is the number of connections.
        let isNumber = text.allSatisfy { $0.isASCII && $0.isNumber }
        let found =
            isNumber
            ? "a number is no host; --connections sets how many there are"
            : ProxyAddress.fault(in: text)
        guard !text.isEmpty, let fault = found else { return text }
        throw arguments.error(
            "--proxy needs an address such as http://host:3128 or socks5h://host:1080; \(fault)."
        )
    }

    /// Returns the first line of a file.
    private static func line(
        _ option: OptionSyntax,
        _ arguments: Arguments
    ) throws(UsageError) -> String? {
        guard let path = arguments.value(of: option) else { return nil }
        let content = try arguments.content(of: path, for: option, limit: 4096)
        return String(decoding: content.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    private static func file(
        _ option: OptionSyntax,
        _ arguments: Arguments
    ) throws(UsageError) -> URL? {
        guard let path = arguments.value(of: option) else { return nil }
        guard !path.isEmpty else { throw arguments.error("--\(option.name) needs a file.") }
        return URL(filePath: try arguments.place(path).text, directoryHint: .notDirectory)
    }
}

extension Substring {
    /// The text before an index, and that after it.
    fileprivate func split(at index: Index) -> (Substring, Substring) {
        (self[..<index], self[self.index(after: index)...])
    }

    /// The text without the brackets of an address of version 6.
    fileprivate var withoutBrackets: String {
        String(hasPrefix("[") && hasSuffix("]") ? dropFirst().dropLast() : self)
    }
}
