import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// What tests of transfers rely on in their server.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct FixtureServerTests {
    let server: FixtureServer
    let client: HTTPClient
    let content = FixtureContent.seeded(1, byteCount: 1000)

    init() throws {
        server = try FixtureServer()
        client = try .local()
    }

    private func get(
        _ path: String,
        _ fields: KeyValuePairs<String, String>
    ) async throws
        -> ExchangeProbe
    {
        let fields = fields.map { HTTPField(name: $0.key, value: $0.value) }
        return try await client.fetch(HTTPRequest(url: server.url(path), fields: fields))
    }

    @Test(arguments: [
        ("bytes=0-", 0..<1000, "bytes 0-999/1000"),
        ("bytes=990-", 990..<1000, "bytes 990-999/1000"),
        ("bytes=5-9", 5..<10, "bytes 5-9/1000"), ("bytes=5-5000", 5..<1000, "bytes 5-999/1000"),
        ("bytes=-10", 990..<1000, "bytes 990-999/1000"),
    ])
    func `a range is served`(range: String, part: Range<Int64>, contentRange: String) async throws {
        server.on("/file", .file(FixtureFile(content)))
        let probe = try await get("/file", ["Range": range])
        #expect(try probe.head.status == 206)
        #expect(try probe.head.fields.first(named: "Content-Range") == contentRange)
        #expect(content.firstDifference(from: probe.bytes, in: part) == nil)
        #expect(server.requests.map(\.range) == [range])
    }

    @Test func `a range beyond the end cannot be satisfied`() async throws {
        server.on("/file", .file(FixtureFile(content)))
        let probe = try await get("/file", ["Range": "bytes=1000-"])
        #expect(try probe.head.status == 416)
        #expect(try probe.head.fields.first(named: "Content-Range") == "bytes */1000")
        #expect(probe.bytes.isEmpty)
    }

    @Test(arguments: [
        ("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200),
        ("Mon, 02 Nov 2026 08:00:00 GMT", 206), ("Mon, 02 Nov 2026 08:00:01 GMT", 200),
    ])
    func `a range is served if the validator matches`(validator: String, status: Int) async throws {
        server.on("/file", .file(FixtureFile(content)))
        let probe = try await get("/file", ["Range": "bytes=10-", "If-Range": validator])
        #expect(try probe.head.status == status)
        let part: Range<Int64> = (status == 206 ? 10 : 0)..<1000
        #expect(content.firstDifference(from: probe.bytes, in: part) == nil)
    }

    @Test func `ranges can be ignored and misreported`() async throws {
        server.on("/ignored", .file(FixtureFile(content, ranges: .ignored)))
        let ignored = try await get("/ignored", ["Range": "bytes=10-"])
        #expect(try ignored.head.status == 200)
        #expect(try ignored.head.fields.first(named: "Accept-Ranges") == nil)
        let lie = FixtureFile(content, ranges: .misreported(contentRange: "bytes 0-9/10"))
        server.on("/lie", .file(lie))
        let misreported = try await get("/lie", ["Range": "bytes=10-"])
        #expect(try misreported.head.status == 206)
        #expect(try misreported.head.fields.first(named: "Content-Range") == "bytes 0-9/10")
    }

    @Test func `answers come in their order and the last one repeats`() async throws {
        server.on("/list", .status(500), .retryLater(after: "7"), .content(.text("x")))
        var statuses: [Int] = []
        for _ in 0..<4 {
            statuses.append(try await get("/list", [:]).head.status)
        }
        #expect(statuses == [500, 503, 200, 200])
        #expect(try await get("/unknown", [:]).head.status == 404)
    }

    @Test func `a fault counts the bytes of its own answer, also within a range`() async throws {
        server.on("/file", .file(FixtureFile(content)).dropping(after: 100))
        let probe = try await get("/file", ["Range": "bytes=500-"])
        #expect(probe.error?.code == .bodyTooShort)
        #expect(content.firstDifference(from: probe.bytes, in: 500..<600) == nil)
        try await server.waitUntil { $0.requests.first?.state == .dropped }
        #expect(server.requests.map(\.sentBodyByteCount) == [100])
    }

    @Test func `a stopped server accepts no connection and ends those that are open`() async throws
    {
        let gate = FixtureGate()
        server.on("/stall", .content(content).stalling(after: 10, at: gate))
        let probe = ExchangeProbe()
        client.start(HTTPRequest(url: server.url("/stall")), handler: probe)
        try await server.waitUntil { $0.requests.first?.state == .stalled }
        try await server.stop()
        try await probe.finished()
        #expect(probe.error != nil)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func `a connection that its client has closed is not among the most at one time`()
        async throws
    {
        let gate = FixtureGate()
        // Its thread waits for nothing else, whatever becomes of this test.
        defer { gate.open() }
        server.on("/busy") { _ in
            gate.wait()
            return .content(.text("too late"))
        }
        server.on("/other", .content(.text("x")))
        let exchange = client.start(
            HTTPRequest(url: server.url("/busy")),
            handler: ExchangeProbe()
        )
        try await server.waitUntil { $0.requests.count == 1 }
        exchange.cancel()
        _ = try await get("/other", [:])
        // The first one's thread has not looked.
        #expect(server.history.openConnectionCount == 2)
        #expect(server.history.maximumOpenConnectionCount == 1)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 500]) func `a part of a seeded content is a part of the whole`(
        start: Int64
    ) {
        let whole = content.bytes
        let part = content.bytes(in: start..<min(1000, start + 300))
        #expect(part == Array(whole[Int(start)..<min(1000, Int(start) + 300)]))
        #expect(whole != FixtureContent.seeded(2, byteCount: 1000).bytes)
    }
}
