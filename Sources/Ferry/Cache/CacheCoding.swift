import Foundation

/// How a cache writes what it reads again, perhaps after another program has changed it.
///
/// As JSON: Foundation's reader of property lists ends the process on some that are forged. That of JSON checks each
/// number and each offset, and limits how deeply it goes.
enum CacheCoding {
    /// The longest record that is read; longer ones are not written either.
    private static let greatestByteCount = 1 << 20

    /// Returns a value's record; nil for one that is too long.
    static func encode(_ value: some Encodable) -> Data? {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        guard let data = try? encoder.encode(value), data.count <= greatestByteCount else {
            return nil
        }
        return data
    }

    /// Reads a record; nil if it is invalid.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) -> Value? {
        guard data.count <= greatestByteCount else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return try? decoder.decode(type, from: data)
    }
}
