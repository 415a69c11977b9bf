import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientTests {
    let server: FixtureServer
    let client: HTTPClient

    init() throws {
        server = try FixtureServer()
        client = try .local()
    }

    @Test func `a body of 8 MiB arrives byte for byte`() async throws {
        let content = FixtureContent.seeded(1, byteCount: 8 << 20)
        server.on("/file", .file(FixtureFile(content)))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/file")))
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .bytes, .finish])
        #expect(content.firstDifference(from: probe.bytes) == nil)
        let head = try probe.head
        #expect(head.status == 200)
        #expect(head.version == "HTTP/1.1")
        #expect(head.url == server.url("/file"))
        #expect(head.fields.first(named: "etag") == "\"v1\"")
        #expect(head.fields.first(named: "CONTENT-LENGTH") == "8388608")
    }

    @Test(arguments: [1, 4096, 70_000])
    func `a chunked body arrives byte for byte, without its trailers`(chunk: Int) async throws {
        let content = FixtureContent.seeded(2, byteCount: chunk == 1 ? 100 : 300_000)
        server.on(
            "/chunks",
            .content(content).chunked(byteCount: chunk, trailers: [("X-Sum", "1"), ("ETag", "x")])
        )
        let probe = try await client.fetch(HTTPRequest(url: server.url("/chunks")))
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
        #expect(probe.calls == [.head, .bytes, .finish])
        #expect(try probe.head.fields.first(named: "X-Sum") == nil)
    }

    @Test func `a body that ends with the connection is complete`() async throws {
        let content = FixtureContent.seeded(3, byteCount: 100_000)
        server.on("/old", .content(content).untilClose())
        let probe = try await client.fetch(HTTPRequest(url: server.url("/old")))
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `interim responses are reported for themselves`() async throws {
        server.on(
            "/early",
            .content(.text("late"))
                .after(interim: 100)
                .after(interim: 103, fields: [("Link", "</style.css>")])
        )
        let probe = try await client.fetch(HTTPRequest(url: server.url("/early")))
        #expect(probe.error == nil)
        let head = try probe.head
        #expect(head.status == 200)
        #expect(head.fields.first(named: "Link") == nil)
        #expect(probe.text == "late")
        #expect(probe.informationalHeads.map(\.status) == [100, 103])
        #expect(probe.informationalHeads.last?.fields.first(named: "Link") == "</style.css>")
    }

    @Test func `a header that arrives byte by byte is read as one`() async throws {
        let head = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nX-Empty:\r\nSet-Cookie: b=2\r\n"
        let script = (head + "Content-Length: 2\r\n\r\nok").utf8.map { FixtureStep.send([$0]) }
        server.on("/split", .script(script))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/split")))
        #expect(probe.error == nil)
        #expect(probe.text == "ok")
        let fields = try probe.head.fields
        #expect(fields.map(\.name) == ["Set-Cookie", "X-Empty", "Set-Cookie", "Content-Length"])
        #expect(fields.values(named: "set-cookie") == ["a=1", "b=2"])
        #expect(fields.first(named: "X-Empty") == "")
    }

    @Test func `an empty body has no bytes to report`() async throws {
        server.on("/empty", .content(.empty))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/empty")))
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .finish])
    }

    @Test(arguments: [204, 304, 404, 500, 503])
    func `a status is no error`(status: Int) async throws {
        server.on("/status", .status(status, body: status < 400 ? "" : "Sorry"))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/status")))
        #expect(probe.error == nil)
        #expect(try probe.head.status == status)
        #expect(probe.text == (status < 400 ? "" : "Sorry"))
    }

    @Test func `a redirect is a response as any other`() async throws {
        server.on("/here", .redirect(to: server.url("/there")))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/here")))
        #expect(try probe.head.status == 302)
        #expect(try probe.head.fields.first(named: "Location") == server.url("/there"))
        #expect(server.requests.count == 1)
    }

    @Test func `HEAD has a length and no body`() async throws {
        server.on("/file", .file(FixtureFile(.seeded(4, byteCount: 12_345))))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/file"), method: "HEAD"))
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .finish])
        #expect(try probe.head.fields.first(named: "Content-Length") == "12345")
        #expect(server.requests.map(\.method) == ["HEAD"])
    }

    @Test(arguments: [("POST", 3 << 20), ("PUT", 10), ("PATCH", 0), ("DELETE", 5), ("GET", 7)])
    func `a request's body arrives byte for byte`(method: String, byteCount: Int64) async throws {
        let body = FixtureContent.seeded(5, byteCount: byteCount).bytes
        server.on("/post", .status(200))
        let probe = try await client.fetch(
            HTTPRequest(url: server.url("/post"), method: method, body: body)
        )
        #expect(probe.error == nil)
        let request = try #require(server.requests.first)
        #expect(request.method == method)
        #expect(request.body == body)
        #expect(request["Content-Length"] == String(byteCount))
        #expect(request["Expect"] == nil)
    }

    @Test(
        arguments: [
            ("POST", "x", "application/x-www-form-urlencoded"), ("POST", "", nil),
            ("PUT", "x", nil),
        ] as [(String, String, String?)]
    )
    func `DL-6: only a POST is taken for a form`(
        method: String,
        body: String,
        expected: String?
    ) async throws {
        server.on("/form", .status(200))
        _ = try await client.fetch(
            HTTPRequest(url: server.url("/form"), method: method, body: Array(body.utf8))
        )
        #expect(server.requests.map { $0["Content-Type"] } == [expected])
    }

    @Test(
        arguments: [("POST", "0"), ("PUT", "0"), ("PATCH", "0"), ("GET", nil), ("DELETE", nil)]
    )
    func `a request without a body says so where a body is usual`(
        method: String,
        length: String?
    ) async throws {
        server.on("/none", .status(200))
        _ = try await client.fetch(HTTPRequest(url: server.url("/none"), method: method))
        #expect(server.requests.map { $0["Content-Length"] } == [length])
        #expect(server.requests.map(\.method) == [method])
    }

    @Test func `a request's fields arrive as given and in place of the usual ones`() async throws {
        server.on("/fields", .status(200))
        _ = try await client.fetch(
            HTTPRequest(
                url: server.url("/fields"),
                fields: [
                    HTTPField(name: "X-One", value: "1"),
                    HTTPField(name: "x-one", value: "Grüße"),
                    HTTPField(name: "X-Empty", value: ""),
                    HTTPField(name: "User-Agent", value: "Half Tunes"),
                    HTTPField(name: "Accept", value: "application/json"),
                    HTTPField(name: "Content-Length", value: "99"),
                    HTTPField(name: "Transfer-Encoding", value: "chunked"),
                ]
            )
        )
        let request = try #require(server.requests.first)
        let fields = request.fields.filter { $0.name.lowercased() == "x-one" }
        #expect(fields.map(\.value) == ["1", "Grüße"])
        #expect(request["X-Empty"] == "")
        #expect(request["User-Agent"] == "Half Tunes")
        #expect(request["Accept"] == "application/json")
        #expect(request["Content-Length"] == nil)
        #expect(request["Transfer-Encoding"] == nil)
        #expect(request["Accept-Encoding"] == "identity")
    }

    @Test func `a URL is requested as it stands`() async throws {
        let target = "/a/../b/./c%2F?q=%C3%BC&x=1;2"
        server.on("/a/../b/./c%2F", .status(200))
        _ = try await client.fetch(HTTPRequest(url: server.url(target) + "#part"))
        #expect(server.requests.map(\.target) == [target])
    }

    @Test(arguments: ["gzip", "gzip, deflate"])
    func `a coding that was asked for is undone`(accepted: String) async throws {
        let content = FixtureContent.seeded(6, byteCount: 200_000)
        server.on("/gzip", .gzip(content))
        let fields = [HTTPField(name: "Accept-Encoding", value: accepted)]
        let probe = try await client.fetch(HTTPRequest(url: server.url("/gzip"), fields: fields))
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
        #expect(try probe.head.fields.first(named: "Content-Encoding") == "gzip")
        #expect(server.requests.map { $0["Accept-Encoding"] } == [accepted])
    }

    @Test func `requests one after the other share a connection`() async throws {
        let content = FixtureContent.seeded(7, byteCount: 5000)
        server.on("/file", .file(FixtureFile(content)))
        for _ in 0..<5 {
            let probe = try await client.fetch(HTTPRequest(url: server.url("/file")))
            #expect(content.firstDifference(from: probe.bytes) == nil)
        }
        #expect(server.requests.map(\.connection) == [0, 0, 0, 0, 0])
        #expect(server.history.connectionCount == 1)
    }

    @Test func `the address that answered is known with the head`() async throws {
        server.on("/file", .status(200))
        var address: String?
        let probe = ExchangeProbe()
        probe.onHead = { exchange, _ in
            address = exchange.remoteAddress
            return .deliver
        }
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.finished()
        #expect(address == "127.0.0.1")
    }
}
