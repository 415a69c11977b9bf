import FoundationEssentials

@testable import FerryWire

extension FuzzTarget {
    /// What a client may send: each call is read or refused, and what is read is JSON for Foundation, too.
    static let calls = FuzzTarget("calls", upTo: 1024) { input throws(Finding) in
        var input = input
        let comparesAll = input.takeNumber() % 4 == 0
        let text = Data(input.rest)
        guard let call = try? IncomingCall(from: text) else { return }
        // The decoder takes most of the time.
        guard comparesAll else { return }
        struct Skeleton: Decodable {
            var method: String
            var more: Bool?
            var oneway: Bool?
        }
        guard let decoded = try? JSONDecoder().decode(Skeleton.self, from: text) else {
            throw Finding(description: "only Ferry reads the call")
        }
        if case .transfer = call.content {
            try expect(TransferRoute.byMethod[decoded.method] != nil, "no method \(decoded.method)")
        }
    }

    /// What a server may send: each reply is read or refused, and says the same when it is written again.
    static let replies = FuzzTarget("replies", upTo: 1536) { input throws(Finding) in
        var input = input
        let choice = input.takeNumber()
        let text = Data(input.rest)
        switch choice % 8 {
        case 0..<3: try check(Wire.Subscribe.Reply.self, text)
        case 3: try check(Wire.CreateDownload.Reply.self, text)
        case 4: try check(Wire.Empty.self, text)
        case 5: try check(Wire.ListTasks.Reply.self, text)
        case 6: try check(Wire.GetStatus.Reply.self, text)
        default: try check(Wire.OpenSession.Reply.self, text)
        }
    }

    private static func check<Value: JSONCodable>(
        _ type: Value.Type,
        _ text: Data
    ) throws(Finding) {
        guard let reply = try? IncomingReply<Value>(from: text),
            case .success(let value) = reply.result
        else { return }
        let written = try? MessageCoding.message(
            replying: { value.write(to: &$0) },
            continues: reply.continues
        )
        guard let written, let again = try? IncomingReply<Value>(from: Data(written.dropLast()))
        else {
            throw Finding(description: "the reply cannot be read again")
        }
        try expectSame(reply.continues, again.continues, "whether more replies follow")
        guard case .success(let other) = again.result else {
            throw Finding(description: "the reply has become an error")
        }
        try expectSame(value, other, "what is answered")
    }
}
