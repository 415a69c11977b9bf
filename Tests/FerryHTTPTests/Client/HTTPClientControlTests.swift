import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientControlTests {
    let server: FixtureServer
    let client: HTTPClient

    init() throws {
        server = try FixtureServer()
        client = try .local()
    }

    // MARK: Cancelling

    @Test func `cancelling before anything has happened is silent`() async throws {
        server.on("/file", .content(.text("x")))
        let probe = ExchangeProbe()
        let exchange = client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        exchange.cancel()
        exchange.cancel()
        let other = try await client.fetch(HTTPRequest(url: server.url("/file")))
        #expect(other.error == nil)
        #expect(probe.calls == [])
    }

    @Test func `cancelling what cannot be sent is silent too`() async throws {
        let probe = ExchangeProbe()
        client.start(HTTPRequest(url: "ftp://127.0.0.1/"), handler: probe).cancel()
        _ = try await client.fetch(HTTPRequest(url: "ftp://127.0.0.1/"))
        #expect(probe.calls == [])
    }

    @Test func `cancelling inside the head's call ends the connection`() async throws {
        let probe = ExchangeProbe()
        probe.onHead = { exchange, _ in
            exchange.cancel()
            return .deliver
        }
        try await expectSilence(after: probe, calls: [.head])
    }

    @Test func `cancelling inside a call for bytes ends the connection`() async throws {
        let probe = ExchangeProbe()
        probe.onBytes = { exchange in
            exchange.cancel()
            return .deliver
        }
        try await expectSilence(after: probe, calls: [.head, .bytes])
    }

    @Test func `cancelling inside the last call does nothing`() async throws {
        server.on("/file", .content(.text("x")))
        let probe = ExchangeProbe()
        probe.onFinish = { $0.cancel() }
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.finished()
        let other = try await client.fetch(HTTPRequest(url: server.url("/file")))
        #expect(other.error == nil)
        #expect(probe.calls == [.head, .bytes, .finish])
    }

    @Test func `cancelling between two calls ends the connection`() async throws {
        let probe = ExchangeProbe()
        server.on("/endless", .file(FixtureFile(.seeded(1, byteCount: 1 << 40))))
        let exchange = client.start(HTTPRequest(url: server.url("/endless")), handler: probe)
        try await probe.waitUntil { probe.bytes.count > 100_000 }
        exchange.cancel()
        let count = probe.bytes.count
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
        #expect(probe.bytes.count == count)
        #expect(probe.calls == [.head, .bytes])
    }

    @Test func `one exchange's call may cancel another one`() async throws {
        server.on("/endless", .file(FixtureFile(.seeded(2, byteCount: 1 << 40))))
        let victim = ExchangeProbe()
        let exchange = client.start(HTTPRequest(url: server.url("/endless")), handler: victim)
        try await victim.waitUntil { !victim.bytes.isEmpty }
        var count = 0
        let probe = ExchangeProbe()
        probe.onHead = { _, _ in
            exchange.cancel()
            count = victim.bytes.count
            return .deliver
        }
        server.on("/file", .content(.text("x")))
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.finished()
        #expect(probe.error == nil)
        try await server.waitUntil { $0.requests(to: "/endless").first?.state == .abandoned }
        #expect(victim.bytes.count == count)
        #expect(victim.calls == [.head, .bytes])
    }

    @Test func `handles change hands inside completions without confusion`() async throws {
        // All end at once; each one's end cancels the next and starts another in its place.
        let gate = FixtureGate()
        server.on("/end", .content(.text("end")).stalling(after: 2, at: gate))
        server.on("/next", .content(.text("next")))
        var exchanges: [HTTPExchange] = []
        var successors: [ExchangeProbe] = []
        let probes = (0..<6).map { _ in ExchangeProbe() }
        for (index, probe) in probes.enumerated() {
            probe.onFinish = { _ in
                if index + 1 < exchanges.count { exchanges[index + 1].cancel() }
                let successor = ExchangeProbe()
                successors.append(successor)
                client.start(HTTPRequest(url: server.url("/next")), handler: successor)
            }
        }
        exchanges = probes.map { client.start(HTTPRequest(url: server.url("/end")), handler: $0) }
        try await server.waitUntil { $0.requests.count { $0.state == .stalled } == 6 }
        gate.open()
        try await probes[0].finished()
        for probe in probes where probe.calls.contains(.finish) {
            #expect(probe.text == "end")
        }
        var index = 0
        while index < successors.count {
            try await successors[index].finished()
            #expect(successors[index].error == nil)
            #expect(successors[index].text == "next")
            index += 1
        }
    }

    private func expectSilence(
        after probe: ExchangeProbe,
        calls: [ExchangeProbe.Call]
    ) async throws {
        let content = FixtureContent.seeded(3, byteCount: 1 << 40)
        server.on("/endless", .file(FixtureFile(content)))
        client.start(HTTPRequest(url: server.url("/endless")), handler: probe)
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
        server.on("/file", .content(.text("x")))
        let other = try await client.fetch(HTTPRequest(url: server.url("/file")))
        #expect(other.error == nil)
        #expect(probe.calls == calls)
    }

    // MARK: Dispositions

    @Test func `a handler that wants no more gets an abort as its end`() async throws {
        for stage in [ExchangeProbe.Call.head, .bytes] {
            server.on("/endless", .file(FixtureFile(.seeded(4, byteCount: 1 << 40))))
            let probe = ExchangeProbe()
            if stage == .head {
                probe.onHead = { _, _ in .cancel }
            } else {
                probe.onBytes = { _ in .cancel }
            }
            client.start(HTTPRequest(url: server.url("/endless")), handler: probe)
            try await probe.finished()
            #expect(probe.error?.code == .aborted)
            #expect(probe.calls == (stage == .head ? [.head, .finish] : [.head, .bytes, .finish]))
        }
    }

    @Test func `a discarded body is read to its end, and the connection is used again`()
        async throws
    {
        server.on("/file", .content(.seeded(5, byteCount: 1 << 20)))
        let probe = ExchangeProbe()
        probe.onHead = { _, _ in .discard }
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .finish])
        _ = try await client.fetch(HTTPRequest(url: server.url("/file")))
        #expect(server.requests.map(\.connection) == [0, 0])
        // The server notes that it has sent a body after the client may have read it.
        try await server.waitUntil { $0.requests.allSatisfy { $0.state == .sent } }
    }

    @Test func `a body may be discarded from the middle on`() async throws {
        server.on("/file", .content(.seeded(6, byteCount: 4 << 20)))
        let probe = ExchangeProbe()
        probe.onBytes = { _ in .discard }
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(probe.bytes.count < 4 << 20)
    }

    // MARK: Pausing

    @Test func `a pause makes the server stop, and nothing is lost by it`() async throws {
        let content = FixtureContent.seeded(7, byteCount: 32 << 20)
        server.on("/file", .content(content))
        let probe = ExchangeProbe()
        var isPaused = false
        probe.onBytes = { exchange in
            #expect(!isPaused)
            if probe.bytes.count < 1 << 20 {
                isPaused = true
                exchange.pause()
            }
            return .deliver
        }
        let exchange = client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.waitUntil { isPaused }
        try await server.waitUntil { $0.requests.first?.state == .blocked }
        let count = probe.bytes.count
        #expect(count < 1 << 20)
        probe.onBytes = { _ in .deliver }
        exchange.resume()
        #expect(probe.bytes.count == count)
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `a pause from outside holds from the next bytes on`() async throws {
        let gate = FixtureGate()
        let content = FixtureContent.seeded(8, byteCount: 1 << 20)
        server.on("/file", .content(content).stalling(after: 1000, at: gate))
        let probe = ExchangeProbe()
        let exchange = client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.waitUntil { probe.bytes.count == 1000 }
        exchange.pause()
        gate.open()
        // Another exchange's end shows that the loop has gone round in the meantime.
        server.on("/other", .content(.text("x")))
        _ = try await client.fetch(HTTPRequest(url: server.url("/other")))
        #expect(probe.bytes.count == 1000)
        exchange.resume()
        try await probe.finished()
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `pausing and resuming at each piece keeps every byte in its place`() async throws {
        let content = FixtureContent.seeded(9, byteCount: 8 << 20)
        server.on("/file", .content(content))
        let probe = ExchangeProbe()
        probe.onBytes = { exchange in
            exchange.pause()
            LoopActor.perform { exchange.resume() }
            return .deliver
        }
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `pausing and resuming inside one call is as if nothing had been said`() async throws
    {
        let content = FixtureContent.seeded(10, byteCount: 2 << 20)
        server.on("/file", .content(content))
        let probe = ExchangeProbe()
        probe.onBytes = { exchange in
            exchange.pause()
            exchange.resume()
            return .deliver
        }
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await probe.finished()
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `a paused start holds the body, but not the head`() async throws {
        let content = FixtureContent.seeded(11, byteCount: 100_000)
        server.on("/file", .content(content))
        let probe = ExchangeProbe()
        let exchange = client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        exchange.pause()
        try await probe.waitUntil { probe.calls == [.head] }
        server.on("/other", .content(.text("x")))
        _ = try await client.fetch(HTTPRequest(url: server.url("/other")))
        #expect(probe.calls == [.head])
        exchange.resume()
        try await probe.finished()
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `a paused exchange can be cancelled`() async throws {
        server.on("/endless", .file(FixtureFile(.seeded(12, byteCount: 1 << 40))))
        let probe = ExchangeProbe()
        probe.onBytes = { exchange in
            exchange.pause()
            return .deliver
        }
        let exchange = client.start(HTTPRequest(url: server.url("/endless")), handler: probe)
        try await probe.waitUntil { !probe.bytes.isEmpty }
        try await server.waitUntil { $0.requests.first?.state == .blocked }
        exchange.cancel()
        exchange.resume()
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
        #expect(probe.calls == [.head, .bytes])
    }

    // MARK: Ends of a client

    @Test(arguments: [ExchangeProbe.Call.head, .bytes, .finish])
    func `invalidating inside a call silences everything`(stage: ExchangeProbe.Call) async throws {
        server.on("/endless", .file(FixtureFile(.seeded(13, byteCount: 1 << 40))))
        server.on("/file", .content(.text("x")))
        let other = ExchangeProbe()
        client.start(HTTPRequest(url: server.url("/endless")), handler: other)
        try await other.waitUntil { !other.bytes.isEmpty }
        var count = 0
        let probe = ExchangeProbe()
        let invalidate = {
            guard count == 0 else { return }
            client.invalidate()
            count = other.bytes.count
        }
        probe.onHead = { _, _ in
            if stage == .head { invalidate() }
            return .deliver
        }
        probe.onBytes = { _ in
            if stage == .bytes { invalidate() }
            return .deliver
        }
        probe.onFinish = { _ in if stage == .finish { invalidate() } }
        client.start(HTTPRequest(url: server.url("/file")), handler: probe)
        try await server.waitUntil { $0.requests(to: "/endless").first?.state == .abandoned }
        #expect(other.bytes.count == count)
        #expect(probe.calls.last == stage)
        let late = try await client.fetch(HTTPRequest(url: server.url("/file")))
        #expect(late.error?.code == .aborted)
    }

    @Test func `a client whose owner forgets it closes its connections`() async throws {
        server.on("/endless", .file(FixtureFile(.seeded(14, byteCount: 1 << 40))))
        let probe = ExchangeProbe()
        do {
            let client = try HTTPClient.local()
            client.start(HTTPRequest(url: server.url("/endless")), handler: probe)
            try await probe.waitUntil { !probe.bytes.isEmpty }
        }
        try await server.waitUntil { $0.openConnectionCount == 0 }
        #expect(!probe.calls.contains(.finish))
    }

    @Test func `nothing keeps a handler, an exchange or a client after their end`() async throws {
        server.on("/file", .content(.text("x")))
        server.on("/endless", .file(FixtureFile(.seeded(15, byteCount: 1 << 40))))
        weak var weakClient: HTTPClient?
        weak var finished: HTTPExchange?
        weak var cancelled: HTTPExchange?
        weak var silenced: HTTPExchange?
        weak var probe: ExchangeProbe?
        do {
            let client = try HTTPClient.local()
            weakClient = client
            let first = ExchangeProbe()
            probe = first
            finished = client.start(HTTPRequest(url: server.url("/file")), handler: first)
            try await first.finished()
            let second = ExchangeProbe()
            let exchange = client.start(
                HTTPRequest(url: server.url("/endless"), idleTimeout: .seconds(50)),
                handler: second
            )
            try await second.waitUntil { !second.bytes.isEmpty }
            exchange.cancel()
            cancelled = exchange
            let third = ExchangeProbe()
            silenced = client.start(HTTPRequest(url: server.url("/endless")), handler: third)
            try await third.waitUntil { !third.bytes.isEmpty }
            client.invalidate()
        }
        try await server.waitUntil { $0.openConnectionCount == 0 }
        // What is performed on the loop now comes after all that was performed before.
        await withCheckedContinuation { done in LoopActor.perform { done.resume() } }
        #expect(weakClient == nil)
        #expect(finished == nil)
        #expect(cancelled == nil)
        #expect(silenced == nil)
        #expect(probe == nil)
    }
}
