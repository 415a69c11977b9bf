import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// What exchanges note of themselves.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPMetricsTests {
    let server: FixtureServer

    init() throws {
        server = try FixtureServer()
        server.on("/song", .content(.seeded(1, byteCount: 1000)))
    }

    private func metrics(
        _ client: HTTPClient,
        _ request: HTTPRequest,
        _ probe: ExchangeProbe = ExchangeProbe()
    ) async throws -> HTTPMetrics {
        let exchange = client.start(request, handler: probe)
        try await probe.finished()
        return exchange.metrics
    }

    /// The times that are there must follow each other.
    private func expectOrder(_ metrics: HTTPMetrics) {
        let times = [
            .zero, metrics.lookupStart, metrics.lookupEnd, metrics.connectStart,
            metrics.secureConnectStart, metrics.secureConnectEnd, metrics.connectEnd,
            metrics.requestStart, metrics.requestEnd, metrics.responseStart, metrics.responseEnd,
        ].compactMap { $0 }
        #expect(times == times.sorted())
    }

    @Test func `a new connection has all its phases, a kept one has none`() async throws {
        let client = try HTTPClient.local()
        let request = HTTPRequest(url: server.url("/song"), fields: [.init(name: "A", value: "b")])
        let before = WallClock.secondsSince1970
        let first = try await metrics(client, request)
        expectOrder(first)
        #expect((before...WallClock.secondsSince1970).contains(first.startTime))
        #expect(!first.isReusedConnection)
        #expect(first.lookupStart != nil)
        #expect(first.connectEnd != nil)
        #expect(first.secureConnectStart == nil)
        #expect(first.tls == nil)
        #expect(first.responseEnd != nil)
        #expect(first.version == "HTTP/1.1")
        #expect(first.connection?.remote == .init(address: "127.0.0.1", port: server.port))
        #expect(first.receivedBodyByteCount == 1000)
        #expect(first.decodedBodyByteCount == 1000)
        #expect(first.sentHeaderByteCount > 40)
        #expect(first.receivedHeaderByteCount > 40)

        let second = try await metrics(client, request)
        expectOrder(second)
        #expect(second.isReusedConnection)
        #expect(second.lookupStart == nil)
        #expect(second.connectStart == nil)
        #expect(second.connectEnd == nil)
        #expect(second.requestStart != nil)
        #expect(second.connection == first.connection)
    }

    @Test func `TLS is a phase of its own`() async throws {
        let server = try await TLSServer.start(.good)
        let client = try HTTPClient.local { $0.certificateAuthorityFile = server.authorityFile }
        let metrics = try await metrics(client, HTTPRequest(url: server.url))
        expectOrder(metrics)
        #expect(metrics.secureConnectStart != nil)
        #expect(metrics.secureConnectEnd != nil)
        let tls = try #require(metrics.tls)
        #expect(tls.version == 0x0304)
        #expect((0x1301...0x1303).contains(tls.cipherSuite))
    }

    @Test func `a connection that is refused has no request`() async throws {
        let port = try FixtureClosedPort()
        let url = "http://127.0.0.1:\(port.port)/"
        let metrics = try await metrics(try .local(), HTTPRequest(url: url))
        #expect(metrics.requestStart == nil)
        #expect(metrics.responseStart == nil)
        #expect(metrics.connectEnd == nil)
        #expect(metrics.responseEnd != nil)
    }

    @Test func `a body is counted as sent, and as received before it is decoded`() async throws {
        let text = String(repeating: "ferry ", count: 1000)
        server.on("/packed", .gzip(.text(text)))
        let request = HTTPRequest(
            url: server.url("/packed"),
            method: "POST",
            fields: [.init(name: "Accept-Encoding", value: "gzip")],
            body: Array("body".utf8)
        )
        let metrics = try await metrics(try .local(), request)
        expectOrder(metrics)
        #expect(metrics.sentBodyByteCount == 4)
        #expect(metrics.requestEnd != nil)
        #expect(metrics.decodedBodyByteCount == Int64(text.utf8.count))
        // The fixture's packing only adds to a text.
        #expect(metrics.receivedBodyByteCount > metrics.decodedBodyByteCount)
    }

    @Test func `bytes that come in pipes are counted`() async throws {
        server.on("/long", .content(.seeded(3, byteCount: 200_000)))
        let client = try HTTPClient.local { $0.minimumSplicedBytes = 1000 }
        let probe = ExchangeProbe()
        probe.onHead = { _, _ in .deliverInPipes }
        probe.onBytes = { _ in .deliverInPipes }
        let metrics = try await metrics(client, HTTPRequest(url: server.url("/long")), probe)
        #expect(probe.calls.contains(.pipe))
        #expect(metrics.receivedBodyByteCount == 200_000)
        #expect(metrics.version == "HTTP/1.1")
    }
}
