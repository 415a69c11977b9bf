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
            if let minimum { $0.minimumTLSVersion = minimum }
            $0.maximumTLSVersion = maximum
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

    @Test func `a minimum above the maximum allows nothing`() async throws {
        let probe = try await fetch("", minimum: .tls13, maximum: .tls12)
        #expect(probe.error?.code == .secureConnectionFailed)
    }
}
