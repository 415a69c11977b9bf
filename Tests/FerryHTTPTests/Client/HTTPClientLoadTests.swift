import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientLoadTests {
    let server: FixtureServer

    init() throws {
        server = try FixtureServer()
    }

    @Test func `5000 small requests at once all arrive, over as many connections as allowed`()
        async throws
    {
        let client = try HTTPClient.local()
        server.on("/small") { .content(.text($0.target)) }
        var probes: [ExchangeProbe] = []
        for index in 0..<5000 {
            let probe = ExchangeProbe()
            client.start(HTTPRequest(url: server.url("/small?\(index)")), handler: probe)
            probes.append(probe)
            // All tests share the loop.
            if index % 50 == 0 { await Task.yield() }
        }
        for (index, probe) in probes.enumerated() {
            try await probe.finished()
            #expect(probe.error == nil)
            #expect(probe.text == "/small?\(index)")
        }
        #expect(server.requests.count == 5000)
        #expect(server.history.maximumOpenConnectionCount <= 6)
    }

    @Test(arguments: [1, 3]) func `a host gets as many connections as allowed and no more`(
        limit: Int
    ) async throws {
        let client = try HTTPClient.local { $0.maximumConnectionsPerHost = limit }
        let gate = FixtureGate()
        server.on("/wait", .content(.text("x")).stalling(after: 0, at: gate))
        let probes = (0..<10).map { _ in
            let probe = ExchangeProbe()
            client.start(HTTPRequest(url: server.url("/wait")), handler: probe)
            return probe
        }
        try await server.waitUntil { $0.requests.count { $0.state == .stalled } == limit }
        gate.open()
        for probe in probes {
            try await probe.finished()
            #expect(probe.error == nil)
        }
        #expect(server.history.maximumOpenConnectionCount == limit)
        #expect(server.requests.count == 10)
    }

    @Test func `a client has as many connections as allowed, whatever the host`() async throws {
        let client = try HTTPClient.local { $0.maximumConnections = 2 }
        let gate = FixtureGate()
        let other = try FixtureServer()
        for server in [server, other] {
            server.on("/wait", .content(.text("x")).stalling(after: 0, at: gate))
        }
        let probes = [server, other, server, other].map { server in
            let probe = ExchangeProbe()
            client.start(HTTPRequest(url: server.url("/wait")), handler: probe)
            return probe
        }
        try await server.waitUntil { $0.requests.count == 1 }
        try await other.waitUntil { $0.requests.count == 1 }
        gate.open()
        for probe in probes {
            try await probe.finished()
            #expect(probe.error == nil)
        }
        let peak = server.history.maximumOpenConnectionCount
        #expect(peak + other.history.maximumOpenConnectionCount <= 4)
    }

    @Test func `two large bodies at once arrive byte for byte`() async throws {
        let client = try HTTPClient.local()
        let contents = (0..<4).map { FixtureContent.seeded(UInt64($0), byteCount: 4 << 20) }
        for (index, content) in contents.enumerated() {
            server.on("/\(index)", .content(content))
        }
        let probes = contents.indices.map { index in
            let probe = ExchangeProbe()
            client.start(HTTPRequest(url: server.url("/\(index)")), handler: probe)
            return probe
        }
        for (probe, content) in zip(probes, contents) {
            try await probe.finished()
            #expect(probe.error == nil)
            #expect(content.firstDifference(from: probe.bytes) == nil)
        }
    }

    @Test func `hundreds cancelled at random moments leave the rest unharmed`() async throws {
        let client = try HTTPClient.local()
        let content = FixtureContent.seeded(9, byteCount: 200_000)
        server.on("/file", .file(FixtureFile(content)))
        var random = SplitMix(seed: 4711)
        var survivors: [ExchangeProbe] = []
        for index in 0..<300 {
            let probe = ExchangeProbe()
            let exchange = client.start(HTTPRequest(url: server.url("/file")), handler: probe)
            switch index % 3 {
            case 0: survivors.append(probe)
            case 1:
                let limit = Int.random(in: 0..<200_000, using: &random)
                probe.onBytes = { [unowned probe] exchange in
                    if probe.bytes.count > limit { exchange.cancel() }
                    return .deliver
                }
            default:
                let turns = Int.random(in: 0..<50, using: &random)
                cancel(exchange, afterTurns: turns)
            }
        }
        for probe in survivors {
            try await probe.finished()
            #expect(probe.error == nil)
            #expect(content.firstDifference(from: probe.bytes) == nil)
        }
    }

    private func cancel(_ exchange: HTTPExchange, afterTurns turns: Int) {
        if turns == 0 { return exchange.cancel() }
        LoopActor.perform { cancel(exchange, afterTurns: turns - 1) }
    }
}
