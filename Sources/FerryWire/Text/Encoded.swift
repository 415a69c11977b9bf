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

    /// The value; `nil` if the text is that of another one.
    package var value: Value? { try? MessageCoding.decode(from: text) }

    /// Writes the text.
    package func write(to output: inout JSONOutput) { output.text(text) }

    /// Reads any value, without a look at what it is.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        text = try input.text()
    }
}
