import FerryHTTP
import FerrySystem
import FerryTestSupport
import Foundation
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

    @Test(arguments: [TLSServer.Certificate.namedBySubject, .namedBySubjectAndMail])
    func `REL-19: a host in the subject alone is none of the certificate's`(
        certificate: TLSServer.Certificate
    ) async throws {
        let server = try await TLSServer.start(certificate)
        let probe = try await fetch(server) { $0.certificateAuthorityFile = server.authorityFile }
        #expect(probe.error?.code == .serverCertificateUntrusted)
        #expect(probe.calls == [.finish])
        let client = try HTTPClient.local { $0.certificateAuthorityFile = server.authorityFile }
        var request = HTTPRequest(url: server.url)
        request.asksForTrust = true
        let asked = try await client.fetch(request)
        #expect(asked.trusts.map(\.verdict) == [.forAnotherHost])
        #expect(asked.error?.code == .serverCertificateUntrusted)
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

    @Test func `a directory of authorities says whom to trust`() async throws {
        let server = try await TLSServer.start(.good)
        let certificate = try Data(contentsOf: URL(filePath: server.authorityFile))
        let directory = try directory(of: Array(certificate))
        let probe = try await fetch(server) { $0.certificateAuthorityDirectory = directory.path }
        #expect(probe.error == nil)
    }

    /// A directory of authorities with this one.
    private func directory(of certificate: [UInt8]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write(certificate, to: "authority.pem")
        // OpenSSL looks for names that are made of the authorities' own.
        let program = try #require(TLSServer.program)
        let process = try ProcessLaunch(
            executable: program,
            arguments: ["rehash", directory.path]
        ).start()
        #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
        return directory
    }

    /// The ways to name the authorities that are trusted.
    enum Naming: CaseIterable {
        case file
        case directory
        case content
    }

    @Test(arguments: Naming.allCases)
    func `a proxy that is reached over TLS is trusted for the same authorities' sake`(
        naming: Naming
    ) async throws {
        let home = try TestHome()
        let authority = try await TestAuthority(in: home)
        let proxy = try FixtureServer()
        proxy.on("http://somewhere.invalid/file", .content(.text("from afar")))
        let relay = try await TLSRelay(in: home, authority: authority, to: proxy.port)
        let list = HTTPProxyList(http: HTTPProxy(address: "https://127.0.0.1:\(relay.port)"))
        let request = HTTPRequest(url: "http://somewhere.invalid/file")

        let stranger = try await HTTPClient.local { $0.proxies = list }.fetch(request)
        #expect(stranger.error != nil)
        #expect(proxy.requests.isEmpty)

        let certificate = try Array(Data(contentsOf: URL(filePath: authority.file)))
        let directory = try directory(of: certificate)
        let probe = try await HTTPClient.local {
            $0.proxies = list
            switch naming {
            case .file: $0.certificateAuthorityFile = authority.file
            case .directory: $0.certificateAuthorityDirectory = directory.path
            case .content: $0.certificateAuthorities = TrustedAuthorities(certificate)
            }
        }.fetch(request)
        #expect(probe.error == nil)
        #expect(probe.text == "from afar")
    }

    // MARK: Handlers that decide

    private func fetch(
        _ server: TLSServer,
        knowingAuthority: Bool = true,
        host: String? = nil,
        _ decision: HTTPTrustDecision
    ) async throws -> ExchangeProbe {
        let client = try HTTPClient.local {
            if knowingAuthority { $0.certificateAuthorityFile = server.authorityFile }
        }
        let probe = ExchangeProbe()
        probe.onTrust = { _ in decision }
        var request = HTTPRequest(url: server.url)
        request.asksForTrust = true
        client.start(request, handler: probe)
        try await probe.finished()
        return probe
    }

    @Test func `authorities that cannot be read trust nobody, and nobody else is asked`()
        async throws
    {
        let server = try await TLSServer.start(.good)
        let client = try HTTPClient.local {
            $0.certificateAuthorities = TrustedAuthorities(Array("nothing of the kind".utf8))
        }
        let probe = ExchangeProbe()
        probe.onTrust = { _ in .accept }
        var request = HTTPRequest(url: server.url)
        request.asksForTrust = true
        client.start(request, handler: probe)
        try await probe.finished()
        #expect(probe.error?.code == .serverCertificateUntrusted)
        #expect(probe.trusts.isEmpty)
    }

    @Test func `a good server's chain leads up to its authority`() async throws {
        let server = try await TLSServer.start(.good)
        let probe = try await fetch(server, .followVerdict)
        #expect(probe.error == nil)
        #expect(try probe.head.status == 200)
        let trust = try #require(probe.trusts.first)
        #expect(probe.trusts.count == 1)
        #expect(trust.verdict == .trusted)
        #expect(trust.host == "127.0.0.1" || trust.host == "localhost")
        #expect(trust.certificates.count == 2)
        // DER: a sequence with a length of two bytes.
        #expect(trust.certificates.allSatisfy { $0.starts(with: [0x30, 0x82]) })
        #expect(trust.certificates[0] != trust.certificates[1])
    }

    @Test(arguments: [
        (TLSServer.Certificate.good, false), (.expired, true), (.forAnotherHost, true),
    ])
    func `a bad server is refused, unless the handler accepts it`(
        certificate: TLSServer.Certificate,
        knowsAuthority: Bool
    ) async throws {
        let server = try await TLSServer.start(certificate)
        let refused = try await fetch(server, knowingAuthority: knowsAuthority, .followVerdict)
        #expect(refused.calls == [.finish])
        let verdict = try #require(refused.trusts.first?.verdict)
        #expect(refused.error == verdict.error)
        switch certificate {
        case .good: #expect(refused.error?.code == .serverCertificateUntrusted)
        case .expired: #expect(refused.error?.code == .serverCertificateHasBadDate)
        case .forAnotherHost, .namedBySubject, .namedBySubjectAndMail:
            #expect(verdict == .forAnotherHost)
        }
        let accepted = try await fetch(server, knowingAuthority: knowsAuthority, .accept)
        #expect(accepted.error == nil)
        #expect(try accepted.head.status == 200)
        #expect(accepted.trusts.first?.verdict == verdict)
    }

    @Test func `a handler may want more time, also for a good server`() async throws {
        let server = try await TLSServer.start(.good)
        let probe = try await fetch(server, .ask)
        #expect(probe.error?.code == .serverTrustUndecided)
        #expect(probe.calls == [.finish])
        #expect(probe.trusts.first?.verdict == .trusted)
    }

    @Test func `a connection that a handler approved is for those who ask alone`() async throws {
        let home = try TestHome()
        let server = try await Nginx(
            in: home,
            authority: try await TestAuthority(in: home),
            lines: "location /which { return 200 \"$connection\"; }"
        )
        let client = try HTTPClient.local()
        func fetch(asking: Bool, _ decision: HTTPTrustDecision) async throws -> ExchangeProbe {
            let probe = ExchangeProbe()
            probe.onTrust = { _ in decision }
            var request = HTTPRequest(url: server.url("which", by: .secure))
            request.asksForTrust = asking
            client.start(request, handler: probe)
            try await probe.finished()
            return probe
        }
        let approved = try await fetch(asking: true, .accept)
        #expect(approved.error == nil)
        #expect(approved.trusts.count == 1)
        let another = try await fetch(asking: false, .accept)
        #expect(another.error?.code == .serverCertificateUntrusted)
        #expect(another.trusts.isEmpty)
        let later = try await fetch(asking: true, .followVerdict)
        #expect(later.error == nil)
        #expect(later.trusts.isEmpty)
        #expect(later.text == approved.text)
        await server.stop()
    }

    @Test func `a session of TLS that a handler approved is for those who ask alone`()
        async throws
    {
        // This server ends each connection, so that sessions are all there is to take up.
        let server = try await TLSServer.start(.good)
        let client = try HTTPClient.local()
        func fetch(asking: Bool, _ decision: HTTPTrustDecision) async throws -> ExchangeProbe {
            let probe = ExchangeProbe()
            probe.onTrust = { _ in decision }
            var request = HTTPRequest(url: server.url)
            request.asksForTrust = asking
            client.start(request, handler: probe)
            try await probe.finished()
            return probe
        }
        let refused = try await fetch(asking: true, .followVerdict)
        #expect(refused.error?.code == .serverCertificateUntrusted)
        let approved = try await fetch(asking: true, .accept)
        #expect(approved.error == nil)
        #expect(approved.trusts.count == 1)
        let another = try await fetch(asking: false, .accept)
        #expect(another.error?.code == .serverCertificateUntrusted)
        let later = try await fetch(asking: true, .followVerdict)
        #expect(later.error == nil)
        #expect(later.trusts.isEmpty)
        #expect(later.text.contains("Reused, "))
    }

    @Test func `a handler's refusal counts where nobody else verifies`() async throws {
        let server = try await TLSServer.start(.expired)
        let client = try HTTPClient.local { $0.verifiesServer = false }
        var request = HTTPRequest(url: server.url)
        request.asksForTrust = true
        let probe = try await client.fetch(request)
        #expect(probe.error?.code == .serverCertificateUntrusted)
        #expect(probe.trusts.count == 1)
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

    @Test(arguments: [false, true])
    func `an app is asked about servers, and never about a proxy that is reached over TLS`(
        isTrusted: Bool
    ) async throws {
        let home = try TestHome()
        let authority = try await TestAuthority(in: home)
        let proxy = try await Tinyproxy(in: home)
        let relay = try await TLSRelay(in: home, authority: authority, to: UInt16(proxy.port))
        let address = HTTPProxy(address: "https://127.0.0.1:\(relay.port)")
        let server = try await TLSServer.start(.forAnotherHost)
        let client = try HTTPClient.local {
            $0.proxies = HTTPProxyList(https: address)
            if isTrusted { $0.certificateAuthorityFile = authority.file }
        }
        var request = HTTPRequest(url: server.url)
        request.asksForTrust = true
        request.asksForIdentity = true
        let probe = try await client.fetch(request)
        #expect(probe.trusts.count == (isTrusted ? 1 : 0))
        #expect(probe.error?.code == .serverCertificateUntrusted)
        // Nothing goes to a proxy that is not trusted.
        #expect(proxy.requests.isEmpty != isTrusted)
    }
}
