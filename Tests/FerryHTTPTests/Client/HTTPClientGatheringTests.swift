import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

/// Pieces of a body that libcurl brings in one call, and how they are delivered.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientGatheringTests {
    private let server: FixtureServer
    private let client: HTTPClient
    private let gate = FixtureGate()
    private let probe = ExchangeProbe()

    init() throws {
        server = try FixtureServer()
        client = try .local()
    }

    /// Starts an exchange whose response has a head, and at the gate an end.
    private func start(_ path: String, _ probe: ExchangeProbe) async throws -> HTTPExchange {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        server.on(
            path,
            .script([.send(Array(head.utf8)), .wait(gate), .send(Array("0\r\n\r\n".utf8))])
        )
        let exchange = client.start(HTTPRequest(url: server.url(path)), handler: probe)
        try await probe.waitUntil { !probe.heads.isEmpty }
        return exchange
    }

    /// Brings a piece, as libcurl does.
    private func bring(_ text: String, to exchange: HTTPExchange) -> HTTPExchange.Acceptance {
        Array(text.utf8).withUnsafeBytes { exchange.took($0) }
    }

    /// Makes libcurl return.
    private func endTurn(of exchange: HTTPExchange) { client.release(exchange) }

    /// Fetches 60 000 bytes, of which libcurl has many to bring at once.
    ///
    /// - Returns: The sizes of the pieces that were delivered.
    private func sizes(_ change: (inout HTTPRequest) -> Void = { _ in }) async throws -> [Int] {
        let content = FixtureContent.seeded(6, byteCount: 60_000)
        server.on("/file", .content(content))
        var counts: [Int] = []
        probe.onHead = { exchange, _ in
            exchange.pause()
            return .deliver
        }
        probe.onBytes = { [unowned probe] _ in
            counts.append(probe.bytes.count)
            return .deliver
        }
        var request = HTTPRequest(url: server.url("/file"))
        change(&request)
        let exchange = client.start(request, handler: probe)
        try await probe.waitUntil { !self.probe.heads.isEmpty }
        try await server.waitUntil { $0.requests.first?.state == .sent }
        exchange.resume()
        try await probe.finished()
        #expect(probe.bytes == content.bytes)
        return zip(counts, [0] + counts).map { $0 - $1 }
    }

    @Test func `pieces that come together are delivered as one`() async throws {
        let sizes = try await sizes()
        #expect(sizes.count <= 2)
    }

    @Test func `no more than a request's buffer is delivered as one`() async throws {
        let sizes = try await sizes { $0.receiveBufferByteCount = 8192 }
        #expect(sizes.allSatisfy { $0 <= 8192 })
    }

    @Test func `pieces are delivered when libcurl returns`() async throws {
        let exchange = try await start("/a", probe)
        #expect(bring("one", to: exchange) == .taken)
        #expect(bring("two", to: exchange) == .taken)
        #expect(probe.bytes.isEmpty)
        endTurn(of: exchange)
        #expect(probe.text == "onetwo")
        gate.open()
        try await probe.finished()
        #expect(probe.calls == [.head, .bytes, .finish])
        #expect(probe.error == nil)
    }

    @Test func `pieces of one exchange are delivered before those of another are gathered`()
        async throws
    {
        let other = ExchangeProbe()
        let (first, second) = (try await start("/a", probe), try await start("/b", other))
        #expect(bring("one", to: first) == .taken)
        #expect(bring("two", to: second) == .taken)
        #expect(probe.text == "one")
        #expect(other.text == "")
        endTurn(of: first)
        #expect(other.text == "two")
    }

    @Test func `pieces are delivered before the buffer is full`() async throws {
        let exchange = try await start("/a", probe)
        let piece = String(repeating: "x", count: GatheredPieces.maximumPieceByteCount)
        for _ in 0..<20 { #expect(bring(piece, to: exchange) == .taken) }
        #expect(probe.bytes.count == GatheredPieces.capacity)
        endTurn(of: exchange)
        #expect(probe.bytes.count == 20 * piece.utf8.count)
    }

    @Test func `an exchange that is paused keeps its pieces, and its end`() async throws {
        let exchange = try await start("/a", probe)
        #expect(bring("one", to: exchange) == .taken)
        exchange.pause()
        #expect(bring("two", to: exchange) == .held)
        endTurn(of: exchange)
        gate.open()
        try await server.waitUntil { $0.requests.first?.state == .sent }
        let other = try await client.fetch(HTTPRequest(url: server.url("/none")))
        #expect(other.error == nil)
        #expect(probe.calls == [.head])
        exchange.resume()
        try await probe.finished()
        #expect(probe.text == "one")
        #expect(probe.calls == [.head, .bytes, .finish])
        #expect(probe.error == nil)
        #expect(exchange.metrics.decodedBodyByteCount == 3)
    }

    @Test func `an exchange that is paused delivers its pieces before later ones`() async throws {
        let exchange = try await start("/a", probe)
        #expect(bring("one", to: exchange) == .taken)
        exchange.pause()
        endTurn(of: exchange)
        exchange.resume()
        #expect(bring("two", to: exchange) == .taken)
        try await probe.waitUntil { !self.probe.bytes.isEmpty }
        endTurn(of: exchange)
        #expect(probe.text == "onetwo")
    }

    @Test func `an exchange that is cancelled in a pause delivers nothing`() async throws {
        let exchange = try await start("/a", probe)
        #expect(bring("one", to: exchange) == .taken)
        exchange.pause()
        endTurn(of: exchange)
        gate.open()
        try await server.waitUntil { $0.requests.first?.state == .sent }
        exchange.cancel()
        exchange.resume()
        _ = try await client.fetch(HTTPRequest(url: server.url("/none")))
        #expect(probe.calls == [.head])
    }

    @Test func `a handler that wants no more of what was gathered gets an abort as its end`()
        async throws
    {
        probe.onBytes = { _ in .cancel }
        let exchange = try await start("/a", probe)
        #expect(bring("one", to: exchange) == .taken)
        endTurn(of: exchange)
        try await probe.finished()
        #expect(probe.error?.code == .aborted)
        #expect(probe.calls == [.head, .bytes, .finish])
    }

    @Test func `a handler may cancel the exchange in the call for what was gathered`() async throws
    {
        probe.onBytes = { exchange in
            exchange.cancel()
            return .deliver
        }
        let exchange = try await start("/a", probe)
        #expect(bring("one", to: exchange) == .taken)
        endTurn(of: exchange)
        _ = try await client.fetch(HTTPRequest(url: server.url("/none")))
        #expect(probe.calls == [.head, .bytes])
    }

    @Test func `a handler may pause the exchange in the call for what was gathered`() async throws {
        probe.onBytes = { exchange in
            exchange.pause()
            return .deliver
        }
        let exchange = try await start("/a", probe)
        #expect(bring("one", to: exchange) == .taken)
        endTurn(of: exchange)
        #expect(bring("two", to: exchange) == .held)
        #expect(probe.text == "one")
        exchange.resume()
        gate.open()
        try await probe.finished()
        #expect(probe.error == nil)
    }
}
