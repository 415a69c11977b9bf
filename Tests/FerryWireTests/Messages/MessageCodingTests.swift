import FerryHTTP
import FoundationEssentials
import Testing

@testable import FerryWire

/// The JSON text of values, beside Foundation's encoder and decoder.
@Suite(.timeLimit(.minutes(5))) struct MessageCodingTests {
    private static let texts = [
        "", "GET", "http://example.org/a?b=c", "\"", "\\", "/",
        "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}",
        "é", "日本", "\u{2028}", "👩‍👩‍👧",
    ]
    private static let numbers: [Double] = [
        0, -0.0, 1, 60, 0.5, 0.75, 1e-5, 1e15, 1e16, 1e17, 123_456.789, 604_800, 1e300, -2.25,
        9_007_199_254_740_992, 0.1 + 0.2, .leastNonzeroMagnitude,
    ]

    private static var requests: [Wire.Request] {
        texts.map { text in
            Wire.Request(
                url: text,
                method: "GET",
                fields: [Wire.Field(name: text, value: "v"), Wire.Field(name: "n", value: text)],
                body: Data(text.utf8),
                idleTimeout: 60
            )
        }
            + numbers.map { Wire.Request(url: "a", method: "b", fields: [], idleTimeout: $0) }
    }

    @Test func `a value's text is what an encoder with sorted names writes`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for request in Self.requests {
            let text = try MessageCoding.encode(request)
            #expect(
                String(decoding: text, as: UTF8.self)
                    == String(decoding: try encoder.encode(request), as: UTF8.self)
            )
            #expect(try MessageCoding.decode(Wire.Request.self, from: text) == request)
        }
    }

    @Test(arguments: ["\"", "\\", "\u{1F}", "é", "/"], 0...33)
    func `whether a character is escaped does not depend on its position`(
        character: Character,
        position: Int
    ) throws {
        var text = String(repeating: "a", count: 33)
        text.insert(character, at: text.index(text.startIndex, offsetBy: position))
        var output = JSONOutput()
        output.string(text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        #expect(output.bytes == Array(try encoder.encode(text)))
        #expect(try MessageCoding.decode(String.self, from: output.bytes) == text)
    }

    @Test(arguments: 0...33) func `a control or a byte that is no UTF-8 is refused at any position`(
        position: Int
    ) {
        for byte: UInt8 in [0x1F, 0xFF] {
            var text = Array("\"\(String(repeating: "a", count: 33))\"".utf8)
            text.insert(byte, at: position + 1)
            #expect(throws: MessageError.self) {
                try MessageCoding.decode(String.self, from: text)
            }
            #expect(Encoded<String>(text: text).sendable == nil)
        }
    }

    @Test func `an array is encoded as its elements are made`() throws {
        func encoded<Element: JSONCodable>(_ elements: [Element]) -> Encoded<[Element]> {
            Encoded { output in
                for element in elements { element.write(to: &output) }
            }
        }
        #expect(encoded([] as [String]) == Encoded([]))
        #expect(encoded(Self.texts) == Encoded(Self.texts))
        #expect(try encoded(Self.texts).decoded() == Self.texts)
        #expect(encoded([0, .infinity]).value == nil)
    }

    @Test func `values are equal if their texts are`() {
        let texts = ["", "1", "2", "12"].map { Encoded<Int>(text: Array($0.utf8)) }
        for (index, text) in texts.enumerated() {
            #expect(texts.indices.filter { texts[$0] == text } == [index])
        }
    }

    @Test(arguments: [
        (Samples.request.url, Encoded(Samples.request)),
        (
            "http://ä/",
            Encoded(text: Array(#"{"body":[{"url":"b"}],"url":"http:\/\/\u00e4/"}"#.utf8))
        ),
        (nil, Encoded(text: Array(#"{"uri":"http://a/"}"#.utf8))),
        (nil, Encoded(text: Array(#"["url"]"#.utf8))), (nil, Encoded(text: [])),
        (nil, Encoded(text: Array(#"{"url":"http://a/""#.utf8))),
    ])
    func `the address of a request is read without the rest`(
        url: String?,
        request: Encoded<Wire.Request>
    ) {
        #expect(request.url == url)
    }

    @Test(arguments: ["", "{", #"{"url":"a}"#, "{}x", "\u{0}"])
    func `a stored text that is not JSON is not passed on`(text: String) {
        #expect(Encoded<Wire.Request>(text: Array(text.utf8)).sendable == nil)
    }

    @Test func `an integer's text is its description`() {
        var integers: [Int64] = [0, .max, .min]
        var power: Int64 = 1
        for _ in 0...18 {
            integers += [power - 1, power, power + 1, -power]
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        for integer in integers {
            var output = JSONOutput()
            output.integer(integer)
            #expect(String(decoding: output.bytes, as: UTF8.self) == integer.description)
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `a number that JSON does not have is an error`(number: Double) {
        let request = Wire.Request(url: "", method: "", fields: [], idleTimeout: number)
        #expect(throws: MessageError.self) { try MessageCoding.encode(request) }
        let call = Wire.CreateDownload(session: 1, identifier: 1, request: request, priority: 0)
        #expect(throws: MessageError.self) { try MessageCoding.message(calling: call) }
    }

    @Test(arguments: [
        (#"{ "value" : "v" , "name" : "n" }"#, Wire.Field(name: "n", value: "v")),
        (
            #"{"name":"\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\","value":""}"#,
            Wire.Field(name: "é😀/\u{8}\u{C}\n\r\t\"\\", value: "")
        ),
        (
            #"{"name":"a","new":{"a":[1,-0.5e+3,true,false,null,"\u0000"]},"value":"b"}"#,
            Wire.Field(name: "a", value: "b")
        ),
        (#"{"name":"a","name":"b","value":"c"}"#, Wire.Field(name: "b", value: "c")),
    ])
    func `text that others write is read`(text: String, field: Wire.Field) throws {
        #expect(try MessageCoding.decode(Wire.Field.self, from: Data(text.utf8)) == field)
    }

    @Test(arguments: [
        ("", "it ends where an object is expected"),
        (#"{"name":"a"}"#, "value: it is missing"),
        (#"{"name":null,"value":"b"}"#, "name: it is missing"),
        (#"{"name":1,"value":"b"}"#, "name: a string is expected where \"1\" stands"),
        (#"{"name":"a","value":"b"} x"#, "the end is expected where \"x\" stands"),
        (#"{"name":"\ud83d","value":"b"}"#, "name: half a surrogate pair"),
        (#"{"name":"\ud83d\u0041","value":"b"}"#, "name: half a surrogate pair"),
        (#"{"name":"\u12","value":"b"}"#, "name: an escape that JSON does not have"),
        (#"{"name":"\x","value":"b"}"#, "name: an escape that JSON does not have"),
        (#"{"name":"a"#, "name: a string without an end"),
        (#"{"name":"a\"#, "name: a string without an end"),
        (#"{"name":"a","value":"b","new":01}"#, "new: a number with a zero before it"),
        (
            #"{"name":"a","value":"b","new":[1,{"a":nul}]}"#,
            "new[1].a: a number is expected where \"n\" stands"
        ),
    ])
    func `what is wrong is said, and where`(text: String, problem: String) {
        #expect(throws: MessageError.malformed(problem)) {
            try MessageCoding.decode(Wire.Field.self, from: Data(text.utf8))
        }
    }

    @Test(arguments: [
        ("7", 7), ("-7", -7), ("7.0", 7), ("7e2", 700), ("9223372036854775807", Int64.max),
        ("999999999999999999", 999_999_999_999_999_999),
        ("-99999999999999999", -99_999_999_999_999_999),
        ("-999999999999999999", -999_999_999_999_999_999),
        ("-9223372036854775808", .min), ("-0", 0),
    ])
    func `a whole number is read however it is written`(text: String, number: Int64) throws {
        let id = try MessageCoding.decode(Wire.GetTask.self, from: Data(#"{"id":\#(text)}"#.utf8))
            .id
        #expect(id == number)
    }

    @Test(arguments: [
        ("7", 7), ("-7", -7), ("9007199254740993", 0x1p53), ("-9223372036854775808", -0x1p63),
        ("999999999999999999", 1e18), ("1000000000000000000", 1e18), ("1e3", 1000), ("-0.5", -0.5),
    ])
    func `a number is read however it is written`(text: String, number: Double) throws {
        #expect(try MessageCoding.decode(Double.self, from: Data(text.utf8)) == number)
    }

    @Test(arguments: [
        "7.5", "9223372036854775808", "-9223372036854775809", "1e19", "1e400", "+7", ".5", "5.",
        "1e",
        "0x7",
    ])
    func `what is no whole number is refused`(text: String) {
        #expect(throws: MessageError.self) {
            try MessageCoding.decode(Wire.GetTask.self, from: Data(#"{"id":\#(text)}"#.utf8))
        }
    }

    @Test func `objects and arrays that nobody knows are not followed for ever`() {
        let text = #"{"name":"a","value":"b","new":"# + String(repeating: "[", count: 1_000_000)
        #expect(throws: MessageError.self) {
            try MessageCoding.decode(Wire.Field.self, from: Data(text.utf8))
        }
    }

    @Test func `what a newer version writes is read as another`() throws {
        let text = Data(#"{"reason":"weather"}"#.utf8)
        #expect(try MessageCoding.decode(Wire.Wait.self, from: text).reason == .other)
        let state = Data(#"{"kind":"stone"}"#.utf8)
        #expect(
            throws: MessageError.malformed("kind: \"stone\" is an unknown name")
        ) {
            try MessageCoding.decode(Wire.Log.self, from: state)
        }
    }

    @Test func `a message's members may be left out`() throws {
        let none = try IncomingReply<Wire.Empty>(from: Data("{}".utf8))
        #expect(none.result == .success(Wire.Empty()))
        let null = try IncomingReply<Wire.Empty>(from: Data(#"{"parameters":null}"#.utf8))
        #expect(null.result == .success(Wire.Empty()))
        #expect(throws: MessageError.self) {
            try IncomingReply<Wire.GetTask.Reply>(from: Data("{}".utf8))
        }
    }

    @Test(arguments: [true, false])
    func `a reply's message is read again`(continues: Bool) throws {
        for id in [0, 1, -1, 1_234_567_890_123_456_789, Int64.max, .min] {
            let reply = Wire.CreateDownload.Reply(id: id)
            let message = try MessageCoding.message(
                replying: { reply.write(to: &$0) },
                continues: continues
            )
            let read = try IncomingReply<Wire.CreateDownload.Reply>(from: Data(message.dropLast()))
            #expect(read.result == .success(reply))
            #expect(read.continues == continues)
        }
    }

    // MARK: What is not as it should be

    @Test(.timeLimit(.minutes(1)))
    func `whatever a text is like, it is read as by Foundation's decoder, or by neither`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Numbers(state: seed)
        var accepted = 0
        let texts = try Self.requests.map { try MessageCoding.encode($0) }
        let decoder = JSONDecoder()
        for _ in 0..<20_000 {
            let whole = texts[Int(random.next() % UInt64(texts.count))]
            let text = spoil(whole, &random)
            // Two objects that became one have names twice, of which Foundation's decoder takes the first (RFC 8259 §4).
            let brace = UInt8(ascii: "{")
            guard text.count(where: { $0 == brace }) >= whole.count(where: { $0 == brace }) else {
                continue
            }
            let read = try? MessageCoding.decode(Wire.Request.self, from: text)
            let decoded = try? decoder.decode(Wire.Request.self, from: Data(text))
            if read != nil { accepted += 1 }
            // Foundation's decoder does not look at what nobody knows, and refuses some numbers with exponents.
            let isPlain =
                text.allSatisfy { (0x20..<0x80).contains($0) } && !Self.hasExponent(text)
                && !Self.hasUnknownMember(text) && !Self.hasUnknownEscape(text)
            guard isPlain || read != nil && decoded != nil else { continue }
            #expect(read == decoded, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
        #expect(accepted > 1000)
    }

    private static func hasExponent(_ text: [UInt8]) -> Bool {
        zip(text, text.dropFirst()).contains { digit, next in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) && "eE".utf8.contains(next)
        }
    }

    /// Whether there is a member that `tokens` has inserted.
    private static func hasUnknownMember(_ text: [UInt8]) -> Bool {
        text.contains("\"new\"".utf8) || text.contains("\"other\"".utf8)
    }

    /// Whether there is an escape that JSON does not know (RFC 8259 §7), perhaps where Foundation's decoder does not look.
    private static func hasUnknownEscape(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        while let place = rest.firstIndex(of: UInt8(ascii: "\\")) {
            rest = rest[(place + 1)...]
            guard let letter = rest.popFirst(),
                "\"\\/bfnrt".utf8.contains(letter) || letter == UInt8(ascii: "u")
            else { return true }
            guard letter == UInt8(ascii: "u") else { continue }
            let digits = rest.prefix(4)
            guard digits.count == 4, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
            else { return true }
        }
        return false
    }

    private func spoil(_ message: [UInt8], _ random: inout Numbers) -> [UInt8] {
        var message = message
        for _ in 0..<Int(random.next() % 3) {
            let place = Int(random.next() % UInt64(message.count))
            switch random.next() % 3 {
            case 0: message[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: message.remove(at: place)
            default:
                let token = Self.tokens[Int(random.next() % UInt64(Self.tokens.count))]
                message.insert(contentsOf: token, at: place)
            }
        }
        return message
    }

    private static let tokens = [
        "null", "true", "1e2", "-0", "01", "1.", "\\u0041", "\"new\":1,", "{", "]", " ",
        "\u{0}", "9999999999999999999", "\\", "\\\"", "\\/", "\\n", "\"other\":[],",
    ].map { Array($0.utf8) }
}

/// SplitMix64.
private struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
