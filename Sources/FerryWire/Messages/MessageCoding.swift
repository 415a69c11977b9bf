package import FoundationEssentials

/// Between values and the bytes of messages.
///
/// Data is base64, a date is seconds since 1970, and what is `nil` is left out.
package enum MessageCoding {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
    }()

    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }()

    /// A value's JSON text, as it stands in messages.
    ///
    /// - Throws: ``MessageError/malformed(_:)`` for a number that JSON does not have.
    package static func encode(_ value: some Encodable) throws(MessageError) -> Data {
        do {
            return try encoder.encode(value)
        } catch {
            throw .malformed(DecodingProblem(error).description)
        }
    }

    /// The value of a JSON text.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from text: Data
    ) throws(MessageError) -> Value {
        do {
            return try decoder.decode(type, from: text)
        } catch {
            throw .malformed(DecodingProblem(error).description)
        }
    }

    /// A whole message: the JSON text and the NUL that ends it.
    static func message(_ value: some Encodable) throws(MessageError) -> [UInt8] {
        // JSON escapes control characters, so that no other NUL can be among the bytes.
        try encode(value) + [0]
    }
}
