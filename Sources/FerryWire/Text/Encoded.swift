@preconcurrency import Glibc

/// A value as its JSON text, which is decoded when it is asked for.
///
/// What is stored and passed on is encoded once, and what nobody asks for is not decoded.
package struct Encoded<Value: JSONCodable>: JSONCodable {
    /// The text; empty if the value could not be encoded.
    package let text: [UInt8]

    /// Encodes a value.
    package init(_ value: Value) { text = (try? MessageCoding.encode(value)) ?? [] }

    /// Takes the text of a value.
    package init(text: [UInt8]) { self.text = text }

    /// The same; `nil` if a damaged disk has made something of its text that cannot be sent.
    package var sendable: Encoded? {
        let isValid: Void? = try? MessageCoding.read(text) { (input) throws(JSONInput.Problem) in
            try input.skip()
        }
        return isValid.map { self }
    }

    /// Encodes an array whose elements `write` makes and writes one by one, as they may be large.
    package init<Element>(elements write: (inout JSONOutput) -> Void) where Value == [Element] {
        text = (try? MessageCoding.text { $0.array(write) }) ?? []
    }

    /// The value; `nil` if the text is that of another one.
    package var value: Value? { try? decoded() }

    /// Returns the value.
    ///
    /// - Throws: ``MessageError/malformed(_:)`` if the text is that of another one.
    @specialized(where Value == [Wire.Task])
    @specialized(where Value == [Wire.TaskSummary])
    @specialized(where Value == Wire.Request)
    @specialized(where Value == Wire.Response)
    package func decoded() throws(MessageError) -> Value { try MessageCoding.decode(from: text) }

    /// Compares the texts as a whole, and not byte by byte.
    package static func == (one: Encoded, other: Encoded) -> Bool {
        guard one.text.count == other.text.count else { return false }
        return one.text.withUnsafeBytes { one in
            other.text.withUnsafeBytes { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else {
                    return true
                }
                return memcmp(start, otherStart, one.count) == 0
            }
        }
    }

    /// Hashes the text as a whole, and not byte by byte.
    package func hash(into hasher: inout Hasher) {
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// Writes the text.
    package func write(to output: inout JSONOutput) { output.text(text) }

    /// Reads any value, without a look at what it is.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        text = try input.text()
    }
}

extension Encoded<Wire.Request> {
    /// The request's address, for which the rest is not decoded; `nil` if the text is that of something else.
    package var url: String? {
        let url = try? MessageCoding.read(text) { (input) throws(JSONInput.Problem) in
            var url: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "url": url = try input.value()
                default: try input.skip()
                }
            }
            return url
        }
        return url ?? nil
    }
}
