import FoundationEssentials

@testable import FerryWire

extension FuzzTarget {
    /// What is read and written without a decoder and an encoder is the same as with them.
    static let wireValues = FuzzTarget("wire-values", upTo: 1280) { input throws(Finding) in
        var input = input
        let choice = input.takeNumber()
        let text = Data(input.rest)
        switch choice % 11 {
        case 0: try check(Wire.Event.self, text)
        case 1: try check(Wire.Request.self, text)
        case 2: try check(Wire.Response.self, text)
        case 3: try check(Wire.CreateDownload.self, text)
        case 4: try check(Wire.TaskMetrics.self, text)
        case 5: try check(Wire.Transaction.self, text)
        case 6: try check(Wire.Acknowledge.self, text)
        case 7: try check(Wire.CreateDownload.Reply.self, text)
        case 8: try check(Wire.Subscribe.Reply.self, text)
        case 9: try check(Wire.Failure.self, text)
        default: try check(Wire.Field.self, text)
        }
    }

    private static func check<Value: DirectlyCoded & Hashable>(
        _ type: Value.Type,
        _ text: Data
    ) throws(Finding) {
        guard let value = directly(type, text) else { return }
        try expectSame(value, try decoded(type, text, "what is read directly"), "the text")
        // What the direct way reads again is what was written; else an encoder writes it.
        var output = JSONOutput()
        value.write(to: &output)
        guard output.isValid else { return }
        let written = Data(output.bytes)
        try expectSame(value, try decoded(type, written, "what is written"), "what is written")
        if let again = directly(type, written) {
            try expectSame(value, again, "what is read again")
        }
        // No other NUL may be in a message than that which ends it.
        try expect(!written.contains(0), "a NUL is written")
    }

    private static func directly<Value: DirectlyCoded>(
        _ type: Value.Type,
        _ text: Data
    ) -> Value? {
        JSONInput.read(text) { input throws(JSONInput.Unusual) in try Value(from: &input) }
    }

    private static func decoded<Value: Decodable>(
        _ type: Value.Type,
        _ text: Data,
        _ what: String
    ) throws(Finding) -> Value {
        do throws(MessageError) {
            return try MessageCoding.decode(from: text)
        } catch {
            throw Finding(description: "\(what) is for the decoder \(error)")
        }
    }
}
