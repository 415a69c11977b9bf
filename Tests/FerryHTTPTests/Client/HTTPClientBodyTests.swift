import FerryHTTP
import FerrySystem
import FerryTestSupport
import Glibc
import Testing

/// Bodies of requests that are not held in memory.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientBodyTests {
    let server: FixtureServer
    let client: HTTPClient

    init() throws {
        server = try FixtureServer()
        server.on("/up", .content(.text("thanks")))
        client = try .local()
    }

    private func put(_ path: String = "/up") -> HTTPRequest {
        HTTPRequest(url: server.url(path), method: "PUT")
    }

    private func file(_ bytes: [UInt8]) throws -> FileBodySource.Opened {
        let file = try ExchangeProbe.makeFile()
        let descriptor = file.rawValue
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        try #require(count == bytes.count)
        return FileBodySource.Opened(UserFile(file))
    }

    @Test(arguments: [0, 1, 100_000, 3 << 20])
    func `a file is sent as it is read`(count: Int) async throws {
        let bytes = FixtureContent.seeded(5, byteCount: Int64(count)).bytes(in: 0..<Int64(count))
        let source = FileBodySource(try file(bytes), range: 0..<Int64(count))
        let probe = try await client.fetch(put(), body: source)
        #expect(probe.error == nil)
        #expect(probe.text == "thanks")
        let request = try #require(server.requests.first)
        #expect(request["Content-Length"] == "\(count)")
        #expect(request["Content-Type"] == nil)
        #expect(request.body == bytes)
        #expect(probe.sentByteCounts == probe.sentByteCounts.sorted())
        #expect(probe.sentByteCounts.last ?? 0 == Int64(count))
    }

    @Test func `a part of a file is sent`() async throws {
        let source = FileBodySource(try file(Array("0123456789".utf8)), range: 3..<7)
        _ = try await client.fetch(put(), body: source)
        #expect(server.requests.first?.body == Array("3456".utf8))
    }

    @Test func `a file that becomes shorter fails the exchange`() async throws {
        let source = FileBodySource(try file(Array("0123456789".utf8)), range: 0..<20)
        let probe = try await client.fetch(put(), body: source)
        #expect(probe.error?.code == .bodyUnreadable)
        #expect(probe.calls == [.finish])
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [nil, 10] as [Int64?])
    func `a body that comes in pieces is sent as it comes`(byteCount: Int64?) async throws {
        let source = ScriptedBodySource(byteCount: byteCount)
        let probe = ExchangeProbe()
        client.start(put(), body: source, handler: probe)
        source.add("01234")
        try await probe.waitUntil { probe.sentByteCounts.last == 5 }
        source.add("56")
        source.add("789")
        source.end()
        try await probe.finished()
        #expect(probe.error == nil)
        let request = try #require(server.requests.first)
        #expect(request.body == Array("0123456789".utf8))
        #expect(request["Transfer-Encoding"] == (byteCount == nil ? "chunked" : nil))
        #expect(request["Content-Length"] == byteCount.map { "\($0)" })
        #expect(request["Expect"] == nil)
        #expect(probe.sentByteCounts.last == 10)
    }

    @Test func `a body that cannot be had any further fails the exchange`() async throws {
        let source = ScriptedBodySource()
        let probe = ExchangeProbe()
        client.start(put(), body: source, handler: probe)
        source.add("01234")
        try await probe.waitUntil { probe.sentByteCounts.last == 5 }
        source.fail("The tape is torn")
        try await probe.finished()
        #expect(probe.error?.code == .bodyUnreadable)
        #expect(probe.error?.message == "The tape is torn")
    }

    @Test(arguments: [true, false])
    func `a body that must be sent again is sent from its start, or fails`(
        goesBack: Bool
    ) async throws {
        server.on("/first", .content(.text("1")))
        server.on("/second", .script([.close]), .content(.text("2")))
        _ = try await client.fetch(HTTPRequest(url: server.url("/first")))
        let source = ScriptedBodySource(byteCount: 4, goesBack: goesBack)
        source.add("body")
        source.end()
        let probe = try await client.fetch(put("/second"), body: source)
        if goesBack {
            #expect(probe.error == nil)
            let bodies = server.requests(to: "/second").map(\.body)
            #expect(bodies == [Array("body".utf8), Array("body".utf8)])
            #expect(probe.sentByteCounts == [4, 4])
        } else {
            #expect(probe.error?.code == .bodySpent)
            #expect(server.requests(to: "/second").count == 1)
        }
    }

    @Test func `a cancel while a body is awaited ends the exchange without a word`() async throws {
        let source = ScriptedBodySource()
        let probe = ExchangeProbe()
        let exchange = client.start(put(), body: source, handler: probe)
        source.add("01234")
        try await probe.waitUntil { probe.sentByteCounts.last == 5 }
        exchange.cancel()
        source.add("late")
        source.end()
        _ = try await client.fetch(HTTPRequest(url: server.url("/up")))
        #expect(probe.calls.isEmpty)
    }

    @Test func `a server may answer before it has read the body`() async throws {
        let answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        server.on("/up", .script([.send(Array(answer.utf8)), .close]))
        let source = ScriptedBodySource(byteCount: 4)
        source.add("body")
        source.end()
        let probe = try await client.fetch(put(), body: source)
        #expect(try probe.head.status == 413)
        #expect(probe.text == "no")
    }
}
