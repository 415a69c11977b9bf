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

    /// The options of a command that makes connections.
    static let options = [
        proxy, noProxy, authorities, certificate, key, passphrase, onlyIPv4, onlyIPv6, interface,
        resolve,
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
        let configuration = URLSessionConfiguration.ephemeral
        applyRoute(to: configuration)
        if let fault = configuration.routeFault { throw arguments.error("\(fault).") }
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
        let addresses = parts[2].split(separator: ",").map { address in
            String(
                address.hasPrefix("[") && address.hasSuffix("]")
                    ? address.dropFirst().dropLast() : address
            )
        }
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
