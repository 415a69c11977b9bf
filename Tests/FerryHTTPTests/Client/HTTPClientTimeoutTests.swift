import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// What real time does to an exchange; how time is counted is the state machine's tests' matter.
///
/// On a busy machine anything may take long. So nothing here has to happen within a short time but
/// time-outs, and those come late at worst: a pause, for which no time counts, holds an exchange
/// until the test is ready for its time-out.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientTimeoutTests {
    let server: FixtureServer
    let client: HTTPClient
    let gate = FixtureGate()

    init() throws {
        server = try FixtureServer()
        client = try .local()
    }

    /// Returns after a time on the loop's own clock.
    private func pass(_ duration: Duration) async {
        await withCheckedContinuation { done in
            _ = EventLoop.shared.schedule(after: duration) { done.resume() }
        }
    }

    @Test func `a server that never answers times out`() async throws {
        server.on("/stall", .script([.wait(gate)]))
        let start = EventLoop.now
        let probe = try await client.fetch(
            HTTPRequest(url: server.url("/stall"), idleTimeout: .milliseconds(100))
        )
        #expect(probe.error?.code == .timedOut)
        #expect(EventLoop.now - start >= .milliseconds(100))
        #expect(probe.calls == [.finish])
        try await server.waitUntil { $0.connectionCount == 1 && $0.openConnectionCount == 0 }
    }

    @Test func `a body that stops times out, and its bytes are delivered`() async throws {
        let content = FixtureContent.seeded(1, byteCount: 100_000)
        server.on("/stall", .content(content).stalling(after: 40_000, at: gate))
        let probe = ExchangeProbe()
        let exchange = client.start(
            HTTPRequest(url: server.url("/stall"), idleTimeout: .milliseconds(100)),
            handler: probe
        )
        exchange.pause()
        try await server.waitUntil { $0.requests.first?.state == .stalled }
        try await probe.waitUntil { probe.calls == [.head] }
        let start = EventLoop.now
        exchange.resume()
        try await probe.finished()
        #expect(probe.error?.code == .timedOut)
        #expect(EventLoop.now - start >= .milliseconds(100))
        #expect(content.firstDifference(from: probe.bytes, in: 0..<40_000) == nil)
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
    }

    @Test func `time spent paused does not count, and starts again afterwards`() async throws {
        server.on("/stall", .content(.text("some more")).stalling(after: 4, at: gate))
        let probe = ExchangeProbe()
        let exchange = client.start(
            HTTPRequest(url: server.url("/stall"), idleTimeout: .milliseconds(100)),
            handler: probe
        )
        exchange.pause()
        try await probe.waitUntil { probe.calls == [.head] }
        await pass(.milliseconds(300))
        #expect(probe.calls == [.head])
        let start = EventLoop.now
        exchange.resume()
        try await probe.finished()
        #expect(probe.error?.code == .timedOut)
        #expect(probe.text == "some")
        #expect(EventLoop.now - start >= .milliseconds(100))
    }

    @Test func `no idle time is no limit`() async throws {
        server.on("/stall", .content(.text("late")).stalling(after: 2, at: gate))
        let probe = ExchangeProbe()
        client.start(HTTPRequest(url: server.url("/stall"), idleTimeout: .zero), handler: probe)
        try await probe.waitUntil { probe.text == "la" }
        await pass(.milliseconds(100))
        #expect(probe.calls == [.head, .bytes])
        gate.open()
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(probe.text == "late")
    }

    @Test func `waiting for a free connection does not count`() async throws {
        let client = try HTTPClient.local { $0.maximumConnectionsPerHost = 1 }
        server.on("/first", .content(.text("first")).stalling(after: 0, at: gate))
        server.on("/second", .content(.text("second")))
        client.start(
            HTTPRequest(url: server.url("/first"), idleTimeout: .zero),
            handler: ExchangeProbe()
        )
        try await server.waitUntil { $0.requests.first?.state == .stalled }
        let second = ExchangeProbe()
        client.start(
            HTTPRequest(url: server.url("/second"), idleTimeout: .milliseconds(1500)),
            handler: second
        )
        await pass(.seconds(2))
        #expect(second.calls == [])
        gate.open()
        try await second.finished()
        #expect(second.error == nil)
        #expect(second.text == "second")
    }

    @Test func `one that times out does not disturb its neighbours`() async throws {
        let content = FixtureContent.seeded(4, byteCount: 2 << 20)
        server.on("/stall", .content(content).stalling(after: 1000, at: gate))
        server.on("/file", .content(content).stalling(after: 1 << 20, at: gate))
        let probe = ExchangeProbe()
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        let stalled = try await client.fetch(
            HTTPRequest(url: server.url("/stall"), idleTimeout: .milliseconds(100))
        )
        #expect(stalled.error?.code == .timedOut)
        gate.open()
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }
}
