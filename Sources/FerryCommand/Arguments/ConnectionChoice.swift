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

    /// The options of a command that makes connections.
    static let options = [proxy, noProxy, authorities, certificate, key]

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
        clientCertificate = certificate.map { ClientCertificate(certificateFile: $0, keyFile: key) }
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
        try UnusableCertificate.check(
            clientCertificate.certificateFile,
            of: "cert",
            needsText: hasKey
        )
        if let key { try UnusableCertificate.check(key, of: "key", needsText: true) }
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

    private static func file(
        _ option: OptionSyntax,
        _ arguments: Arguments
    ) throws(UsageError) -> URL? {
        guard let path = arguments.value(of: option) else { return nil }
        guard !path.isEmpty else { throw arguments.error("--\(option.name) needs a file.") }
        return URL(filePath: try arguments.place(path).text, directoryHint: .notDirectory)
    }
}
