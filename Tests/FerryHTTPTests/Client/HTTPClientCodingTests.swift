import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

/// What servers may do with a body in a coding.
@Suite(.timeLimit(.minutes(5))) @LoopActor struct HTTPClientCodingTests {
    let server: FixtureServer
    let client: HTTPClient

    init() throws {
        server = try FixtureServer()
        client = try .local()
    }

    nonisolated static let text = Packing.text(seed: 3, byteCount: 200_000)

    /// How the end of a body is told.
    enum Framing: CaseIterable {
        case length
        case chunks
        case close

        func frame(_ answer: FixtureAnswer) -> FixtureAnswer {
            switch self {
            case .length: answer
            case .chunks: answer.chunked(byteCount: 1000)
            case .close: answer.untilClose()
            }
        }
    }

    private func answer(_ bytes: [UInt8], _ coding: String) -> FixtureAnswer {
        .content(.bytes(bytes)).with(fields: [("Content-Encoding", coding)])
    }

    private func fetch(
        _ answer: FixtureAnswer,
        asking codings: String? = ContentCoding.allNames,
        method: String = "GET"
    ) async throws -> ExchangeProbe {
        server.on("/coded", answer)
        let fields = codings.map { [HTTPField(name: "Accept-Encoding", value: $0)] } ?? []
        return try await client.fetch(
            HTTPRequest(url: server.url("/coded"), method: method, fields: fields)
        )
    }

    // MARK: Early ends

    @Test(arguments: ContentCoding.allCases, Framing.allCases)
    func `SEC-12: a body that ends before its coding does is an error, however its end is told`(
        coding: ContentCoding,
        framing: Framing
    ) async throws {
        let packed = try Packing.pack(Self.text, coding)
        for tenth in 1..<10 {
            let cut = Array(packed[..<(packed.count * tenth / 10)])
            let probe = try await fetch(framing.frame(answer(cut, coding.rawValue)))
            #expect(probe.error?.code == .bodyTooShort, "cut at \(tenth) tenths")
            #expect(Self.text.starts(with: probe.bytes))
        }
        let whole = try await fetch(framing.frame(answer(packed, coding.rawValue)))
        #expect(whole.error == nil)
        #expect(whole.bytes == Self.text)
        #expect(try whole.head.isDecoded)
    }

    @Test(arguments: ContentCoding.allCases, Framing.allCases)
    func `SEC-12: an empty body has no coding, where its end is told`(
        coding: ContentCoding,
        framing: Framing
    ) async throws {
        let probe = try await fetch(framing.frame(answer([], coding.rawValue)))
        #expect(probe.error?.code == (framing == .close ? .bodyTooShort : nil))
        #expect(probe.bytes.isEmpty)
    }

    @Test(arguments: ContentCoding.allCases)
    func `bytes behind the end of a coding are an error`(coding: ContentCoding) async throws {
        let packed = try Packing.pack(Self.text, coding)
        let probe = try await fetch(answer(packed + Array("rubbish".utf8), coding.rawValue))
        #expect(probe.error?.code == .cannotDecodeContent)
    }

    @Test func `KEEP-5: a gzip body of several members is one body`() async throws {
        let packed = try (0..<5).flatMap { _ in try Packing.pack(Self.text, .gzip) }
        let probe = try await fetch(answer(packed, "gzip").chunked(byteCount: 333))
        #expect(probe.error == nil)
        #expect(probe.bytes == (0..<5).flatMap { _ in Self.text })
    }

    // MARK: What was not asked for

    @Test(
        arguments: [
            (nil, "gzip"), ("identity", "gzip"), ("", "gzip"), ("gzip;q=0", "gzip"),
            ("br", "gzip"), ("gzip", "gzip, br"), ("*;q=0", "gzip"), ("gzip", "gzip, x-secret"),
        ] as [(String?, String)]
    )
    func `KEEP-4: a coding that was not asked for stays`(
        asked: String?,
        coding: String
    ) async throws {
        // A header that lies does no harm, either.
        for bytes in [try Packing.pack(Self.text, .gzip), Self.text, []] {
            let probe = try await fetch(answer(bytes, coding), asking: asked)
            #expect(probe.error == nil)
            #expect(probe.bytes == bytes)
            #expect(try !probe.head.isDecoded)
        }
        #expect(server.requests.allSatisfy { $0["Accept-Encoding"] == asked ?? "identity" })
    }

    @Test(arguments: [
        ("x-gzip", "gzip"), ("gzip", "X-GZIP"), ("*", "gzip"), ("br, gzip;q=0.1", "gzip"),
    ])
    func `a coding is asked for by any of its names`(asked: String, coding: String) async throws {
        let packed = try Packing.pack(Self.text, .gzip)
        let probe = try await fetch(answer(packed, coding), asking: asked)
        #expect(probe.error == nil)
        #expect(probe.bytes == Self.text)
    }

    @Test func `more codings than five are an error`() async throws {
        var packed = Self.text
        for count in 1...6 {
            packed = try Packing.pack(packed, .gzip)
            let names = [String](repeating: "gzip", count: count).joined(separator: ", ")
            let probe = try await fetch(answer(packed, names))
            #expect(probe.error?.code == (count > 5 ? .cannotDecodeContent : nil))
            #expect(probe.bytes == (count > 5 ? [] : Self.text))
        }
    }

    @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func `a response that has no body needs no end of its coding`(
        method: String,
        status: Int
    ) async throws {
        let answer = FixtureAnswer.content(.bytes(try Packing.pack(Self.text, .gzip)))
            .with(fields: [("Content-Encoding", "gzip"), ("Content-Length", "1234")])
            .changing {
                $0.status = status
                $0.framing = .untilClose
            }
        let probe = try await fetch(answer, method: method)
        #expect(probe.error == nil)
        #expect(probe.bytes.isEmpty)
    }

    @Test func `a part of a coded body is no coded body`() async throws {
        let packed = try Packing.pack(Self.text, .gzip)
        let part = answer(Array(packed[100..<200]), "gzip").changing { $0.status = 206 }
        let probe = try await fetch(part)
        #expect(probe.error == nil)
        #expect(probe.bytes == Array(packed[100..<200]))
    }

    @Test(arguments: ["gzip", "gzip, chunked", "chunked, gzip", "x-secret"])
    func `SEC-12: a transfer coding that nobody has asked for is an error`(
        coding: String
    ) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n"
        let packed = try Packing.pack(Self.text, .gzip)
        let probe = try await fetch(.script([.text(head), .send(packed), .close]))
        #expect(probe.error?.code == .cannotDecodeContent)
        #expect(probe.bytes.isEmpty)
    }

    // MARK: Pauses

    @Test(arguments: ContentCoding.allCases, [1, 3])
    func `a pause in the middle of a piece loses nothing and brings nothing`(
        coding: ContentCoding,
        layerCount: Int
    ) async throws {
        // Little on the wire, and much of it in one piece.
        let zeros = [UInt8](repeating: 7, count: 3 << 20) + Self.text
        let packed = try (0..<layerCount).reduce(zeros) { bytes, _ in
            try Packing.pack(bytes, coding)
        }
        let names = [String](repeating: coding.rawValue, count: layerCount)
        server.on("/coded", answer(packed, names.joined(separator: ", ")))
        let probe = ExchangeProbe()
        var pauseCount = 0
        probe.onBytes = { [unowned probe] exchange in
            pauseCount += 1
            exchange.pause()
            let count = probe.bytes.count
            // After whatever is under way has had its turn.
            LoopActor.perform {
                LoopActor.perform {
                    #expect(probe.bytes.count == count || probe.bytes.count == zeros.count)
                    exchange.resume()
                }
            }
            return .deliver
        }
        let fields = [HTTPField(name: "Accept-Encoding", value: ContentCoding.allNames)]
        client.start(HTTPRequest(url: server.url("/coded"), fields: fields), handler: probe)
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(probe.bytes == zeros)
        #expect(pauseCount > 10)
    }

    @Test func `a handler that wants no more of a coded body gets its end`() async throws {
        let packed = try Packing.pack(Self.text, .gzip)
        // What is not wanted is not decoded: that it ends early does not matter.
        server.on("/coded", answer(Array(packed.dropLast(100)), "gzip"))
        let probe = ExchangeProbe()
        probe.onBytes = { _ in .discard }
        let fields = [HTTPField(name: "Accept-Encoding", value: "gzip")]
        client.start(HTTPRequest(url: server.url("/coded"), fields: fields), handler: probe)
        try await probe.finished()
        #expect(probe.error == nil)
        #expect(probe.bytes.count <= BodyDecoder.stepByteCount)
    }

    @Test func `metrics count a coded body as it came and as it is`() async throws {
        let packed = try Packing.pack(Self.text, .brotli)
        server.on("/coded", answer(packed, "br").chunked(byteCount: 777))
        let probe = ExchangeProbe()
        let fields = [HTTPField(name: "Accept-Encoding", value: "br")]
        let exchange = client.start(
            HTTPRequest(url: server.url("/coded"), fields: fields),
            handler: probe
        )
        try await probe.finished()
        #expect(exchange.metrics.decodedBodyByteCount == Int64(Self.text.count))
        #expect(exchange.takenBodyByteCount == Int64(packed.count))
    }
}
