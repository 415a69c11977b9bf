import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct HTTPClientTrustTests {
    private func fetch(
        _ server: TLSServer,
        _ change: (inout HTTPClient.Configuration) -> Void
    ) async throws -> ExchangeProbe {
        try await HTTPClient.local(change).fetch(HTTPRequest(url: server.url))
    }

    @Test func `a server is trusted for its authority's sake`() async throws {
        let server = try await TLSServer.start(.good)
        let probe = try await fetch(server) { $0.certificateAuthorityFile = server.authorityFile }
        #expect(probe.error == nil)
        #expect(try probe.head.status == 200)
        #expect(probe.text.contains("s_server"))
    }

    @Test func `a server with an unknown authority is not trusted`() async throws {
        let server = try await TLSServer.start(.good)
        let probe = try await fetch(server) { _ in }
        #expect(probe.error?.code == .serverCertificateUntrusted)
        #expect(probe.calls == [.finish])
    }

    @Test func `a server with another host's certificate is not trusted`() async throws {
        let server = try await TLSServer.start(.forAnotherHost)
        let probe = try await fetch(server) { $0.certificateAuthorityFile = server.authorityFile }
        #expect(probe.error?.code == .serverCertificateUntrusted)
        #expect(probe.calls == [.finish])
    }

    @Test func `a certificate that has expired has an error of its own`() async throws {
        let server = try await TLSServer.start(.expired)
        let probe = try await fetch(server) { $0.certificateAuthorityFile = server.authorityFile }
        #expect(probe.error?.code == .serverCertificateHasBadDate)
        #expect(probe.calls == [.finish])
    }

    @Test(arguments: [TLSServer.Certificate.good, .expired, .forAnotherHost])
    func `a client that does not verify takes any server`(
        certificate: TLSServer.Certificate
    ) async throws {
        let server = try await TLSServer.start(certificate)
        let probe = try await fetch(server) { $0.verifiesServer = false }
        #expect(probe.error == nil)
    }

    @Test func `a file of authorities that is missing trusts nobody`() async throws {
        let server = try await TLSServer.start(.good)
        let probe = try await fetch(server) { $0.certificateAuthorityFile = "/nonexistent.pem" }
        #expect(probe.error?.code == .serverCertificateUntrusted)
    }

    @Test func `the environment says which authorities are trusted, as for curl`() {
        let both = HTTPClient.Configuration(
            environment: ["CURL_CA_BUNDLE": "/a.pem", "SSL_CERT_FILE": "/b.pem"]
        )
        #expect(both.certificateAuthorityFile == "/a.pem")
        let one = HTTPClient.Configuration(
            environment: ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "/b.pem", "SSL_CERT_DIR": "/c"]
        )
        #expect(one.certificateAuthorityFile == "/b.pem")
        #expect(one.certificateAuthorityDirectory == "/c")
        let none = HTTPClient.Configuration(environment: [:])
        #expect(none.certificateAuthorityFile == nil)
        #expect(none.certificateAuthorityDirectory == nil)
    }
}
