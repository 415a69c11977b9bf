import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientRobustnessTests {
    let server: FixtureServer
    let client: HTTPClient

    init() throws {
        server = try FixtureServer()
        client = try .local()
    }

    // MARK: Headers

    @Test func `a field's value needs no space before it, and may have many`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length:2\r\nX-A:b\r\nX-C: \t d \t\r\nX-E:f:g\r\n\r\n"
        server.on("/file", .script([.text(head + "ok")]))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/file")))
        #expect(probe.error == nil)
        #expect(probe.text == "ok")
        #expect(
            try probe.head.fields == [
                HTTPField(name: "Content-Length", value: "2"), HTTPField(name: "X-A", value: "b"),
                HTTPField(name: "X-C", value: "d"), HTTPField(name: "X-E", value: "f:g"),
            ]
        )
    }

    @Test(arguments: ["", "hello", "GET / HTTP/1.1\r\n\r\n", "\0\u{1}\u{2}", "HTTP", "HTTP/"])
    func `an answer of HTTP 0.9 is not taken for a body`(answer: String) async throws {
        server.on("/old", .script([.text(answer + "<p>no header</p>\r\n"), .close]))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/old")))
        #expect(probe.error?.code == .badServerResponse)
        #expect(probe.bytes.isEmpty)
        #expect(probe.calls == [.finish])
    }

    // MARK: IPv6

    @Test func `a host may be an address of IPv6`() async throws {
        let server = try FixtureServer(host: "::1")
        server.on("/file", .content(.text("six")))
        let probe = try await client.fetch(
            HTTPRequest(url: "http://[::1]:\(server.port)/file")
        )
        #expect(probe.error == nil)
        #expect(probe.text == "six")
        #expect(try probe.head.url == "http://[::1]:\(server.port)/file")
        #expect(server.requests.map { $0["Host"] } == ["[::1]:\(server.port)"])
        #expect(server.requests.map(\.target) == ["/file"])
    }

    @Test func `the address that answered has no brackets`() async throws {
        let server = try FixtureServer(host: "::1")
        server.on("/file", .status(200))
        let probe = ExchangeProbe()
        let exchange = client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.finished()
        #expect(exchange.remoteAddress == "::1")
        #expect(exchange.metrics.connection?.remote.address == "::1")
    }

    // MARK: HEAD

    @Test func `a response to HEAD is over with its head, whatever that announces`() async throws {
        let gate = FixtureGate()
        for field in ["Content-Length: 100", "Transfer-Encoding: chunked"] {
            let head = "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"
            server.on("/file", .script([.text(head), .wait(gate)]))
            // The server says nothing more on this connection.
            let probe = try await HTTPClient.local().fetch(
                HTTPRequest(url: server.url("/file"), method: "HEAD", idleTimeout: .zero)
            )
            #expect(probe.error == nil)
            #expect(probe.calls == [.head, .finish])
        }
    }

    @Test func `a body that a server sends to HEAD is nobody's`() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        server.on("/file", .script([.text(answer)]), .content(.text("next")))
        let probe = try await client.fetch(
            HTTPRequest(url: server.url("/file"), method: "HEAD")
        )
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .finish])
        let next = try await client.fetch(HTTPRequest(url: server.url("/file")))
        #expect(next.error == nil)
        #expect(next.text == "next")
    }

    @Test func `HEAD with a body of its own is over with the head, too`() async throws {
        server.on("/file", .content(.text("hello")))
        let probe = try await client.fetch(
            HTTPRequest(
                url: server.url("/file"),
                method: "HEAD",
                body: Array("question".utf8),
                idleTimeout: .zero
            )
        )
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .finish])
        #expect(try probe.head.fields.first(named: "Content-Length") == "5")
        #expect(server.requests.map(\.body) == [Array("question".utf8)])
        #expect(server.requests.map(\.method) == ["HEAD"])
    }

    // MARK: Codings

    @Test(arguments: FixtureCoding.allCases, [0, 1, 100, 300_000])
    func `a coding that was asked for is undone`(
        coding: FixtureCoding,
        byteCount: Int64
    ) async throws {
        let content = FixtureContent.seeded(6, byteCount: byteCount)
        server.on("/coded", .coded(content, by: coding))
        let fields = [HTTPField(name: "Accept-Encoding", value: coding.rawValue)]
        let probe = try await client.fetch(HTTPRequest(url: server.url("/coded"), fields: fields))
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
        #expect(try probe.head.fields.first(named: "Content-Encoding") == coding.rawValue)
        #expect(server.requests.map { $0["Accept-Encoding"] } == [coding.rawValue])
    }

    @Test func `codings that were put one around the other are undone in their order`()
        async throws
    {
        let content = FixtureContent.seeded(7, byteCount: 10_000)
        let bytes = FixtureCoding.br.encode(FixtureCoding.gzip.encode(content.bytes))
        server.on(
            "/coded",
            .content(.bytes(bytes)).with(fields: [("Content-Encoding", "gzip, br")])
        )
        let fields = [HTTPField(name: "Accept-Encoding", value: "gzip, deflate, br, zstd")]
        let probe = try await client.fetch(HTTPRequest(url: server.url("/coded"), fields: fields))
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }
}
