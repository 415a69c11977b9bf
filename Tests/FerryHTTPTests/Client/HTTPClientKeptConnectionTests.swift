import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// What arrives by a kept connection before the next request has left by it is no response to that.
@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct HTTPClientKeptConnectionTests {
    /// What a server sends behind its response.
    enum Surprise: String, CaseIterable, CustomTestStringConvertible {
        case secondResponse = "a second response"
        case lateTimeout = "a late 408 and the end"
        case garbage = "garbage"
        case end = "the end"

        var testDescription: String { rawValue }

        var steps: [FixtureStep] {
            switch self {
            case .secondResponse: [.text(response("200 OK", "wrong"))]
            case .lateTimeout: [.text(response("408 Request Timeout", "late")), .close]
            case .garbage: [.text("\r\nuninvited")]
            case .end: [.close]
            }
        }
    }

    /// How the server is reached.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case plain
        case tls12 = "TLS 1.2"
        case tls13 = "TLS 1.3"
        case proxy = "a proxy"
        case tunnel = "a proxy's tunnel"

        var testDescription: String { rawValue }
    }

    /// A server with what stands before it.
    @LoopActor struct Place {
        let server: FixtureServer
        let client: HTTPClient
        let origin: String
        /// The port that the client connects to.
        let port: UInt16
        /// Kept as long as they are needed.
        let rest: [AnyObject]
        /// How a server is told a path: a proxy is told the whole URL.
        let target: (String) -> String
    }

    nonisolated static func response(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let first = response("200 OK", "first")

    private func place(_ way: Way) async throws -> Place {
        let server = try FixtureServer()
        switch way {
        case .plain:
            let client = try HTTPClient.local()
            return Place(
                server: server,
                client: client,
                origin: server.origin,
                port: server.port,
                rest: [],
                target: { $0 }
            )
        case .proxy:
            let proxy = HTTPProxy(host: "127.0.0.1", port: server.port)
            let client = try HTTPClient.local { $0.proxies = HTTPProxyList(http: proxy) }
            let origin = "http://somewhere.invalid"
            return Place(
                server: server,
                client: client,
                origin: origin,
                port: server.port,
                rest: [],
                target: { origin + $0 }
            )
        case .tls12, .tls13, .tunnel:
            let home = try TestHome()
            let authority = try await TestAuthority(in: home)
            let relay = try await TLSRelay(
                in: home,
                authority: authority,
                to: server.port,
                version: way == .tls12 ? .tls12 : .tls13
            )
            let proxy = try FixtureServer()
            proxy.on(
                "127.0.0.1:\(relay.port)",
                .script([.text("HTTP/1.1 200 Go on\r\n\r\n"), .tunnel(to: relay.port)])
            )
            let client = try HTTPClient.local {
                $0.certificateAuthorityFile = authority.file
                guard way == .tunnel else { return }
                let given = HTTPProxy(host: "127.0.0.1", port: proxy.port)
                $0.proxies = HTTPProxyList(https: given)
            }
            return Place(
                server: server,
                client: client,
                origin: "https://127.0.0.1:\(relay.port)",
                port: way == .tunnel ? proxy.port : relay.port,
                rest: [home, proxy, relay],
                target: { $0 }
            )
        }
    }

    private func expectSecond(_ place: Place, _ comment: Comment) async throws {
        place.server.on(place.target("/second"), .content(.text("second")))
        var request = HTTPRequest(url: place.origin + "/second", method: "POST")
        request.fields = [HTTPField(name: "Content-Type", value: "text/plain")]
        let probe = try await place.client.fetch(request, body: OnceOnlySource("body"))
        #expect(probe.error == nil, comment)
        #expect(probe.heads.map(\.status) == [200], comment)
        #expect(probe.text == "second", comment)
        let requests = place.server.requests(to: place.target("/second"))
        #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["body"], comment)
    }

    @Test(arguments: Way.allCases, Surprise.allCases)
    func `SEC-1: what nobody asked for is not taken for the next request's response`(
        way: Way,
        surprise: Surprise
    ) async throws {
        let place = try await place(way)
        let gate = FixtureGate()
        place.server.on(
            place.target("/first"),
            .script([.text(Self.first), .wait(gate)] + surprise.steps)
        )
        let probe = try await place.client.fetch(HTTPRequest(url: place.origin + "/first"))
        #expect(probe.text == "first")
        let socket = try ClientSocket(connectedTo: place.port)
        gate.open()
        let hasArrived = socket.waitForBytes()
        #expect(hasArrived, "\(socket.connection), \(place.server.history)")
        try await expectSecond(place, "")
        #expect(place.server.requests.map(\.connection).count == 2)
        #expect(Set(place.server.requests.map(\.connection)).count == 2)
    }

    @Test(arguments: Way.allCases, ["Content-Length: 5\r\n\r\nfirst", chunked, noContent])
    func `SEC-1: nor is it when it has come together with the response before`(
        way: Way,
        rest: String
    ) async throws {
        let place = try await place(way)
        let status = rest.isEmpty ? "204 No Content\r\n\r\n" : "200 OK\r\n\(rest)"
        // More than libcurl reads at once.
        let wrong = Self.response("200 OK", String(repeating: "wrong", count: 400_000))
        place.server.on(place.target("/first"), .script([.text("HTTP/1.1 \(status)\(wrong)")]))
        let probe = try await place.client.fetch(HTTPRequest(url: place.origin + "/first"))
        #expect(probe.text == (rest.isEmpty ? "" : "first"))
        try await expectSecond(place, Comment(rawValue: rest))
    }

    private nonisolated static let chunked =
        "Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n"
    private nonisolated static let noContent = ""

    @Test(arguments: Way.allCases)
    func `a connection by which nothing else has come is used again`(way: Way) async throws {
        let place = try await place(way)
        place.server.on(place.target("/first"), .content(.text("first")))
        for _ in 0..<3 {
            let probe = try await place.client.fetch(HTTPRequest(url: place.origin + "/first"))
            #expect(probe.text == "first")
        }
        try await expectSecond(place, "")
        #expect(place.server.history.connectionCount == 1)
    }

    @Test(arguments: Way.allCases)
    func `after the machine's sleep no kept connection is used, and what is under way goes on`(
        way: Way
    ) async throws {
        let place = try await place(way)
        place.server.on(place.target("/first"), .content(.text("first")))
        let gate = FixtureGate()
        place.server.on(place.target("/slow"), .content(.text("slow")).stalling(after: 2, at: gate))
        let slow = ExchangeProbe()
        place.client.start(HTTPRequest(url: place.origin + "/slow"), handler: slow)
        let probe = try await place.client.fetch(HTTPRequest(url: place.origin + "/first"))
        #expect(probe.text == "first")
        let slowPath = place.target("/slow")
        try await place.server.waitUntil { $0.requests(to: slowPath).first?.sentBodyByteCount == 2 }
        place.client.endIdleConnections()
        try await expectSecond(place, "")
        gate.open()
        try await slow.finished()
        #expect(slow.error == nil)
        #expect(slow.text == "slow")
        #expect(place.server.requests.count == 3)
        #expect(Set(place.server.requests.map(\.connection)).count == 3)
    }

    @Test(arguments: Way.allCases)
    func `SEC-1: a 408 that meets a request on a kept connection is not its response`(
        way: Way
    ) async throws {
        let place = try await place(way)
        let late = FixtureAnswer.script(Surprise.lateTimeout.steps)
        place.server.on(place.target("/first"), .content(.text("first")))
        _ = try await place.client.fetch(HTTPRequest(url: place.origin + "/first"))
        place.server.on(place.target("/second"), late, .content(.text("second")))
        let request = HTTPRequest(url: place.origin + "/second", method: "PUT", body: [1, 2, 3])
        let probe = ExchangeProbe()
        let exchange = place.client.start(request, handler: probe)
        try await probe.finished()
        #expect(probe.heads.map(\.status) == [200])
        #expect(probe.text == "second")
        let requests = place.server.requests(to: place.target("/second"))
        #expect(requests.map(\.body) == [[1, 2, 3], [1, 2, 3]])
        // They are those of the second connection.
        let requestStart = try #require(exchange.metrics.requestStart)
        #expect(exchange.metrics.responseStart.map { $0 >= requestStart } == true)
        #expect(Set(place.server.requests.map(\.connection)).count == 2)
    }

    @Test func `SEC-1: a POST is not made again after a 408, which a gateway may have sent`()
        async throws
    {
        let place = try await place(.plain)
        place.server.on("/first", .content(.text("first")))
        _ = try await place.client.fetch(HTTPRequest(url: place.origin + "/first"))
        place.server.on("/second", .script(Surprise.lateTimeout.steps))
        let request = HTTPRequest(url: place.origin + "/second", method: "POST", body: [1])
        let probe = try await place.client.fetch(request)
        #expect(try probe.head.status == 408)
        #expect(place.server.requests(to: "/second").count == 1)
    }

    @Test func `a 408 by a new connection is the response`() async throws {
        let place = try await place(.plain)
        place.server.on("/first", .script(Surprise.lateTimeout.steps))
        let probe = try await place.client.fetch(HTTPRequest(url: place.origin + "/first"))
        #expect(try probe.head.status == 408)
        #expect(probe.text == "late")
        #expect(place.server.requests.count == 1)
    }
}

/// A body that can be read once.
@LoopActor private final class OnceOnlySource: HTTPBodySource {
    private var bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    var byteCount: Int64? { 4 }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        guard !bytes.isEmpty else { return .end }
        defer { bytes = [] }
        buffer.copyBytes(from: bytes)
        return .bytes(count: bytes.count)
    }

    func seek(to offset: Int64) -> Bool { false }
}
