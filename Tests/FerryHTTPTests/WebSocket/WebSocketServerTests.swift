import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// Connections to a server that others wrote.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct WebSocketServerTests {
    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 1 << 20])
    func `messages come back as they went`(count: Int) async throws {
        let server = try await WebSocketServer.start()
        let probe = WebSocketProbe(server.url + "/echo")
        probe.connection.start()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(await probe.send(.binary(bytes)) == nil)
        #expect(await probe.send(.text("ünï")) == nil)
        #expect(await probe.receive() == .success(.binary(bytes)))
        #expect(await probe.receive() == .success(.text("ünï")))
        #expect(await probe.ping() == nil)
        probe.connection.close(code: 1000, reason: Array("done".utf8))
        #expect(await probe.ending.value == .closed(code: 1000, reason: Array("done".utf8)))
    }

    @Test func `messages cross by TLS in both directions`() async throws {
        let server = try await WebSocketServer.start(tls: true)
        let probe = WebSocketProbe(server.url + "/echo", authorityFile: server.authorityFile)
        probe.connection.start()
        let message = WebSocketMessage.binary([UInt8](repeating: 7, count: 1 << 20))
        for _ in 0..<8 { probe.connection.send(message) { _ in } }
        for _ in 0..<8 { #expect(await probe.receive() == .success(message)) }
        #expect(await probe.ping() == nil)
        probe.connection.close(code: 1000, reason: [])
        #expect(await probe.ending.value == .closed(code: 1000, reason: []))
    }

    @Test func `a server that nobody has vouched for is refused`() async throws {
        let server = try await WebSocketServer.start(tls: true)
        let probe = WebSocketProbe(server.url + "/echo")
        probe.connection.start()
        guard case .failed(let error) = await probe.ending.value else {
            Issue.record("closed")
            return
        }
        #expect(error.cause?.code == .serverCertificateUntrusted)
    }

    @Test func `a server that does not read makes the sender wait`() async throws {
        let server = try await WebSocketServer.start()
        let probe = WebSocketProbe(server.url + "/deaf")
        probe.connection.start()
        let message = WebSocketMessage.binary([UInt8](repeating: 7, count: 1 << 20))
        // More than all buffers on the way can hold.
        let outcomes = Recorder<WebSocketError?>()
        let last = AsyncValue<WebSocketError?>()
        for index in 0..<64 {
            probe.connection.send(message) { error in
                outcomes.append(error)
                if index == 63 { last.set(error) }
            }
        }
        _ = await probe.opening.value
        probe.connection.cancel()
        #expect(await last.value?.code == .cancelled)
        #expect(outcomes.elements.count == 64)
    }

    @Test func `ten thousand messages keep their order`() async throws {
        let server = try await WebSocketServer.start()
        let probe = WebSocketProbe(server.url + "/count?count=10000")
        probe.connection.start()
        for number in 0..<10_000 {
            let message = await probe.receive()
            guard message == .success(.text(String(number))) else {
                Issue.record("\(message) in place of \(number)")
                return
            }
        }
    }
}
