import FoundationEssentials

@testable import FerryWire

extension FuzzTarget {
    /// What is read is the same when it is written and read again.
    static let wireValues = FuzzTarget("wire-values", upTo: 1280) { input throws(Finding) in
        var input = input
        let choice = input.takeNumber()
        let text = Data(input.rest)
        switch choice % 11 {
        case 0: try check(Wire.Event.self, text)
        case 1:
            try check(Wire.Request.self, text)
            try compare(Wire.Request.self, text)
        case 2: try check(Wire.Response.self, text)
        case 3: try check(Wire.CreateDownload.self, text)
        case 4: try check(Wire.TaskMetrics.self, text)
        case 5: try check(Wire.Transaction.self, text)
        case 6: try check(Wire.Acknowledge.self, text)
        case 7: try check(Wire.CreateDownload.Reply.self, text)
        case 8: try check(Wire.Subscribe.Reply.self, text)
        case 9: try check(Wire.Failure.self, text)
        default:
            try check(Wire.Field.self, text)
            try compare(Wire.Field.self, text)
        }
    }

    private static func check<Value: JSONCodable>(
        _ type: Value.Type,
        _ text: Data
    ) throws(Finding) {
        guard let value = try? MessageCoding.decode(type, from: text) else { return }
        guard let written = try? MessageCoding.encode(value) else {
            throw Finding(description: "\(value) cannot be written")
        }
        guard let again = try? MessageCoding.decode(type, from: written) else {
            throw Finding(description: "what is written cannot be read")
        }
        try expectSame(value, again, "what is written")
        // No other NUL may be in a message than that which ends it.
        try expect(!written.contains(0), "a NUL is written")
    }

    /// What is also `Codable` is the same for Foundation.
    private static func compare<Value: JSONCodable & Decodable>(
        _ type: Value.Type,
        _ text: Data
    ) throws(Finding) {
        guard let value = try? MessageCoding.decode(type, from: text) else { return }
        guard let decoded = try? JSONDecoder().decode(type, from: text) else {
            throw Finding(description: "only Ferry reads the text")
        }
        try expectSame(value, decoded, "the text")
    }
}
