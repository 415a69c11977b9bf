import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// Bodies that are not as long as was announced.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientBodyLengthTests {
    private func fetch(
        _ body: ScriptedBodySource,
        from server: FixtureServer
    ) async throws -> ExchangeProbe {
        // Without a limit, so that waiting for one would not pass for an error.
        let request = HTTPRequest(url: server.url("/in"), method: "POST", idleTimeout: .zero)
        return try await HTTPClient.local().fetch(request, body: body)
    }

    @Test(arguments: [(5, "", 0), (5, "four", 4), (70_000, "some", 4), (1, "", 0)])
    func `HTTP-3: a body that ends early fails at once`(
        announced: Int64,
        text: String,
        sent: Int
    ) async throws {
        let server = try FixtureServer()
        server.on("/in", .status(200))
        let body = ScriptedBodySource(byteCount: announced)
        if !text.isEmpty { body.add(text) }
        body.end()
        let probe = try await fetch(body, from: server)
        #expect(probe.error?.code == .bodyUnreadable)
        #expect(probe.error?.message.contains("\(sent) of \(announced) bytes") == true)
        #expect(probe.heads.isEmpty)
        #expect(server.requests.isEmpty)
    }

    @Test func `HTTP-3: no request goes out for a body of 0 bytes that has some`() async throws {
        let server = try FixtureServer()
        server.on("/in", .status(200))
        let body = ScriptedBodySource(byteCount: 0)
        LoopActor.perform { body.add("x") }
        let probe = try await fetch(body, from: server)
        #expect(probe.error?.code == .bodyUnreadable)
        let client = try HTTPClient.local()
        _ = try await client.fetch(HTTPRequest(url: server.url("/in")))
        #expect(server.requests.map(\.method) == ["GET"])
    }

    @Test func `HTTP-3: a body of 0 bytes that has none is sent`() async throws {
        let server = try FixtureServer()
        server.on("/in", .status(200))
        let body = ScriptedBodySource(byteCount: 0)
        LoopActor.perform { body.end() }
        let probe = try await fetch(body, from: server)
        #expect(probe.error == nil)
        #expect(server.requests.map { $0["Content-Length"] } == ["0"])
    }

    @Test func `HTTP-3: an exchange that is cancelled while its body is looked at sends nothing`()
        async throws
    {
        let server = try FixtureServer()
        server.on("/in", .status(200))
        let body = ScriptedBodySource(byteCount: 0)
        let probe = ExchangeProbe()
        let client = try HTTPClient.local()
        let exchange = client.start(
            HTTPRequest(url: server.url("/in"), method: "POST"),
            body: body,
            handler: probe
        )
        exchange.cancel()
        body.end()
        _ = try await client.fetch(HTTPRequest(url: server.url("/in")))
        #expect(server.requests.map(\.method) == ["GET"])
        #expect(probe.calls.isEmpty)
    }
}
