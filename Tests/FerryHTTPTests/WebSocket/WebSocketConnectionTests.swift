import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

/// Connections to a server of the tests' own, which sends what no proper one would.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct WebSocketConnectionTests {
    private let server: FixtureServer

    init() throws {
        server = try FixtureServer()
    }

    /// What proves that a server has understood a request; nothing that does where there is no SHA-1.
    private nonisolated static func accept(_ request: FixtureRequest) -> String {
        (try? WebSocketHandshake.accept(for: request["Sec-WebSocket-Key"] ?? "")) ?? ""
    }

    /// A path whose answer opens a connection, and goes on as given.
    private func serve(_ path: String, _ steps: FixtureStep...) -> String {
        server.on(path) { request in
            let accept = Self.accept(request)
            let head =
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                + "Upgrade: websocket\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
            return .script([.text(head)] + steps)
        }
        return server.url(path)
    }

    @Test func `a message that comes with the answer is not lost`() async throws {
        let gate = FixtureGate()
        server.on("/early") { request in
            let accept = Self.accept(request)
            let head =
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                + "Upgrade: websocket\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
            return .script([.send(Array(head.utf8) + RawFrame.text("early").bytes), .wait(gate)])
        }
        let probe = WebSocketProbe(server.url("/early"))
        probe.connection.start()
        #expect(await probe.receive() == .success(.text("early")))
        #expect(await probe.opening.value.head.status == 101)
    }

    @Test func `a connection that ends without a goodbye is lost`() async throws {
        let probe = WebSocketProbe(serve("/gone", .send(RawFrame.text("x").bytes), .close))
        probe.connection.start()
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("closed")
            return
        }
        #expect(error.code == .transport)
        #expect(error.cause?.code == .connectionLost)
        #expect(await probe.receive() == .success(.text("x")))
        #expect(await probe.receive() == .failure(error))
    }

    @Test func `a goodbye ends the connection, also if the server is gone by then`() async throws {
        let frame = RawFrame(opcode: 8, [0x03, 0xE9] + Array("later".utf8))
        let probe = WebSocketProbe(serve("/bye", .send(frame.bytes), .reset))
        probe.connection.start()
        let end = await probe.ending.value
        #expect(end == .closed(code: 1001, reason: Array("later".utf8)))
    }

    @Test func `a breach of the protocol ends the connection`() async throws {
        let gate = FixtureGate()
        let url = serve("/bad", .send(RawFrame(opcode: 1, [0xFF]).bytes), .wait(gate))
        let probe = WebSocketProbe(url)
        probe.connection.start()
        guard case .failure(let error) = await probe.receive() else {
            Issue.record("received")
            return
        }
        #expect(error.code == .protocolViolation)
        #expect(await probe.ending.value == .failed(error))
    }

    @Test func `a message without end is refused by its head`() async throws {
        let gate = FixtureGate()
        // wslay looks at a head when the first byte of its body has come.
        let head: [UInt8] = [0x82, 127, 0, 0, 0, 0, 0, 16, 0, 1, 0]
        let probe = WebSocketProbe(serve("/big", .send(head), .wait(gate)))
        probe.connection.start()
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("closed")
            return
        }
        #expect(error.code == .messageTooBig)
    }

    @Test func `a server that says nothing is given up`() async throws {
        let gate = FixtureGate()
        server.on("/mute", .script([.wait(gate)]))
        let probe = WebSocketProbe(server.url("/mute")) { $0.openingTimeout = .milliseconds(50) }
        probe.connection.start()
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("closed")
            return
        }
        #expect(error.cause?.code == .timedOut)
    }

    @Test func `a server that does not answer a goodbye is given up`() async throws {
        let gate = FixtureGate()
        let probe = WebSocketProbe(serve("/deaf", .wait(gate))) {
            $0.closingTimeout = .milliseconds(50)
        }
        probe.connection.start()
        _ = await probe.opening.value
        probe.connection.close(code: 1000, reason: [])
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("closed")
            return
        }
        #expect(error.cause?.code == .timedOut)
    }

    @Test func `what nobody receives is not read`() async throws {
        let frame = RawFrame(opcode: 2, [UInt8](repeating: 1, count: 10_000)).bytes
        let probe = WebSocketProbe(serve("/flood", .sendForever(frame)))
        probe.connection.start()
        _ = await probe.opening.value
        for _ in 0..<100 { #expect(try await probe.receive().get().byteCount == 10_000) }
        // Now the server has to wait; the connection is of use all the same.
        probe.connection.cancel()
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
    }

    @Test func `a server that sends pings and reads no pongs has to wait`() async throws {
        // More than all buffers on the way can hold, of the pings and of the pongs together.
        var pings = RawFrame(opcode: 9, [UInt8](repeating: 1, count: 125)).bytes
        while pings.count < 64 << 20 { pings += pings }
        let content = FixtureContent.bytes(pings)
        let all = 0..<content.byteCount
        let probe = WebSocketProbe(
            serve("/pings", .sendBody(content, all, bytesPerSecond: nil))
        )
        probe.connection.start()
        try await server.waitUntil { $0.requests.first?.state == .blocked }
        probe.connection.cancel()
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
    }

    @Test func `a server that cannot be reached is an error of the connection`() async throws {
        let port = try FixtureClosedPort()
        let probe = WebSocketProbe("ws://127.0.0.1:\(port.port)/")
        probe.connection.start()
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("closed")
            return
        }
        #expect(error.cause?.code == .cannotConnectToHost)
        #expect(await probe.send(.text("late")) == error)
    }

    @Test func `a redirect opens a connection elsewhere, with what waits to be sent`() async throws
    {
        server.on("/from", .redirect(to: "/to"))
        let gate = FixtureGate()
        let url = serve("/to", .send(RawFrame.text("here").bytes), .wait(gate))
        let probe = WebSocketProbe(server.url("/from"), redirect: WebSocketRequest(url: url))
        async let sent = probe.send(.text("hello"))
        probe.connection.start()
        #expect(await probe.receive() == .success(.text("here")))
        #expect(await sent == nil)
        #expect(probe.refusalStatuses == [302])
    }

    @Test func `an answer that is no opening is a refusal`() async throws {
        let probe = WebSocketProbe(server.url("/nowhere"))
        probe.connection.start()
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("closed")
            return
        }
        #expect(error.code == .refused)
        #expect(probe.refusalStatuses == [404])
    }

    @Test(arguments: ["ftp://host/", "ws://", "ws://ho st/"])
    func `a URL that leads nowhere is an error, later`(url: String) async throws {
        let probe = WebSocketProbe(url)
        probe.connection.start()
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("closed")
            return
        }
        #expect([.badURL, .unsupportedURL].contains(error.cause?.code))
    }

    @Test func `a proxy is asked for a tunnel, through which all goes`() async {
        await #expect(processExitsWith: .success) { @LoopActor in
            let server = try FixtureServer()
            // What libcurl reads is the process's environment.
            ProcessEnvironment.set("http_proxy", server.origin)
            server.on("somewhere.invalid:80", .script([.text("HTTP/1.1 200 Go on\r\n\r\n")]))
            server.on("/chat") { request in
                let accept = Self.accept(request)
                let head =
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                    + "Upgrade: websocket\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
                return .script([.text(head), .send(RawFrame.text("far").bytes)])
            }
            let probe = WebSocketProbe("ws://somewhere.invalid/chat", proxies: .environment)
            probe.connection.start()
            #expect(await probe.receive() == .success(.text("far")))
            #expect(server.requests.map(\.method) == ["CONNECT", "GET"])
            #expect(server.requests.last?["Host"] == "somewhere.invalid")
            #expect(Set(server.requests.map(\.connection)).count == 1)
        }
    }

    @Test func `a connection that its owner lets go of is closed`() async throws {
        let gate = FixtureGate()
        let url = serve("/left", .wait(gate))
        do {
            let probe = WebSocketProbe(url)
            probe.connection.start()
            _ = await probe.opening.value
        }
        try await server.waitUntil { $0.requests.first?.state == .abandoned }
    }
}

@Suite(.timeLimit(.minutes(5))) struct WebSocketQueueTests {
    @Test func `what went in first comes out first, whatever the order of calls`() {
        var queue = WebSocketQueue<Int>()
        var next = 0
        var expected = 0
        for round in 0..<100 {
            for _ in 0...(round % 7) {
                queue.append(next)
                next += 1
            }
            for _ in 0...(round % 5) where !queue.isEmpty {
                #expect(queue.first == expected)
                #expect(queue.popFirst() == expected)
                expected += 1
            }
        }
        #expect(queue.takeAll() == Array(expected..<next))
        #expect(queue.isEmpty && queue.first == nil && queue.popFirst() == nil)
    }
}
