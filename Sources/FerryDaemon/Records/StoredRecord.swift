import FoundationEssentials

/// What the daemon keeps in the store of its own, as JSON.
protocol StoredRecord: Codable {}

extension StoredRecord {
    /// For the store; what cannot be encoded, which none of ours is, becomes empty.
    var encoded: [UInt8] { (try? encoder.encode(self)).map { Array($0) } ?? [] }

    /// From the store; nil where nothing is, or what cannot be read.
    static func decode(_ bytes: [UInt8]?) -> Self? {
        bytes.flatMap { try? decoder.decode(Self.self, from: Data($0)) }
    }
}

private let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
}()

private let decoder = JSONDecoder()
