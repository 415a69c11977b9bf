import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

/// HTTP/2 with a real nginx that answers before it has read a request, and leaves connections.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct HTTPClientHTTP2Tests {
    let home: TestHome

    init() throws {
        home = try TestHome()
    }

    private func server(_ lines: String = "") async throws -> Nginx {
        try await Nginx(
            in: home,
            authority: try await TestAuthority(in: home),
            lines: """
                location /ok { return 200 "ok"; }
                location /none { return 204; }
                location /busy { return 503 "busy"; }
                location /away { return 308 /target; }
                \(lines)
                """
        )
    }

    private func client(_ server: Nginx) throws -> HTTPClient {
        try .local { $0.certificateAuthorityFile = server.authorityFile }
    }

    /// Sends requests, some at once, and returns the statuses, or the messages of errors, and how often there was each.
    private func outcomes(
        _ count: Int,
        atOnce: Int = 8,
        _ client: HTTPClient,
        _ request: HTTPRequest
    ) async throws -> [String: Int] {
        var outcomes: [String: Int] = [:]
        var probes: [ExchangeProbe] = []
        func start() {
            let probe = ExchangeProbe()
            client.start(request, handler: probe)
            probes.append(probe)
        }
        for _ in 0..<min(atOnce, count) { start() }
        for index in 0..<count {
            let probe = probes[index]
            try await probe.finished()
            let status = probe.heads.last.map { "\($0.status)" } ?? "none"
            outcomes[probe.error.map { "\($0)" } ?? status, default: 0] += 1
            if probes.count < count { start() }
        }
        return outcomes
    }

    private func request(
        _ server: Nginx,
        _ path: String,
        _ method: String,
        byteCount: Int
    ) -> HTTPRequest {
        HTTPRequest(
            url: server.url(path, by: .secure),
            method: method,
            body: byteCount > 0 ? [UInt8](repeating: 7, count: byteCount) : nil,
            idleTimeout: .seconds(20),
            protocolChoice: .http2
        )
    }

    // MARK: Answers before the body is read

    @Test(
        arguments: [("ok", 200), ("none", 204), ("busy", 503), ("away", 308)],
        [5, 8192, 70_000, 100_000, 300_000]
    )
    func `HTTP-1: an answer before the body is read is the answer`(
        page: (path: String, status: Int),
        byteCount: Int
    ) async throws {
        let server = try await server()
        let client = try client(server)
        for method in ["POST", "PUT"] {
            let outcomes = try await outcomes(
                16,
                client,
                request(server, page.path, method, byteCount: byteCount)
            )
            #expect(outcomes == ["\(page.status)": 16])
        }
        let versions = Set(await server.requests(count: 32).map(\.version))
        #expect(versions == ["HTTP/1.1"])
        await server.stop()
    }

    @Test func `HTTP-1: a body of unknown length gets its answer, by HTTP/1.1`() async throws {
        let server = try await server()
        let client = try client(server)
        let body = ScriptedBodySource()
        body.add("some")
        body.end()
        var request = request(server, "ok", "POST", byteCount: 0)
        request.body = nil
        let probe = try await client.fetch(request, body: body)
        #expect(probe.error == nil)
        #expect(probe.text == "ok")
        #expect(await server.requests(count: 1).map(\.version) == ["HTTP/1.1"])
        await server.stop()
    }

    @Test(arguments: [(300, 5), (50, 300_000)])
    func `HTTP-1: no answer is lost with 8 in flight`(count: Int, byteCount: Int) async throws {
        let server = try await server()
        let outcomes = try await outcomes(
            count,
            try client(server),
            request(server, "ok", "POST", byteCount: byteCount)
        )
        #expect(outcomes == ["200": count])
        await server.stop()
    }

    // MARK: Servers without HTTP/1.1

    @Test func `HTTP-1: a server that speaks HTTP/2 alone gets every request by that`() async throws
    {
        let socket = home.path + "/http2"
        let server = try await server("listen unix:\(socket) http2;")
        let authority = try #require(server.authority)
        let only = try await HTTP2OnlyServer(in: home, authority: authority, to: socket)
        let client = try client(server)
        for (path, method, count) in [
            ("/post", "POST", 100_000), ("/post", "POST", 5), ("/post", "PUT", 300_000),
            ("/ok", "GET", 0), ("/away", "POST", 0),
        ] {
            for choice in [HTTPRequest.ProtocolChoice.http1, .http2] {
                let request = HTTPRequest(
                    url: only.url(path),
                    method: method,
                    body: count > 0 ? [UInt8](repeating: 7, count: count) : nil,
                    idleTimeout: .seconds(20),
                    protocolChoice: choice
                )
                let probe = try await client.fetch(request)
                #expect(probe.error == nil)
                #expect(try probe.head.version == "HTTP/2")
                #expect(try probe.head.status == (path == "/away" ? 308 : 200))
            }
        }
        await server.stop()
    }

    // MARK: Connections that a server leaves

    @Test(arguments: ["GET", "POST", "PATCH", "PUT", "DELETE"], ["ok", "post"])
    func `HTTP-2: what was sent while the server left is sent again`(
        method: String,
        path: String
    ) async throws {
        let server = try await server("keepalive_requests 20;")
        let outcomes = try await outcomes(
            300,
            try client(server),
            request(server, path, method, byteCount: 0)
        )
        #expect(outcomes == ["200": 300])
        // None of them has reached the server twice.
        #expect(await server.requests(count: 300).count == 300)
        await server.stop()
    }
}
