import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientFailureTests {
    let server: FixtureServer
    let client: HTTPClient

    init() throws {
        server = try FixtureServer()
        client = try .local()
    }

    // MARK: Broken responses

    @Test func `a body that ends early is too short, and its bytes are delivered`() async throws {
        let content = FixtureContent.seeded(1, byteCount: 1 << 20)
        server.on("/cut", .content(content).dropping(after: 300_000))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/cut")))
        #expect(probe.error?.code == .bodyTooShort)
        #expect(probe.error?.curlCode == 18)
        #expect(content.firstDifference(from: probe.bytes, in: 0..<300_000) == nil)
        #expect(probe.calls == [.head, .bytes, .finish])
    }

    @Test func `a chunked body without its last chunk is too short`() async throws {
        let content = FixtureContent.seeded(2, byteCount: 100_000)
        server.on("/cut", .content(content).chunked().dropping(after: 50_000))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/cut")))
        #expect(probe.error?.code == .bodyTooShort)
        #expect(content.firstDifference(from: probe.bytes, in: 0..<50_000) == nil)
    }

    @Test func `a length that promises too much is a body that is too short`() async throws {
        let content = FixtureContent.seeded(3, byteCount: 1000)
        server.on("/lie", .content(content).claiming(contentLength: 1001))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/lie")))
        #expect(probe.error?.code == .bodyTooShort)
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `a length that promises too little bounds the body`() async throws {
        let content = FixtureContent.seeded(4, byteCount: 1000)
        server.on("/lie", .content(content).claiming(contentLength: 999))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/lie")))
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes, in: 0..<999) == nil)
    }

    @Test func `a reset loses the connection, and what came before is a prefix`() async throws {
        let content = FixtureContent.seeded(5, byteCount: 1 << 20)
        server.on("/reset", .content(content).resetting(after: 500_000))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/reset")))
        #expect(probe.error?.code == .connectionLost)
        #expect(probe.bytes.count <= 500_000)
        #expect(content.firstDifference(from: probe.bytes, in: 0..<Int64(probe.bytes.count)) == nil)
    }

    @Test(arguments: [FixtureStep.close, .reset])
    func `a connection that ends without an answer is lost`(end: FixtureStep) async throws {
        server.on("/silent", .script([end]))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/silent")))
        #expect(probe.error?.code == .connectionLost)
        #expect(probe.calls == [.finish])
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello",
        "<html>", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ])
    func `an answer that is not HTTP is refused`(answer: String) async throws {
        server.on("/other", .script([.text(answer), .close]))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/other")))
        #expect(probe.error?.code == .badServerResponse)
        #expect(probe.bytes.isEmpty)
        #expect(probe.calls == [.finish])
    }

    @Test(arguments: [FixtureAnswer.endlessHeader, .endlessField, .endlessInterim])
    func `a header that never ends is refused`(answer: FixtureAnswer) async throws {
        server.on("/endless", answer)
        let probe = try await client.fetch(HTTPRequest(url: server.url("/endless")))
        #expect(probe.error?.code == .headersTooLarge)
        #expect(probe.calls == [.finish])
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
    }

    @Test func `trailers that never end are refused`() async throws {
        server.on(
            "/trailers",
            .script([
                .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
                .sendForever(Array("X-More: and more and more\r\n".utf8)),
            ])
        )
        let probe = try await client.fetch(HTTPRequest(url: server.url("/trailers")))
        #expect(probe.error?.code == .headersTooLarge)
    }

    @Test func `a header of the limit's size is accepted, one more byte is not`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Padding: "
        let padding = String(repeating: "x", count: 1000 - head.utf8.count - 4)
        server.on("/fits", .script([.text(head + padding + "\r\n\r\n")]))
        server.on("/exceeds", .script([.text(head + padding + "x\r\n\r\n")]))
        let client = try HTTPClient.local { $0.maximumHeaderBytes = 1000 }
        let fitting = try await client.fetch(HTTPRequest(url: server.url("/fits")))
        #expect(fitting.error == nil)
        let exceeding = try await client.fetch(HTTPRequest(url: server.url("/exceeds")))
        #expect(exceeding.error?.code == .headersTooLarge)
    }

    @Test(arguments: ["aws-chunked", "utf-8", "gzip, x-unknown"])
    func `a body with an unknown coding is delivered as it is`(coding: String) async throws {
        server.on(
            "/coded",
            .content(.text("as it is")).with(fields: [("Content-Encoding", coding)]),
            .content(.text("as it is")).with(fields: [("Content-Encoding", "gzip")])
        )
        let request = HTTPRequest(
            url: server.url("/coded"),
            fields: [HTTPField(name: "Accept-Encoding", value: "gzip")]
        )
        let probe = try await client.fetch(request)
        #expect(probe.error == nil)
        #expect(probe.text == "as it is")
        // The next request with the same handle is decoded again.
        let next = try await client.fetch(request)
        #expect(next.error?.code == .cannotDecodeContent)
    }

    @Test(arguments: ["gzip", "br"])
    func `a body whose coding is broken cannot be decoded`(coding: String) async throws {
        server.on(
            "/broken",
            .content(.text("this is none of it")).with(fields: [("Content-Encoding", coding)])
        )
        let fields = [HTTPField(name: "Accept-Encoding", value: coding)]
        let probe = try await client.fetch(HTTPRequest(url: server.url("/broken"), fields: fields))
        #expect(probe.error?.code == .cannotDecodeContent)
        #expect(probe.bytes.isEmpty)
    }

    @Test func `a body that unpacks without end does not keep the loop from others`() async throws {
        server.on("/zeros", .endlessGzip)
        server.on("/other", .content(.text("hello")))
        let fields = [HTTPField(name: "Accept-Encoding", value: "gzip")]
        let probe = ExchangeProbe()
        let exchange = client.start(
            HTTPRequest(url: server.url("/zeros"), fields: fields),
            handler: probe
        )
        try await probe.waitUntil { probe.bytes.count > 16 << 20 }
        let other = try await client.fetch(HTTPRequest(url: server.url("/other")))
        #expect(other.text == "hello")
        exchange.cancel()
        #expect(probe.calls == [.head, .bytes])
        #expect(probe.bytes.count < 256 << 20)
    }

    @Test func `a header that breaks off has lost its connection`() async throws {
        server.on("/broken", .script([.text("HTTP/1.1 200 OK\r\nContent-Le"), .close]))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/broken")))
        #expect(probe.error?.code == .connectionLost)
    }

    // MARK: No connection

    @Test func `a port that no process listens on cannot be connected to`() async throws {
        let port = try FixtureClosedPort()
        let probe = try await client.fetch(HTTPRequest(url: port.url("/")))
        #expect(probe.error?.code == .cannotConnectToHost)
        #expect(probe.error?.curlCode == 7)
        #expect(probe.calls == [.finish])
    }

    @Test func `an unknown host cannot be found`() async throws {
        // The name is reserved for this by RFC 2606.
        let probe = try await client.fetch(HTTPRequest(url: "http://nobody.invalid/"))
        #expect(probe.error?.code == .cannotFindHost)
        #expect(probe.calls == [.finish])
    }

    /// Sends a request on a kept connection, which ends when the server has read it.
    private func fetchOnDyingConnection(_ method: String) async throws -> ExchangeProbe {
        server.on("/first", .content(.text("1")).changing { $0.framing = .contentLength })
        server.on("/second", .script([.close]), .content(.text("2")))
        let first = try await client.fetch(HTTPRequest(url: server.url("/first")))
        #expect(first.error == nil)
        return try await client.fetch(
            HTTPRequest(url: server.url("/second"), method: method, body: Array("body".utf8))
        )
    }

    @Test func `a kept connection that has died is replaced without a word`() async throws {
        let second = try await fetchOnDyingConnection("PUT")
        #expect(second.error == nil)
        #expect(second.text == "2")
        #expect(server.requests.map(\.connection) == [0, 0, 1])
        let bodies = server.requests(to: "/second").map(\.body)
        #expect(bodies == [Array("body".utf8), Array("body".utf8)])
    }

    @Test(arguments: ["POST", "PATCH"])
    func `RFC 9110 §9.2.2: what a server may have carried out is not sent again`(
        method: String
    )
        async throws
    {
        let second = try await fetchOnDyingConnection(method)
        #expect(second.error?.code == .connectionLost)
        #expect(second.error?.message.contains("may have carried out") == true)
        #expect(server.requests(to: "/second").count == 1)
    }

    // MARK: Requests that cannot be sent

    @Test(arguments: [
        ("ftp://127.0.0.1/", HTTPError.Code.unsupportedURL),
        ("file:///etc/passwd", .unsupportedURL),
        ("gopher://127.0.0.1/", .unsupportedURL), ("//127.0.0.1/", .unsupportedURL),
        ("song.m4a", .unsupportedURL), ("", .unsupportedURL), ("http://", .badURL),
        ("http://127.0.0.1:99999/", .badURL), ("http://a b/", .badURL),
        ("http://127.0.0.1/a b", .badURL), ("http://127.0.0.1/\r\nX: y", .badURL),
        ("http://127.0.0.1/\0", .badURL), ("http://[::1/", .badURL),
    ])
    func `a URL that cannot be requested is refused, later`(
        url: String,
        code: HTTPError.Code
    ) async throws {
        let probe = ExchangeProbe()
        client.start(HTTPRequest(url: url), handler: probe)
        #expect(probe.calls == [])
        try await probe.finished()
        #expect(probe.error?.code == code)
        #expect(probe.calls == [.finish])
    }

    @Test(arguments: [
        HTTPRequest(url: "http://127.0.0.1/", method: ""),
        HTTPRequest(url: "http://127.0.0.1/", method: "GET /x HTTP/1.1\r\nX:"),
        HTTPRequest(url: "http://127.0.0.1/", fields: [HTTPField(name: "", value: "x")]),
        HTTPRequest(url: "http://127.0.0.1/", fields: [HTTPField(name: "A:b", value: "x")]),
        HTTPRequest(url: "http://127.0.0.1/", fields: [HTTPField(name: "A", value: "x\r\nB: y")]),
        HTTPRequest(url: "http://127.0.0.1/", fields: [HTTPField(name: "A", value: "x\0y")]),
    ])
    func `a request that would be read as another one is refused`(request: HTTPRequest) async throws
    {
        let probe = try await client.fetch(request)
        #expect(probe.error?.code == .invalidRequest)
        #expect(probe.calls == [.finish])
    }

    @Test func `a server without TLS cannot be talked to by https`() async throws {
        let probe = try await client.fetch(HTTPRequest(url: "https://127.0.0.1:\(server.port)/"))
        #expect(probe.error?.code == .secureConnectionFailed)
    }
}
