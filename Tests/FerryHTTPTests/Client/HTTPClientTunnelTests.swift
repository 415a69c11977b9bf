import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct HTTPClientTunnelTests {
    let proxy: FixtureServer
    let home: TestHome

    init() throws {
        proxy = try FixtureServer()
        home = try TestHome()
    }

    private static let url = "https://somewhere.invalid/file"
    private static let secret = [HTTPField(name: "proxy-authorization", value: "Basic c2VjcmV0")]

    private func client(_ authorityFile: String? = nil) throws -> HTTPClient {
        try .local {
            $0.certificateAuthorityFile = authorityFile
            $0.proxies = HTTPProxyList(https: HTTPProxy(host: "127.0.0.1", port: proxy.port))
        }
    }

    private func answer(_ text: String) {
        proxy.on("somewhere.invalid:443", .script([.text(text), .close]))
    }

    /// A server that tells what it was sent for proxies, and by which connection.
    private func server() async throws -> Nginx {
        try await Nginx(
            in: home,
            authority: try await TestAuthority(in: home),
            lines: "location /what { return 200 \"[$http_proxy_authorization] $connection\"; }"
        )
    }

    private func openTunnel(to server: Nginx) {
        let steps: [FixtureStep] = [
            .text("HTTP/1.1 200 Go on\r\nSet-Cookie: a=b\r\n\r\n"),
            .tunnel(to: UInt16(server.port(.secure))),
        ]
        proxy.on("127.0.0.1:\(server.port(.secure))", .script(steps))
    }

    @Test(arguments: [HTTPRequest.ProtocolChoice.http1, .http2])
    func `what is for a proxy goes with CONNECT, and not through the tunnel`(
        choice: HTTPRequest.ProtocolChoice
    ) async throws {
        let server = try await server()
        openTunnel(to: server)
        let client = try client(server.authorityFile)
        let request = HTTPRequest(
            url: server.url("what", by: .secure),
            fields: Self.secret + [HTTPField(name: "Authorization", value: "Bearer own")],
            protocolChoice: choice
        )
        let probe = try await client.fetch(request)
        #expect(probe.error == nil)
        #expect(probe.text.hasPrefix("[] "))
        #expect(try probe.head.status == 200)
        #expect(try probe.head.fields.first(named: "Set-Cookie") == nil)
        #expect(probe.informationalHeads.isEmpty)
        let connect = try #require(proxy.requests.first)
        #expect(connect.method == "CONNECT")
        #expect(connect["Proxy-Authorization"] == "Basic c2VjcmV0")
        #expect(connect["Authorization"] == nil)
        // The tunnel is kept.
        let second = try await client.fetch(request)
        #expect(second.text == probe.text)
        #expect(proxy.requests.count == 1)
        await server.stop()
    }

    @Test func `a server that is reached directly gets nothing that is for proxies`() async throws {
        let server = try await server()
        let client = try HTTPClient.local { $0.certificateAuthorityFile = server.authorityFile }
        let probe = try await client.fetch(
            HTTPRequest(url: server.url("what", by: .secure), fields: Self.secret)
        )
        #expect(probe.error == nil)
        #expect(probe.text.hasPrefix("[] "))
        await server.stop()
    }

    @Test(arguments: [
        "Content-Length: 5\r\n\r\nSorry", "Content-Length: 0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nSorry\r\n0\r\n\r\n",
        "Connection: close\r\n\r\nSorry",
    ])
    func `a proxy that wants to know who asks is heard, but for its page`(
        rest: String
    ) async throws {
        answer(
            "HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
                + "Set-Cookie: a=b\r\nProxy-Authenticate: Digest realm=\"y\"\r\n" + rest
        )
        let probe = ExchangeProbe()
        // REL-19: who is told may not take it for the server's response.
        var areRefusals: [Bool] = []
        probe.onHead = { exchange, _ in
            areRefusals.append(exchange.isTunnelRefusal)
            return .deliver
        }
        let client = try client()
        client.start(HTTPRequest(url: Self.url), handler: probe)
        try await probe.finished()
        #expect(areRefusals == [true])
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .finish])
        let head = try probe.head
        #expect(head.status == 407)
        #expect(head.url == Self.url)
        #expect(
            head.fields == [
                HTTPField(name: "Proxy-Authenticate", value: "Basic realm=\"x\""),
                HTTPField(name: "Proxy-Authenticate", value: "Digest realm=\"y\""),
            ]
        )
    }

    @Test func `a proxy's refusal is heard before its page has come`() async throws {
        let gate = FixtureGate()
        let refusal = "HTTP/1.1 407 Who?\r\nContent-Length: 5\r\n\r\n"
        proxy.on("somewhere.invalid:443", .script([.text(refusal), .wait(gate)]))
        let probe = try await client().fetch(HTTPRequest(url: Self.url))
        #expect(probe.error == nil)
        #expect(try probe.head.status == 407)
    }

    @Test func `a request that was refused by a proxy can be sent again`() async throws {
        let server = try await server()
        let target = "127.0.0.1:\(server.port(.secure))"
        let port = UInt16(server.port(.secure))
        proxy.on(target) { request in
            request["Proxy-Authorization"] == nil
                ? .status(407, fields: [("Proxy-Authenticate", "Basic realm=\"x\"")])
                : .script([.text("HTTP/1.1 200 Go on\r\n\r\n"), .tunnel(to: port)])
        }
        let client = try client(server.authorityFile)
        var request = HTTPRequest(url: server.url("what", by: .secure))
        #expect(try await client.fetch(request).head.status == 407)
        request.fields = Self.secret
        let probe = try await client.fetch(request)
        #expect(try probe.head.status == 200)
        #expect(probe.text.hasPrefix("[] "))
        await server.stop()
    }

    @Test func `a handler may end an exchange that a proxy has refused`() async throws {
        answer("HTTP/1.1 407 Who?\r\n\r\n")
        let probe = ExchangeProbe()
        probe.onHead = { _, _ in .cancel }
        let client = try client()
        client.start(HTTPRequest(url: Self.url), handler: probe)
        try await probe.finished()
        #expect(probe.error?.code == .aborted)
        #expect(probe.calls == [.head, .finish])
    }

    @Test(arguments: [301, 401, 403, 404, 500, 502])
    func `no other answer of a proxy passes for the server's`(status: Int) async throws {
        answer(
            "HTTP/1.1 \(status) No\r\nLocation: https://evil.invalid/\r\n"
                + "WWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 4\r\n\r\nevil"
        )
        let probe = try await client().fetch(HTTPRequest(url: Self.url))
        #expect(probe.error?.code == .cannotConnectToHost)
        #expect(probe.error?.message.contains("\(status)") == true)
        #expect(probe.calls == [.finish])
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc\r\n\r\n"])
    func `a proxy that does not speak HTTP is refused`(text: String) async throws {
        answer(text)
        let probe = try await client().fetch(HTTPRequest(url: Self.url))
        #expect(probe.error?.code == .badServerResponse)
        #expect(probe.calls == [.finish])
    }

    @Test func `a proxy's header has a limit, too`() async throws {
        proxy.on("somewhere.invalid:443", .endlessHeader)
        let probe = try await client().fetch(HTTPRequest(url: Self.url))
        #expect(probe.error?.code == .headersTooLarge)
        #expect(probe.calls == [.finish])
    }

    @Test func `a proxy that hangs up has lost the connection`() async throws {
        answer("HTTP/1.1 200")
        let probe = try await client().fetch(HTTPRequest(url: Self.url))
        #expect(probe.error?.code == .connectionLost)
    }

    @Test func `a proxy that says nothing is waited for as for a server`() async throws {
        let gate = FixtureGate()
        proxy.on("somewhere.invalid:443", .script([.wait(gate)]))
        let probe = try await client().fetch(
            HTTPRequest(url: Self.url, idleTimeout: .milliseconds(50))
        )
        #expect(probe.error?.code == .timedOut)
    }

    @Test func `a WebSocket's tunnel is asked for with what is for a proxy, and refused clearly`()
        async throws
    {
        proxy.on("somewhere.invalid:80", .status(407))
        let list = HTTPProxyList(http: HTTPProxy(host: "127.0.0.1", port: proxy.port))
        let probe = WebSocketProbe(
            "ws://somewhere.invalid/chat",
            fields: Self.secret,
            proxies: list
        )
        probe.connection.start()
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("the connection has not failed")
            return
        }
        #expect(error.cause?.code == .cannotConnectToHost)
        #expect(proxy.requests.map { $0["Proxy-Authorization"] } == ["Basic c2VjcmV0"])
    }
}
