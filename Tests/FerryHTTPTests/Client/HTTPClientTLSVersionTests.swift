import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct HTTPClientTLSVersionTests {
    nonisolated private static let old = "-cipher DEFAULT:@SECLEVEL=0"

    private func fetch(
        _ options: String,
        minimum: HTTPTLSVersion? = nil,
        maximum: HTTPTLSVersion? = nil
    ) async throws -> ExchangeProbe {
        let server = try await TLSServer.start(.good, options: options)
        let client = try HTTPClient.local {
            $0.certificateAuthorityFile = server.authorityFile
            if let minimum { $0.tls.minimumVersion = minimum }
            $0.tls.maximumVersion = maximum
        }
        return try await client.fetch(HTTPRequest(url: server.url))
    }

    private static func name(_ version: HTTPTLSVersion) -> String {
        switch version {
        case .tls10: "TLSv1"
        case .tls11: "TLSv1.1"
        case .tls12: "TLSv1.2"
        case .tls13: "TLSv1.3"
        }
    }

    @Test func `versions are ordered`() {
        #expect(HTTPTLSVersion.allCases == HTTPTLSVersion.allCases.sorted())
        #expect(HTTPTLSVersion.tls11 < .tls12)
    }

    @Test(arguments: ["-tls1 \(old)", "-tls1_1 \(old)"])
    func `a server that knows old versions alone is not talked to`(options: String) async throws {
        let probe = try await fetch(options)
        #expect(probe.error?.code == .secureConnectionFailed)
        #expect(probe.calls == [.finish])
    }

    @Test(arguments: [("-tls1_2", HTTPTLSVersion.tls13), ("-tls1_1 \(old)", .tls12)])
    func `a server below the minimum is not talked to`(
        options: String,
        minimum: HTTPTLSVersion
    ) async throws {
        let probe = try await fetch(options, minimum: minimum)
        #expect(probe.error?.code == .secureConnectionFailed)
        #expect(probe.calls == [.finish])
    }

    @Test(arguments: [("-tls1_3", HTTPTLSVersion.tls12), ("-tls1_2", .tls11)])
    func `a server above the maximum is not talked to`(
        options: String,
        maximum: HTTPTLSVersion
    ) async throws {
        let probe = try await fetch(options, minimum: .tls10, maximum: maximum)
        #expect(probe.error?.code == .secureConnectionFailed)
        #expect(probe.calls == [.finish])
    }

    @Test(arguments: HTTPTLSVersion.allCases)
    func `the newest version that both allow is spoken`(maximum: HTTPTLSVersion) async throws {
        let probe = try await fetch(Self.old, minimum: .tls10, maximum: maximum)
        #expect(probe.error == nil)
        #expect(probe.text.contains("Protocol  : \(Self.name(maximum))\n"))
    }

    @Test func `the newest version is spoken by default`() async throws {
        let probe = try await fetch("")
        #expect(probe.text.contains("Protocol  : TLSv1.3\n"))
    }

    @Test func `a server that is old enough for a lower minimum is talked to`() async throws {
        let probe = try await fetch("-tls1_1 \(Self.old)", minimum: .tls11)
        #expect(probe.error == nil)
    }

    private func fetch(_ options: String, _ tls: HTTPTLSRequirements) async throws -> ExchangeProbe
    {
        let server = try await TLSServer.start(.good, options: options)
        let client = try HTTPClient.local {
            $0.certificateAuthorityFile = server.authorityFile
            $0.tls = tls
        }
        return try await client.fetch(HTTPRequest(url: server.url))
    }

    @Test func `the ciphers that are named are used, and no others`() async throws {
        let tls = HTTPTLSRequirements(
            maximumVersion: .tls12,
            ciphers: "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384"
        )
        let probe = try await fetch("", tls)
        #expect(probe.error == nil)
        #expect(probe.text.contains("AES256-GCM-SHA384\n"))
        let other = try await fetch("-cipher AES128-GCM-SHA256", tls)
        #expect(other.error?.code == .secureConnectionFailed)
    }

    @Test func `a server with another key than those that are named is not trusted`() async throws {
        let tls = HTTPTLSRequirements(keyDigests: [Array(repeating: 7, count: 32)])
        let probe = try await fetch("", tls)
        #expect(probe.error?.code == .serverCertificateUntrusted)
        #expect(probe.calls == [.finish])
    }

    @Test(
        arguments: [
            (HTTPTLSRequirements(), nil),
            (HTTPTLSRequirements(minimumVersion: .tls13, maximumVersion: .tls13), nil),
            (HTTPTLSRequirements(ciphers: "HIGH:!aNULL"), nil),
            (HTTPTLSRequirements(keyDigests: [Array(repeating: 0, count: 32)]), nil),
            (
                HTTPTLSRequirements(ciphers: ""),
                "a list of ciphers has 1 to 4096 characters of ASCII, and no spaces"
            ),
            (
                HTTPTLSRequirements(ciphers: "A B"),
                "a list of ciphers has 1 to 4096 characters of ASCII, and no spaces"
            ),
            (
                HTTPTLSRequirements(ciphers: "Ä"),
                "a list of ciphers has 1 to 4096 characters of ASCII, and no spaces"
            ),
            (HTTPTLSRequirements(keyDigests: [[]]), "the SHA-256 of a key has 32 bytes, not 0"),
            (
                HTTPTLSRequirements(keyDigests: Array(repeating: [1], count: 101)),
                "there are at most 100 digests of keys"
            ),
        ] as [(HTTPTLSRequirements, String?)]
    )
    func `requirements that cannot be used say why`(
        tls: HTTPTLSRequirements,
        fault: String?
    ) {
        #expect(tls.fault == fault)
    }

    @Test func `a minimum above the maximum allows nothing`() async throws {
        let probe = try await fetch("", minimum: .tls13, maximum: .tls12)
        #expect(probe.error?.code == .secureConnectionFailed)
    }
}
