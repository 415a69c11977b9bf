import FoundationEssentials

@testable import FerryWire

extension FuzzTarget {
    /// What a client may send: each call is read or refused, and the two ways of reading it agree.
    static let calls = FuzzTarget("calls", upTo: 1024) { input throws(Finding) in
        var input = input
        let readsAll = input.takeNumber() % 4 == 0
        let text = Data(input.rest)
        guard isShallow(text, limit: MessageLimits.calls.depth) else { return }
        let direct = JSONInput.read(text, IncomingCall.init)
        // The decoder takes most of the time, and where the direct way fails it is the only one.
        guard direct != nil || readsAll else { return }
        let decoded: IncomingCall? = decode(text)
        guard let direct else { return }
        guard let decoded else { throw Finding(description: "only one way reads the call") }
        try expect(!decoded.wantsMore && !decoded.isOneway, "a flag was passed over")
        guard case .transfer = direct.content, case .transfer = decoded.content else {
            throw Finding(description: "\(direct.content) is not \(decoded.content)")
        }
    }

    /// What a server may send: each reply is read or refused, and the two ways of reading it agree.
    static let replies = FuzzTarget("replies", upTo: 1536) { input throws(Finding) in
        var input = input
        let choice = input.takeNumber()
        let text = Data(input.rest)
        guard isShallow(text, limit: MessageLimits.replies.depth) else { return }
        switch choice % 8 {
        case 0..<3: try check(Wire.Subscribe.Reply.self, text)
        case 3: try check(Wire.CreateDownload.Reply.self, text)
        case 4: try check(Wire.Empty.self, text)
        case 5: _ = try? MessageCoding.reply(from: text) as IncomingReply<Wire.ListTasks.Reply>
        case 6: _ = try? MessageCoding.reply(from: text) as IncomingReply<Wire.GetStatus.Reply>
        default: _ = try? MessageCoding.reply(from: text) as IncomingReply<Wire.OpenSession.Reply>
        }
    }

    private static func check<Value: Decodable & Hashable & Sendable>(
        _ type: Value.Type,
        _ text: Data
    ) throws(Finding) {
        guard let reply = try? MessageCoding.reply(from: text) as IncomingReply<Value> else {
            return
        }
        guard let decoded: IncomingReply<Value> = decode(text) else {
            throw Finding(description: "only one way reads the reply")
        }
        try expectSame(reply.continues, decoded.continues, "whether more replies follow")
        guard case .success(let value) = reply.result, case .success(let other) = decoded.result
        else { return }
        try expectSame(value, other, "what is answered")
    }

    private static func isShallow(_ text: Data, limit: Int) -> Bool {
        (try? NestingDepth.check(text, limit: limit)) != nil
    }

    private static func decode<Value: Decodable>(_ text: Data) -> Value? {
        try? MessageCoding.decode(from: text)
    }
}
