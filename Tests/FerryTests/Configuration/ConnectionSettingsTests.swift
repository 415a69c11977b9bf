import FerryHTTP
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// What a session is told of proxies and authorities, by configuration and environment.
@Suite(.timeLimit(.minutes(5))) struct ConnectionSettingsTests {
    private func values(
        _ variables: [String: String]? = [:],
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSessionConfiguration.Values {
        let configuration = URLSessionConfiguration.background(withIdentifier: "settings")
        configuration.connectionEnvironment = variables
        change(configuration)
        return configuration.snapshot
    }

    private func connections(
        _ values: URLSessionConfiguration.Values,
        isForEvents: Bool = false
    ) -> Wire.Connections? {
        Wire.Connections(values, isForEvents: isForEvents)
    }

    @Test func `SEC-8: a session keeps what it was made with, and a changed copy has its own`()
        throws
    {
        let values = values(["http_proxy": "a:1"])
        var later = values.forSession()
        later.connectionEnvironment = ["http_proxy": "b:1"]
        #expect(later.client.proxies.http?.address == "a:1")
        let copy = URLSessionConfiguration(values: later)
        #expect(copy.snapshot.client.proxies.http?.address == "b:1")
        #expect(copy.snapshot.forSession().client.proxies.http?.address == "b:1")
    }

    @Test(arguments: ["http://a:1\r", " http://a:1\r\n", "\thttp://a:1 "])
    func `HTTP-7: white space around the proxy of a variable is not part of it`(text: String) {
        #expect(values(["http_proxy": text]).client.proxies.http?.address == "http://a:1")
        #expect(
            values(["http_proxy": " \r", "all_proxy": text]).client.proxies.http?.address
                == "http://a:1"
        )
    }

    @Test func `SEC-8: a session without anything says so`() {
        #expect(connections(values()) == Wire.Connections())
    }

    @Test func `SEC-8: a background session has the variables of its app`() {
        let variables = [
            "http_proxy": "http://me:secret@a:1", "https_proxy": "b", "no_proxy": "c",
            "SSL_CERT_FILE": "/ca.pem", "SSL_CERT_DIR": "certs", "OTHER": "x",
        ]
        let current = FileManager.default.currentDirectoryPath
        #expect(
            connections(values(variables))
                == Wire.Connections(
                    httpProxy: "http://me:secret@a:1",
                    httpsProxy: "b",
                    proxyExceptions: ["c"],
                    authorityFile: "/ca.pem",
                    authorityDirectory: "\(current)/certs"
                )
        )
    }

    /// A change of each setting that only connections have, and what the daemon is told of it.
    ///
    /// No constant: the search for leaks takes the bytes of a constant `Data` for lost.
    private static var settings: [(@Sendable (URLSessionConfiguration) -> Void, Wire.Connections)] {
        [
            ({ $0.internetProtocolVersion = .v6 }, .init(addressFamily: .ipv6)),
            ({ $0.requiredInterface = "eth0" }, .init(interface: "eth0")),
            (
                { $0.hostAddresses = [.init(host: "A", port: 1, addresses: ["::1"])] },
                .init(hosts: [.init(host: "a", port: 1, addresses: ["::1"])])
            ),
            ({ $0.localPorts = 7...9 }, .init(localPorts: .init(first: 7, last: 9))),
            (
                {
                    $0.hostRedirections = [
                        .init(host: "A", port: 1, target: "B", targetPort: 2)
                    ]
                },
                .init(redirections: [.init(host: "a", port: 1, target: "B", targetPort: 2)])
            ),
            ({ $0.unixSocket = URL(filePath: "/run/a") }, .init(unixSocket: "/run/a")),
            (
                { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 },
                .init(minimumTLSVersion: .tls13)
            ),
            (
                { $0.tlsMaximumSupportedProtocolVersion = .TLSv12 },
                .init(maximumTLSVersion: .tls12)
            ),
            ({ $0.cipherList = "HIGH" }, .init(ciphers: "HIGH")),
            (
                { $0.pinnedPublicKeyDigests = [Data(repeating: 1, count: 32)] },
                .init(keyDigests: [Data(repeating: 1, count: 32)])
            ),
            ({ $0.usesProxyTunnels = true }, .init(alwaysTunnels: true)),
            (
                { $0.proxyHeaders = ["X-Site": "a"] },
                .init(proxyFields: [.init(name: "X-Site", value: "a")])
            ),
        ]
    }

    @Test(arguments: settings.indices)
    func `each setting of connections alone is told, also by a process that was started for events`(
        index: Int
    ) {
        let (change, told) = Self.settings[index]
        #expect(connections(values([:], change)) == told)
        #expect(connections(values([:], change), isForEvents: true) == told)
    }

    @Test(
        arguments: [
            { $0.localPorts = 0...1 }, { $0.localPorts = 1...65_536 },
            { $0.unixSocket = URL(string: "https://a/b") },
            { $0.hostRedirections = [.init(host: "", port: 1, target: "b", targetPort: 1)] },
            { $0.hostRedirections = [.init(host: "a", port: 65_536, target: "b", targetPort: 1)] },
            { $0.cipherList = "" }, { $0.pinnedPublicKeyDigests = [Data([1])] },
            { $0.proxyHeaders = ["X-Site": "a\r\nX-Other: b"] },
            { $0.proxyHeaders = ["X Site": "a"] },
            { $0.proxyHeaders = ["X-Site": "a\u{7F}"] }, { $0.proxyHeaders = ["": "a"] },
        ] as [@Sendable (URLSessionConfiguration) -> Void]
    )
    func `a setting that cannot be used is not told`(
        change: @Sendable (URLSessionConfiguration) -> Void
    ) {
        let values = values([:], change)
        #expect(values.connectionFault != nil)
        #expect(connections(values) == nil)
    }

    @Test func `SEC-8: what the configuration says comes before the environment`() {
        let variables = ["http_proxy": "a:1", "CURL_CA_BUNDLE": "/a.pem", "SSL_CERT_DIR": "/d"]
        let values = values(variables) { configuration in
            configuration.connectionProxyDictionary = ["HTTPProxy": "b", "HTTPPort": 2]
            configuration.certificateAuthorityFile = URL(filePath: "/b.pem")
            configuration.clientCertificate = ClientCertificate(
                certificateFile: URL(filePath: "/c.pem"),
                keyFile: URL(filePath: "/c.key"),
                passphrase: "harbour"
            )
        }
        #expect(
            connections(values)
                == Wire.Connections(
                    httpProxy: "http://b:2",
                    authorityFile: "/b.pem",
                    clientCertificate: Wire.ClientCertificate(
                        certificate: "/c.pem",
                        key: "/c.key",
                        passphrase: "harbour"
                    )
                )
        )
        #expect(values.client.certificateAuthorityFile == "/b.pem")
        #expect(values.client.certificateAuthorityDirectory == nil)
    }

    @Test func `SEC-8: a process that has no say of its own says nothing`() {
        #expect(connections(values(nil), isForEvents: true) == nil)
        #expect(connections(values([:]), isForEvents: true) == Wire.Connections())
        let kept = values(["http_proxy": "a"]) { $0.keepsConnectionSettings = true }
        #expect(connections(kept) == nil)
    }

    @Test(arguments: [
        ["HTTPProxy": "http://proxy:3128"] as [String: any Sendable],
        ["HTTPSProxy": "pro xy", "HTTPSPort": 1], ["HTTPProxy": "proxy", "HTTPPort": 70_000],
    ])
    func `SEC-8: a background task whose proxy is none fails, and does not go without one`(
        dictionary: [String: any Sendable]
    ) throws {
        let values = values { $0.connectionProxyDictionary = dictionary }
        #expect(connections(values) == nil)
        let url = try #require(URL(string: "https://example.com/song"))
        let error = #expect(throws: URLError.self) {
            try DownloadTaskSpecification(.request(URLRequest(url: url)), configuration: values)
        }
        #expect(error?.code == .cannotConnectToHost)
        let later = #expect(throws: URLError.self) {
            try DownloadTaskSpecification(.resumeData(Data()), configuration: values)
        }
        #expect(later?.code == .cannotConnectToHost)
    }

    @Test func `SEC-8: a process that is started again has the variables of the first one`() {
        let names = Application.Relaunch.defaultEnvironmentNames
        #expect(
            names.isSuperset(of: [
                "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
                "NO_PROXY", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR",
            ])
        )
    }

    @Test func `USE-13: ferryd hears which variables it does not pass on, but for a shell's own`() {
        let environment = ProcessInfo.processInfo.environment
        let passed: Set<String> = ["PATH"]
        let launch = Wire.Launch(
            Application.Relaunch(executable: "/app", environmentNames: passed)
        )
        #expect(launch.environment["PATH"] == environment["PATH"])
        let omitted = launch.omittedVariables ?? []
        #expect(!omitted.isEmpty)
        #expect(omitted == omitted.sorted())
        #expect(passed.isDisjoint(with: omitted))
        #expect(Set(omitted).isSubset(of: environment.keys))
        #expect(!omitted.contains("PWD") && !omitted.contains("_"))
    }

    @Test func `SEC-8: a passphrase is not shown where a certificate is printed`() {
        let certificate = ClientCertificate(
            certificateFile: URL(filePath: "/c.pem"),
            passphrase: "harbour"
        )
        var text = "\(certificate) \(String(reflecting: certificate))"
        dump(certificate, to: &text)
        #expect(!text.contains("harbour"))
    }
}
