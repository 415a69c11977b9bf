import FerryHTTP
import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientSplicingTests {
    private static let byteCount: Int64 = 8 << 20
    private let content = FixtureContent.seeded(11, byteCount: byteCount)
    private let server: FixtureServer
    private let client: HTTPClient

    init() throws {
        server = try FixtureServer()
        client = try .local { $0.minimumSplicedBytes = 256 * 1024 }
    }

    private func makeProbe() -> ExchangeProbe {
        let probe = ExchangeProbe()
        probe.onHead = { _, _ in .deliverInPipes }
        return probe
    }

    private func fetch(_ path: String) async throws -> ExchangeProbe {
        let probe = makeProbe()
        client.start(HTTPRequest(url: server.url(path)), handler: probe)
        try await probe.finished()
        return probe
    }

    // MARK: What comes in pipes

    @Test func `the rest of a long body comes in pipes, byte for byte`() async throws {
        server.on("/long", .content(content))
        let probe = try await fetch("/long")
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .bytes, .pipe, .finish])
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `a body on a kept connection comes in pipes, and ends the connection`() async throws
    {
        server.on("/short", .content(.text("short")))
        server.on("/long", .content(content))
        for _ in 0..<3 {
            #expect(try await fetch("/short").text == "short")
            let probe = try await fetch("/long")
            #expect(probe.error == nil)
            #expect(probe.calls.contains(.pipe))
            #expect(content.firstDifference(from: probe.bytes) == nil)
        }
        #expect(server.history.connectionCount == 3)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func `six bodies share a pipe without being mixed`() async throws {
        let contents = (0..<6).map { FixtureContent.seeded($0, byteCount: Self.byteCount) }
        let probes = contents.indices.map { index in
            server.on("/\(index)", .content(contents[index]))
            let probe = makeProbe()
            client.start(HTTPRequest(url: server.url("/\(index)")), handler: probe)
            return probe
        }
        for (content, probe) in zip(contents, probes) {
            try await probe.finished()
            #expect(probe.error == nil)
            #expect(probe.calls.contains(.pipe))
            #expect(content.firstDifference(from: probe.bytes) == nil)
        }
    }

    @Test func `a body that comes in drops comes in pipes too`() async throws {
        let gates = (0..<3).map { _ in FixtureGate() }
        var answer = FixtureAnswer.content(content)
        for (index, gate) in gates.enumerated() {
            answer = answer.stalling(after: Int64(index + 1) * 2_000_000, at: gate)
        }
        server.on("/drops", answer)
        let probe = makeProbe()
        client.start(HTTPRequest(url: server.url("/drops")), handler: probe)
        for (index, gate) in gates.enumerated() {
            try await probe.waitUntil { probe.bytes.count == (index + 1) * 2_000_000 }
            gate.open()
        }
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    // MARK: What does not

    @Test func `a body comes without pipes to those who did not ask for them`() async throws {
        server.on("/long", .content(content))
        let probe = try await client.fetch(HTTPRequest(url: server.url("/long")))
        #expect(probe.calls == [.head, .bytes, .finish])
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `a body whose length is not told, or that is in chunks, comes without pipes`()
        async throws
    {
        server.on("/chunks", .content(content).chunked(byteCount: 1 << 20))
        server.on("/end", .content(content).untilClose())
        for path in ["/chunks", "/end"] {
            let probe = try await fetch(path)
            #expect(probe.error == nil)
            #expect(probe.calls == [.head, .bytes, .finish])
            #expect(content.firstDifference(from: probe.bytes) == nil)
        }
    }

    @Test func `chunks are not taken for a body because a length stands beside them`() async throws
    {
        let length = [(name: "Content-Length", value: "\(Self.byteCount)")]
        server.on("/both", .content(content).chunked(byteCount: 1 << 20).with(fields: length))
        let probe = try await fetch("/both")
        #expect(!probe.calls.contains(.pipe))
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `a short rest comes without pipes`() async throws {
        let short = FixtureContent.seeded(3, byteCount: 200_000)
        server.on("/short", .content(short))
        let probe = try await fetch("/short")
        #expect(probe.calls == [.head, .bytes, .finish])
        #expect(short.firstDifference(from: probe.bytes) == nil)
    }

    // MARK: What goes wrong

    @Test func `a body that ends too early in a pipe is too short`() async throws {
        server.on("/long", .content(content).dropping(after: 5_000_000))
        let probe = try await fetch("/long")
        #expect(probe.error?.code == .bodyTooShort)
        #expect(probe.calls == [.head, .bytes, .pipe, .finish])
        #expect(content.firstDifference(from: probe.bytes, in: 0..<5_000_000) == nil)
    }

    @Test func `a connection that is reset in a pipe is lost`() async throws {
        let gate = FixtureGate()
        let answer = FixtureAnswer.content(content).stalling(after: 5_000_000, at: gate)
        server.on("/long", answer.resetting(after: 5_000_000))
        let probe = makeProbe()
        client.start(HTTPRequest(url: server.url("/long")), handler: probe)
        try await probe.waitUntil { probe.bytes.count == 5_000_000 }
        gate.open()
        try await probe.finished()
        #expect(probe.error?.code == .connectionLost)
    }

    @Test func `cancelling inside a call for a pipe ends the connection`() async throws {
        server.on("/long", .content(content))
        let probe = makeProbe()
        probe.onPipe = { exchange, _ in
            exchange.cancel()
            return .deliver
        }
        client.start(HTTPRequest(url: server.url("/long")), handler: probe)
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
        #expect(probe.calls == [.head, .bytes, .pipe])
        try await expectCleanPipe()
    }

    @Test func `bytes that are left in the pipe do not get into a body that is under way`()
        async throws
    {
        let gates = ["/spoiled": FixtureGate(), "/whole": FixtureGate()]
        var probes: [String: ExchangeProbe] = [:]
        for (path, gate) in gates {
            server.on(path, .content(content).stalling(after: 1 << 20, at: gate))
            let probe = makeProbe()
            client.start(HTTPRequest(url: server.url(path)), handler: probe)
            try await probe.waitUntil { probe.bytes.count == 1 << 20 }
            #expect(probe.calls.contains(.pipe))
            probes[path] = probe
        }
        let (spoiled, whole) = (try #require(probes["/spoiled"]), try #require(probes["/whole"]))
        spoiled.onPipe = { _, _ in .cancel }
        gates["/spoiled"]?.open()
        try await spoiled.finished()
        gates["/whole"]?.open()
        try await whole.finished()
        #expect(whole.error == nil)
        #expect(content.firstDifference(from: whole.bytes) == nil)
    }

    @Test(arguments: [
        (HTTPBodyDisposition.cancel, HTTPError.Code?.some(.aborted)), (.discard, nil),
        (.deliver, .writeFailed),
    ])
    func `a handler that leaves bytes in the pipe spoils nobody else's`(
        disposition: HTTPBodyDisposition,
        code: HTTPError.Code?
    ) async throws {
        server.on("/long", .content(content))
        let probe = makeProbe()
        probe.onPipe = { _, _ in disposition }
        client.start(HTTPRequest(url: server.url("/long")), handler: probe)
        try await probe.finished()
        #expect(probe.error?.code == code)
        try await expectCleanPipe()
    }

    private func expectCleanPipe() async throws {
        let other = try await fetch("/long")
        #expect(other.error == nil)
        #expect(other.calls.contains(.pipe))
        #expect(content.firstDifference(from: other.bytes) == nil)
    }

    @Test func `a client that is invalidated stops its pipes`() async throws {
        server.on("/long", .content(content))
        let probe = makeProbe()
        probe.onPipe = { [client] _, _ in
            client.invalidate()
            return .deliver
        }
        client.start(HTTPRequest(url: server.url("/long")), handler: probe)
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
        #expect(probe.calls == [.head, .bytes, .pipe])
    }

    // MARK: Time

    @Test func `nothing comes in pipes during a pause, and everything after it`() async throws {
        server.on("/long", .content(content))
        let probe = makeProbe()
        probe.onPipe = { [unowned probe] exchange, pipe in
            exchange.pause()
            LoopActor.perform { exchange.resume() }
            return probe.take(pipe)
        }
        client.start(HTTPRequest(url: server.url("/long")), handler: probe)
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `nothing comes in pipes during a pause that is older than they are`() async throws {
        let gate = FixtureGate()
        server.on("/long", .content(content).stalling(after: 1000, at: gate))
        let probe = makeProbe()
        probe.onBytes = { exchange in
            exchange.pause()
            return .deliver
        }
        let exchange = client.start(HTTPRequest(url: server.url("/long")), handler: probe)
        try await probe.waitUntil { probe.bytes.count == 1000 }
        gate.open()
        // The server has sent what there is room for.
        try await server.waitUntil { history in
            history.requests.contains { $0.state == .blocked || $0.state == .sent }
        }
        #expect(probe.calls == [.head, .bytes])
        exchange.resume()
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(probe.calls == [.head, .bytes, .pipe, .finish])
        #expect(content.firstDifference(from: probe.bytes) == nil)
    }

    @Test func `a body that stops in a pipe times out`() async throws {
        let gate = FixtureGate()
        server.on("/long", .content(content).stalling(after: 5_000_000, at: gate))
        let probe = makeProbe()
        client.start(
            HTTPRequest(url: server.url("/long"), idleTimeout: .milliseconds(300)),
            handler: probe
        )
        try await probe.finished()
        #expect(probe.error?.code == .timedOut)
        #expect(content.firstDifference(from: probe.bytes, in: 0..<Int64(probe.bytes.count)) == nil)
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
    }
}
