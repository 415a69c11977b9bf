import FerryTestSupport
import FoundationEssentials
import Testing

@testable import FerryWire

/// What is read and written without a decoder or encoder is what those read and write.
@Suite(.timeLimit(.minutes(5))) struct DirectCodingTests {
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
                idleTimeout: 60
            )
        }
            + numbers.map { Wire.Request(url: "a", method: "b", fields: [], idleTimeout: $0) }
            + [
                Wire.Request(
                    url: "a",
                    method: "P",
                    fields: [],
                    body: Data([0, 255]),
                    idleTimeout: 1
                )
            ]
    }

    private static var creations: [Wire.CreateDownload] {
        requests.map { request in
            Wire.CreateDownload(
                session: 5,
                identifier: 7,
                request: request,
                resumeData: request.body,
                description: request.fields.first?.name,
                priority: request.idleTimeout,
                resumed: request.fields.isEmpty ? nil : true
            )
        }
    }

    @Test func `a request's text is what an encoder with sorted names writes`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for request in Self.requests {
            let text = try #require(request.text)
            #expect(
                String(decoding: text, as: UTF8.self)
                    == String(decoding: try encoder.encode(request), as: UTF8.self)
            )
            if let read = Wire.Request(text: text) { #expect(read == request) }
        }
        #expect(Wire.Request(text: Array("{}".utf8)) == nil)
    }

    @Test func `a usual request is read without a decoder`() throws {
        let request = Wire.Request(
            url: "http://example.org/é",
            method: "GET",
            fields: [Wire.Field(name: "Accept", value: "*/*")],
            idleTimeout: 0.5
        )
        #expect(Wire.Request(text: try #require(request.text)) == request)
        let spaced = """
             { "url" : "u" , "method":"m","fields": [ { "value":"v","name":"n" } ] ,"idleTimeout":6 }\u{20}
            """
        let expected = Wire.Request(
            url: "u",
            method: "m",
            fields: [Wire.Field(name: "n", value: "v")],
            idleTimeout: 6
        )
        #expect(Wire.Request(text: Array(spaced.utf8)) == expected)
    }

    @Test func `a number that JSON does not have is an error`() {
        for number in [Double.infinity, -.infinity, .nan] {
            let request = Wire.Request(url: "", method: "", fields: [], idleTimeout: number)
            #expect(request.text == nil)
            let create = Wire.CreateDownload(
                session: 1,
                identifier: 1,
                request: request,
                priority: 0
            )
            #expect(throws: MessageError.self) {
                try MessageCoding.message(
                    calling: CallMessage(method: "a", parameters: create)
                )
            }
        }
    }

    @Test func `a call's message is read alike by a decoder`() throws {
        for create in Self.creations {
            let call = CallMessage(method: "m", parameters: create)
            let message = Data(try MessageCoding.message(calling: call).dropLast())
            let read: ReadCall<Wire.CreateDownload> = try MessageCoding.decode(from: message)
            #expect(read == ReadCall(method: "m", parameters: create))
        }
        let acknowledge = Wire.Acknowledge(session: .min, sequence: .max)
        let call = CallMessage(method: "m", parameters: acknowledge)
        let message = Data(try MessageCoding.message(calling: call).dropLast())
        let read: ReadCall<Wire.Acknowledge> = try MessageCoding.decode(from: message)
        #expect(read.parameters == acknowledge)
    }

    @Test func `a reply's message is read alike, directly and by a decoder`() throws {
        for id in [0, 1, -1, 1_234_567_890_123_456_789, Int64.max, .min] {
            let reply = Wire.CreateDownload.Reply(id: id)
            for continues in [nil, true] {
                let message = Data(
                    try MessageCoding.message(
                        replying: ReplyMessage(parameters: reply, continues: continues)
                    ).dropLast()
                )
                let read: IncomingReply<Wire.CreateDownload.Reply> =
                    try MessageCoding.reply(from: message)
                #expect(read.result == .success(reply))
                #expect(read.continues == (continues ?? false))
            }
        }
        let empty: IncomingReply<Wire.Empty> =
            try MessageCoding.reply(from: Data(#"{"parameters":{}}"#.utf8))
        #expect(empty.result == .success(Wire.Empty()))
        let none: IncomingReply<Wire.Empty> = try MessageCoding.reply(from: Data("{}".utf8))
        #expect(none.result == .success(Wire.Empty()))
    }

    // MARK: Events

    private static var events: [Wire.Event] {
        let request = Wire.Request(url: "http://a/b", method: "GET", fields: [], idleTimeout: 60)
        let samples = texts.map { text in
            Wire.Event(
                kind: .finished,
                sequence: 7,
                task: 1,
                response: Wire.Response(
                    url: text,
                    status: 200,
                    version: "HTTP/1.1",
                    fields: [Wire.Field(name: "ETag", value: "\"\(text)\"")]
                ),
                request: request,
                receivedByteCount: 4096,
                expectedByteCount: 0,
                path: "/tmp/\(text)"
            )
        }
        let failed = Wire.Event(
            kind: .completed,
            sequence: 8,
            task: 2,
            receivedByteCount: .max,
            failure: Wire.Failure(code: "timedOut", message: "nothing came"),
            resumeData: Data([1, 2, 255]),
            cancelReason: 1
        )
        let measured = Wire.Event(kind: .completed, sequence: 9, task: 3, metrics: Samples.metrics)
        return samples + [
            failed, measured, Wire.Event(kind: .drained),
            Wire.Event(kind: .resumed, task: 3, offset: 5),
        ]
    }

    @Test func `an event's text and a decoder's are read alike`() throws {
        for event in Self.events {
            let text = Data(try #require(event.text))
            #expect(try MessageCoding.decode(Wire.Event.self, from: text) == event)
            let encoded = try MessageCoding.encode(event)
            #expect(Wire.Event(text: Array(encoded)) ?? event == event)
            let message = try MessageCoding.message(
                replying: ReplyMessage(
                    parameters: Wire.Subscribe.Reply(event: event),
                    continues: true
                )
            )
            let reply: IncomingReply<Wire.Subscribe.Reply> =
                try MessageCoding.reply(from: Data(message.dropLast()))
            #expect(reply.result == .success(Wire.Subscribe.Reply(event: event)))
            #expect(reply.continues)
        }
    }

    @Test func `a usual event is read without a decoder, entity tags included`() throws {
        let event = Self.events[2]
        #expect(Wire.Event(text: try #require(event.text)) == event)
        let response = try #require(event.response)
        #expect(Wire.Response(text: try #require(response.text)) == response)
    }

    // MARK: What is not as it should be

    @Test(.timeLimit(.minutes(1)))
    func `whatever a call is like, it is not read in another way than by a decoder`() throws {
        try expectSameReading(of: Self.creations)
    }

    @Test(.timeLimit(.minutes(1)))
    func `whatever an event is like, it is not read in another way than by a decoder`() throws {
        try expectSameReading(of: Self.events)
    }

    /// What is made of a message without a decoder.
    private func direct<Value: DirectlyCoded>(_ message: Data) -> Value? {
        JSONInput.read(message) { input throws(JSONInput.Unusual) in try Value(from: &input) }
    }

    private func expectSameReading<Value: DirectlyCoded & Equatable>(
        of values: [Value]
    ) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Numbers(state: seed)
        var accepted = 0
        let messages = try values.map { try MessageCoding.encode($0) }
            .filter { (direct($0) as Value?) != nil }
            .map { Array($0) }
        for _ in 0..<20_000 {
            let message = spoil(messages[Int(random.next() % UInt64(messages.count))], &random)
            guard let read: Value = direct(Data(message)) else { continue }
            accepted += 1
            let decoded = try? MessageCoding.decode(Value.self, from: Data(message))
            let text = String(decoding: message, as: UTF8.self)
            #expect(read == decoded, "seed \(seed): \(text)")
        }
        #expect(accepted > 1000)
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
        "null", "true", "1e2", "-0", "01", "1.", "\\u0041", "\"session\":1,", "{", "]", " ",
        "\u{0}", "9999999999999999999", "\\", "\\\"", "\\/", "\\n", "\"task\":1,",
    ].map { Array($0.utf8) }
}

private struct ReadCall<Parameters: Decodable & Equatable>: Decodable, Equatable {
    var method: String
    var parameters: Parameters
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
