import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct HTTPClientMultiplexTests {
    let home: TestHome

    init() throws {
        home = try TestHome()
    }

    /// A server that tells by which connection it was asked, and sends files slowly.
    private func server(streams: Int = 128) async throws -> Nginx {
        try await Nginx(
            in: home,
            authority: try await TestAuthority(in: home),
            bytesPerSecond: 1000,
            lines: """
                http2_max_concurrent_streams \(streams);
                location /which { return 200 "$connection"; }
                """
        )
    }

    private func client(_ server: Nginx, perHost: Int = 6) throws -> HTTPClient {
        try .local {
            $0.certificateAuthorityFile = server.authorityFile
            $0.maximumConnectionsPerHost = perHost
        }
    }

    @Test func `requests by HTTP/2 share a connection, and say so`() async throws {
        let server = try await server()
        let client = try client(server)
        var connections: Set<String> = []
        for index in 0..<5 {
            let probe = ExchangeProbe()
            let exchange = client.start(
                HTTPRequest(url: server.url("which", by: .secure), protocolChoice: .http2),
                handler: probe
            )
            try await probe.finished()
            #expect(probe.error == nil)
            connections.insert(probe.text)
            #expect(try probe.head.version == "HTTP/2")
            #expect(exchange.metrics.version == "HTTP/2")
            #expect(exchange.metrics.isReusedConnection == (index > 0))
        }
        #expect(connections.count == 1)
        await server.stop()
    }

    @Test func `a request by HTTP/1.1 has HTTP/1.1, though the server knows more`() async throws {
        let server = try await server()
        let probe = ExchangeProbe()
        let client = try client(server)
        let exchange = client.start(
            HTTPRequest(url: server.url("which", by: .secure)),
            handler: probe
        )
        try await probe.finished()
        #expect(try probe.head.version == "HTTP/1.1")
        #expect(exchange.metrics.version == "HTTP/1.1")
        await server.stop()
    }

    /// Starts requests for a slow file, and returns when all have their heads.
    private func heads(
        _ count: Int,
        _ client: HTTPClient,
        _ server: Nginx
    ) async throws -> [HTTPExchange] {
        try server.addFile("slow", byteCount: 100_000)
        let probes = (0..<count).map { _ in ExchangeProbe() }
        let exchanges = probes.map {
            client.start(
                HTTPRequest(url: server.url("slow", by: .secure), protocolChoice: .http2),
                handler: $0
            )
        }
        for probe in probes {
            try await probe.waitUntil { !probe.heads.isEmpty || probe.error != nil }
            #expect(probe.error == nil)
        }
        return exchanges
    }

    private func connectionCount(_ exchanges: [HTTPExchange]) -> Int {
        Set(exchanges.compactMap(\.metrics.connection)).count
    }

    @Test(arguments: [1, 6])
    func `a limit of connections is none of requests by HTTP/2`(perHost: Int) async throws {
        let server = try await server()
        let client = try client(server, perHost: perHost)
        // More at once would be a question of time: until the server has told its limit libcurl takes it
        // for 100, and makes connections for those beyond. An answer comes after the limit (RFC 9113 §3.4).
        let first = try await heads(100, client, server)
        let exchanges = first + (try await heads(20, client, server))
        #expect(connectionCount(exchanges) == 1)
        #expect(exchanges.filter { !$0.metrics.isReusedConnection }.count == 1)
        for exchange in exchanges { exchange.cancel() }
        await server.stop()
    }

    @Test func `a server's limit of requests per connection makes for more connections`()
        async throws
    {
        let server = try await server(streams: 5)
        let exchanges = try await heads(20, client(server), server)
        let count = connectionCount(exchanges)
        #expect(count >= 4 && count <= 6)
        for exchange in exchanges { exchange.cancel() }
        await server.stop()
    }

    @Test func `what exceeds both limits waits its turn`() async throws {
        // Requests that leave before the server has told its limit are refused, and sent again by
        // another connection; that is libcurl's own affair.
        let server = try await server(streams: 5)
        let client = try client(server, perHost: 1)
        let probes = (0..<50).map { _ in ExchangeProbe() }
        for probe in probes {
            client.start(
                HTTPRequest(url: server.url("which", by: .secure), protocolChoice: .http2),
                handler: probe
            )
        }
        for probe in probes {
            try await probe.finished()
            #expect(probe.error == nil)
        }
        await server.stop()
    }
}
