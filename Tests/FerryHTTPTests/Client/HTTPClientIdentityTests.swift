import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct HTTPClientIdentityTests {
    let home: TestHome

    init() throws {
        home = try TestHome()
    }

    /// A server that tells whose certificate it got, and by which connection, and keeps that.
    private func server() async throws -> Nginx {
        try await Nginx(
            in: home,
            authority: try await TestAuthority(in: home),
            lines: "location /who { return 200 \"$ssl_client_s_dn by $connection\"; }"
        )
    }

    private func client(_ server: Nginx) throws -> HTTPClient {
        try .local { $0.certificateAuthorityFile = server.authorityFile }
    }

    private func request(
        _ server: Nginx,
        _ identity: HTTPIdentity? = nil,
        asking: Bool = false
    ) -> HTTPRequest {
        var request = HTTPRequest(url: server.url("who", by: .acceptingCertificate))
        request.identity = identity
        request.asksForIdentity = asking
        return request
    }

    private static func pem(_ identity: TLSIdentity) -> HTTPIdentity {
        HTTPIdentity(identity.pem, format: .pem, passphrase: identity.passphrase)
    }

    private static func pkcs12(_ identity: TLSIdentity) -> HTTPIdentity {
        HTTPIdentity(identity.pkcs12, format: .pkcs12, passphrase: identity.passphrase)
    }

    // MARK: Identities

    @Test func `an identity is shown to a server that wants one, in either form`() async throws {
        let server = try await server()
        let identity = try await server.makeIdentity("Lulu")
        for identity in [Self.pem(identity), Self.pkcs12(identity)] {
            let probe = try await client(server).fetch(request(server, identity))
            #expect(probe.error == nil)
            #expect(probe.text.hasPrefix("CN=Lulu by "))
        }
        await server.stop()
    }

    @Test func `a server that wants no identity is talked to all the same`() async throws {
        let server = try await server()
        let identity = try await server.makeIdentity("Lulu")
        let other = try await TLSServer.start(.good)
        let client = try HTTPClient.local { $0.certificateAuthorityFile = other.authorityFile }
        var request = HTTPRequest(url: other.url)
        request.identity = Self.pem(identity)
        let probe = try await client.fetch(request)
        #expect(probe.error == nil)
        #expect(probe.text.contains("no client certificate available"))
        await server.stop()
    }

    @Test(arguments: [HTTPRequest.ProtocolChoice.http1, .http2])
    func `a connection is used again by its identity alone`(
        choice: HTTPRequest.ProtocolChoice
    ) async throws {
        let server = try await server()
        let one = Self.pem(try await server.makeIdentity("One"))
        let two = Self.pem(try await server.makeIdentity("Two"))
        let client = try client(server)
        var seen: [HTTPIdentity?: Set<String>] = [:]
        for identity in [one, two, nil, two, one, nil] {
            var request = request(server, identity)
            request.protocolChoice = choice
            let probe = try await client.fetch(request)
            #expect(probe.error == nil)
            seen[identity, default: []].insert(probe.text)
        }
        // Each has one connection, on which it is who it is.
        #expect(seen[one]?.count == 1 && seen[one]?.first?.hasPrefix("CN=One by ") == true)
        #expect(seen[two]?.count == 1 && seen[two]?.first?.hasPrefix("CN=Two by ") == true)
        #expect(seen[nil]?.count == 1)
        #expect(seen[nil]?.first?.hasPrefix(" by ") == true)
        await server.stop()
    }

    @Test func `requests of several identities at once are told apart`() async throws {
        let server = try await server()
        let identities = [
            Self.pem(try await server.makeIdentity("One")),
            Self.pem(try await server.makeIdentity("Two")), nil,
        ]
        let names = ["CN=One", "CN=Two", ""]
        let client = try client(server)
        let probes = (0..<30).map { index in
            let probe = ExchangeProbe()
            var request = request(server, identities[index % 3])
            request.protocolChoice = index % 2 == 0 ? .http2 : .http1
            client.start(request, handler: probe)
            return probe
        }
        for (index, probe) in probes.enumerated() {
            try await probe.finished()
            #expect(probe.error == nil)
            #expect(probe.text.hasPrefix(names[index % 3] + " by "))
        }
        await server.stop()
    }

    @Test func `a session of TLS is not taken up again by another identity`() async throws {
        let server = try await TLSServer.start(.good, options: "-verify 1 -CAfile ca.pem")
        let one = Self.pem(try await server.makeIdentity("One"))
        let two = Self.pem(try await server.makeIdentity("Two"))
        // This server ends each connection, so that sessions are all there is to take up.
        let client = try HTTPClient.local { $0.certificateAuthorityFile = server.authorityFile }
        for (identity, name) in [(one, "One"), (two, "Two"), (one, "One")] {
            var request = HTTPRequest(url: server.url)
            request.identity = identity
            #expect(try await client.fetch(request).text.contains("Subject: CN=\(name)"))
        }
        let nobody = try await client.fetch(HTTPRequest(url: server.url))
        #expect(nobody.text.contains("no client certificate available"))
    }

    // MARK: Identities that cannot be used

    @Test func `an identity that cannot be read has an error of its own, without secrets`()
        async throws
    {
        let server = try await server()
        let identity = try await server.makeIdentity("Lulu")
        let other = try await server.makeIdentity("Other")
        let wrong = "wrong passphrase"
        let certificate = identity.pem.prefix(identity.pem.count - 400)
        for identity in [
            HTTPIdentity(identity.pem, format: .pem, passphrase: wrong),
            HTTPIdentity(identity.pem, format: .pem),
            HTTPIdentity(identity.pkcs12, format: .pkcs12, passphrase: wrong),
            HTTPIdentity(identity.pkcs12, format: .pkcs12),
            HTTPIdentity(Array(certificate), format: .pem, passphrase: identity.passphrase),
            HTTPIdentity(identity.pem, format: .pkcs12, passphrase: identity.passphrase),
            HTTPIdentity(other.pkcs12, format: .pem, passphrase: identity.passphrase),
            HTTPIdentity([], format: .pem), HTTPIdentity([], format: .pkcs12),
        ] {
            let probe = try await client(server).fetch(request(server, identity))
            #expect(probe.error?.code == .clientCertificateUnusable)
            #expect(probe.error?.message.contains(wrong) == false)
            #expect(probe.calls == [.finish])
        }
        await server.stop()
    }

    @Test func `nothing of an identity is printed`() {
        let identity = HTTPIdentity(Array("secret".utf8), format: .pem, passphrase: "sesame")
        var request = HTTPRequest(url: "https://a/")
        request.identity = identity
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(identity)", "\(request)", String(reflecting: request), dumped] {
            #expect(!text.contains("sesame"))
            #expect(!text.contains("115"))
            #expect(text.contains("HTTPIdentity"))
        }
    }

    // MARK: Handlers that decide

    private func fetch(
        _ client: HTTPClient,
        _ request: HTTPRequest,
        _ decision: HTTPIdentityDecision
    ) async throws -> ExchangeProbe {
        let probe = ExchangeProbe()
        probe.onCertificateRequest = { _ in decision }
        client.start(request, handler: probe)
        try await probe.finished()
        return probe
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `a server's request for a certificate comes with the authorities that it trusts`(
        version: String
    ) async throws {
        let server = try await TLSServer.start(
            .good,
            options: "\(version) -verify 1 -CAfile ca.pem"
        )
        let client = try HTTPClient.local { $0.certificateAuthorityFile = server.authorityFile }
        var request = HTTPRequest(url: server.url)
        request.asksForIdentity = true
        let undecided = try await fetch(client, request, .ask)
        #expect(undecided.error?.code == .clientCertificateUndecided)
        #expect(undecided.calls == [.finish])
        let certificateRequest = try #require(undecided.certificateRequests.first)
        #expect(undecided.certificateRequests.count == 1)
        #expect(certificateRequest.host == "127.0.0.1")
        // A distinguished name with one part, CN (2.5.4.3), whose text is "Authority".
        #expect(certificateRequest.issuers.count == 1)
        #expect(certificateRequest.issuers.first?.starts(with: [0x30]) == true)
        let text = String(decoding: certificateRequest.issuers.first ?? [], as: UTF8.self)
        #expect(text.hasSuffix("Authority"))

        let without = try await fetch(client, request, .goOnWithout)
        #expect(without.error == nil)
        #expect(without.certificateRequests.count == 1)
        #expect(without.text.contains("no client certificate available"))

        request.identity = Self.pem(try await server.makeIdentity("Lulu"))
        let with = try await fetch(client, request, .ask)
        #expect(with.error == nil)
        #expect(with.certificateRequests.isEmpty)
        #expect(with.text.contains("Subject: CN=Lulu"))
    }

    @Test func `who is not asked goes on without an identity`() async throws {
        let server = try await server()
        let probe = try await fetch(client(server), request(server), .ask)
        #expect(probe.error == nil)
        #expect(probe.certificateRequests.isEmpty)
        #expect(probe.text.hasPrefix(" by "))
        await server.stop()
    }

    @Test func `a server that requests no certificate asks nobody`() async throws {
        let server = try await TLSServer.start(.good)
        let client = try HTTPClient.local { $0.certificateAuthorityFile = server.authorityFile }
        var request = HTTPRequest(url: server.url)
        request.asksForIdentity = true
        let probe = try await fetch(client, request, .ask)
        #expect(probe.error == nil)
        #expect(probe.certificateRequests.isEmpty)
    }

    @Test func `a connection that went on without one is used again without a question`()
        async throws
    {
        let server = try await server()
        let client = try client(server)
        let first = try await fetch(client, request(server, asking: true), .goOnWithout)
        #expect(first.certificateRequests.count == 1)
        let second = try await fetch(client, request(server, asking: true), .ask)
        #expect(second.certificateRequests.isEmpty)
        #expect(second.text == first.text)
        await server.stop()
    }

    @Test func `an exchange that is cancelled while it decides says nothing more`() async throws {
        let server = try await server()
        let client = try client(server)
        let probe = ExchangeProbe()
        let asked = AsyncValue<Void>()
        var exchange: HTTPExchange?
        probe.onCertificateRequest = { _ in
            exchange?.cancel()
            asked.set(())
            return .ask
        }
        exchange = client.start(request(server, asking: true), handler: probe)
        await asked.value
        let next = try await client.fetch(request(server))
        #expect(next.error == nil)
        #expect(probe.calls.isEmpty)
        await server.stop()
    }

    @Test func `trust comes before identity, and both may be asked for`() async throws {
        let server = try await server()
        let client = try HTTPClient.local()
        var request = request(server, asking: true)
        request.asksForTrust = true
        for (trust, code) in [
            (HTTPTrustDecision.ask, HTTPError.Code.serverTrustUndecided),
            (.followVerdict, .serverCertificateUntrusted), (.accept, .clientCertificateUndecided),
        ] {
            let probe = ExchangeProbe()
            probe.onTrust = { _ in trust }
            probe.onCertificateRequest = { _ in .ask }
            client.start(request, handler: probe)
            try await probe.finished()
            #expect(probe.error?.code == code)
            #expect(probe.certificateRequests.count == (trust == .accept ? 1 : 0))
        }
        await server.stop()
    }

    // MARK: Servers that insist

    @Test func `a handshake that fails for another reason is none of the certificate's`()
        async throws
    {
        // No client has this group, so that there is no cipher in common.
        let server = try await TLSServer.start(
            .good,
            options: "-tls1_2 -cipher kECDHE -named_curve brainpoolP512r1"
        )
        let client = try HTTPClient.local { $0.certificateAuthorityFile = server.authorityFile }
        var request = HTTPRequest(url: server.url)
        request.asksForIdentity = true
        let probe = try await fetch(client, request, .goOnWithout)
        #expect(probe.error?.code == .secureConnectionFailed)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `a server that insists on a certificate is understood`(version: String) async throws {
        let server = try await TLSServer.start(
            .good,
            options: "\(version) -Verify 1 -CAfile ca.pem -verify_return_error"
        )
        let client = try HTTPClient.local { $0.certificateAuthorityFile = server.authorityFile }
        var request = HTTPRequest(url: server.url)
        request.asksForIdentity = true
        let without = try await fetch(client, request, .goOnWithout)
        #expect(without.error?.code == .clientCertificateRejected)
        // Another authority's.
        let other = try await TLSServer.start(.good)
        request.identity = Self.pem(try await other.makeIdentity("Stranger"))
        let stranger = try await fetch(client, request, .ask)
        #expect(stranger.error?.code == .clientCertificateRejected)
        request.identity = Self.pem(try await server.makeIdentity("Lulu"))
        let known = try await fetch(client, request, .ask)
        #expect(known.error == nil)
        #expect(known.text.contains("Subject: CN=Lulu"))
    }
}
