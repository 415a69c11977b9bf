import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// How connections by TLS may end.
@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct HTTPClientTLSEndTests {
    private let server: FixtureServer
    private let home: TestHome
    private let authority: TestAuthority

    init() async throws {
        server = try FixtureServer()
        home = try TestHome()
        authority = try await TestAuthority(in: home)
    }

    private func fetch(
        _ version: TLSRelay.Version,
        _ end: TLSRelay.End,
        asksForTrust: Bool = false
    ) async throws -> ExchangeProbe {
        let relay = try await TLSRelay(
            in: home,
            authority: authority,
            to: server.port,
            version: version,
            end: end
        )
        let client = try HTTPClient.local { $0.certificateAuthorityFile = authority.file }
        var request = HTTPRequest(url: relay.url("/file"))
        request.asksForTrust = asksForTrust
        return try await client.fetch(request)
    }

    private static let content = FixtureContent.seeded(1, byteCount: 5000)

    @Test(arguments: TLSRelay.Version.allCases, [false, true])
    func `SEC-7: a body without a length is over where its server says so, and not where it is cut`(
        version: TLSRelay.Version,
        asksForTrust: Bool
    ) async throws {
        server.on("/file", .content(Self.content).untilClose())
        let probe = try await fetch(version, .cut, asksForTrust: asksForTrust)
        #expect(probe.error?.code == .connectionLost)
        #expect(probe.bytes == Self.content.bytes)
    }

    @Test(arguments: TLSRelay.Version.allCases)
    func `a body without a length may end with TLS`(version: TLSRelay.Version) async throws {
        server.on("/file", .content(Self.content).untilClose())
        let probe = try await fetch(version, .notified)
        #expect(probe.error == nil)
        #expect(probe.bytes == Self.content.bytes)
    }

    @Test(arguments: TLSRelay.Version.allCases)
    func `a body of known length is whole however its connection ends`(
        version: TLSRelay.Version
    ) async throws {
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nwhole"
        server.on("/file", .script([.text(head), .close]))
        let probe = try await fetch(version, .cut)
        #expect(probe.error == nil)
        #expect(probe.text == "whole")
    }
}
