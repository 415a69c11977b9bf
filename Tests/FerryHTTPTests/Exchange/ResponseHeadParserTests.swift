import FerryHTTP
import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct ResponseHeadParserTests {
    private func parse(
        _ lines: [String],
        maximumByteCount: Int = 10_000
    ) -> [ResponseHeadParser.Event] {
        parse(lines.map { Array($0.utf8) }, maximumByteCount: maximumByteCount)
    }

    private func parse(
        _ lines: [[UInt8]],
        maximumByteCount: Int = 10_000
    ) -> [ResponseHeadParser.Event] {
        var parser = ResponseHeadParser(url: "http://a/", maximumByteCount: maximumByteCount)
        return lines.map { line in
            line.withUnsafeBytes { parser.append($0) }
        }
    }

    private func head(
        _ status: Int,
        _ fields: KeyValuePairs<String, String> = [:],
        version: String = "HTTP/1.1"
    ) -> ResponseHeadParser.Event {
        let fields = fields.map { HTTPField(name: $0.key, value: $0.value) }
        return .head(
            HTTPResponseHead(status: status, version: version, fields: fields, url: "http://a/")
        )
    }

    @Test func `a head is complete at its empty line`() {
        let events = parse(["HTTP/1.1 200 OK\r\n", "A: b\r\n", "C:d\r\n", "\r\n"])
        #expect(events == [.nothing, .nothing, .nothing, head(200, ["A": "b", "C": "d"])])
    }

    @Test(arguments: [
        ("HTTP/1.1 204\r\n", 204, "HTTP/1.1"), ("HTTP/1.0 404 Not Found\r\n", 404, "HTTP/1.0"),
        ("HTTP/2 200 \r\n", 200, "HTTP/2"), ("HTTP/1.1 999 Überall\r\n", 999, "HTTP/1.1"),
        ("HTTP/1.1 200 OK\n", 200, "HTTP/1.1"),
    ])
    func `a status line may look like this`(line: String, status: Int, version: String) {
        #expect(parse([line, "\r\n"]) == [.nothing, head(status, version: version)])
    }

    @Test(arguments: [
        "HTTP/1.1\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 -20 OK\r\n",
        "HTTP/1.1 099 OK\r\n", "HTTP/1.1 +20 OK\r\n", "ICY 200 OK\r\n", "http/1.1 200 OK\r\n",
        "HTTP/2.0 200 OK\r\n",
    ])
    func `a status line may not look like that`(line: String) throws {
        guard case .failure(let error) = try #require(parse([line]).first) else {
            Issue.record("\(line) was accepted")
            return
        }
        #expect(error.code == .badServerResponse)
    }

    @Test func `white space around a value is no part of it`() {
        let events = parse(["HTTP/1.1 200 OK\r\n", "A: \t b c \t\r\n", "B:\r\n", "C: \r\n", "\r\n"])
        #expect(events.last == head(200, ["A": "b c", "B": "", "C": ""]))
    }

    @Test func `a folded line goes on with the field before`() {
        let events = parse(["HTTP/1.1 200 OK\r\n", " x\r\n", "A: b\r\n", "\t c\r\n", "\r\n"])
        #expect(events.last == head(200, ["A": "b c"]))
    }

    @Test func `lines that are no fields are passed over`() {
        let events = parse(["HTTP/1.1 200 OK\r\n", "nonsense\r\n", ": x\r\n", "A: b:c\r\n", "\r\n"])
        #expect(events.last == head(200, ["A": "b:c"]))
    }

    @Test func `interim heads are told apart, with their fields`() {
        let events = parse([
            "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n",
            "A: b\r\n", "\r\n",
        ])
        let hints = HTTPResponseHead(
            status: 103,
            fields: [HTTPField(name: "Link", value: "x")],
            url: "http://a/"
        )
        #expect(events[..<3] == [.nothing, .nothing, .informational(hints)])
        #expect(events.last == head(200, ["A": "b"]))
    }

    @Test func `trailers are dropped`() {
        let events = parse([
            "HTTP/1.1 200 OK\r\n", "\r\n", "A: b\r\n", "HTTP/1.1 500 No\r\n", "\r\n",
        ])
        #expect(events == [.nothing, head(200), .nothing, .nothing, .nothing])
    }

    @Test func `a switch of protocols is refused`() throws {
        let events = parse(["HTTP/1.1 101 Switching Protocols\r\n", "Upgrade: x\r\n", "\r\n"])
        guard case .failure(let error) = try #require(events.last) else {
            Issue.record("101 was accepted")
            return
        }
        #expect(error.code == .badServerResponse)
    }

    @Test(arguments: [
        (["1", "1"], true), (["1", "2"], false), (["1", "01"], false), (["1, 1"], true),
        (["1,2"], false), (["1", "1 , 2"], false), (["1 , 1"], true),
        (["0000000000000000000000001"], true), (["9223372036854775807"], true),
        (["9223372036854775808"], false), ([""], false), (["1,"], false), (["1 1"], false),
        (["1abc"], false), (["+1"], false), (["1", "x"], false),
    ])
    func `two lengths must be one, and a number`(lengths: [String], isAccepted: Bool) throws {
        let lines = lengths.map { "Content-Length: \($0)\r\n" }
        let event = try #require(parse(["HTTP/1.1 200 OK\r\n"] + lines + ["\r\n"]).last)
        if case .head = event {
            #expect(isAccepted)
        } else {
            #expect(!isAccepted)
        }
    }

    @Test func `bytes that are not UTF-8 are taken for ISO 8859-1`() {
        let latin: [UInt8] = Array("A: \"Gr".utf8) + [0xFC, 0xDF] + Array("e\"\r\n".utf8)
        let utf8 = Array("B: Grüße\r\n".utf8)
        let events = parse([Array("HTTP/1.1 200 OK\r\n".utf8), latin, utf8, Array("\r\n".utf8)])
        #expect(events.last == head(200, ["A": "\"Grüße\"", "B": "Grüße"]))
    }

    @Test func `the limit holds for all lines together, interim ones and trailers included`() {
        let lines = [
            "HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "\r\n", "A: b\r\n",
        ]
        let size = lines.joined().utf8.count
        #expect(parse(lines, maximumByteCount: size).last == .nothing)
        guard case .failure(let error)? = parse(lines, maximumByteCount: size - 1).last else {
            Issue.record("The limit was exceeded without an error")
            return
        }
        #expect(error.code == .headersTooLarge)
    }

    @Test func `no sequence of bytes traps, and no head comes without a status`() {
        var random = SplitMix(seed: 99)
        let alphabet = Array("HTP/1. 02:ab\t\r\n".utf8) + [0, 0xFF, 0xC3]
        for _ in 0..<2000 {
            var parser = ResponseHeadParser(url: "", maximumByteCount: 200)
            for _ in 0..<Int.random(in: 1..<12, using: &random) {
                let start = Bool.random(using: &random) ? Array("HTTP/1.1 2".utf8) : []
                let count = Int.random(in: 0..<12, using: &random)
                let noise = (0..<count).compactMap { _ in alphabet.randomElement(using: &random) }
                let event = (start + noise).withUnsafeBytes { parser.append($0) }
                if case .head(let head) = event { #expect((200...999).contains(head.status)) }
            }
        }
    }
}
