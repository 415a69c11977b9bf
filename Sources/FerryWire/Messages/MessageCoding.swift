package import FoundationEssentials

/// The conversion between values and the bytes of messages.
///
/// Data is encoded as base64, a date as seconds since 1970, and `nil` is left out.
package enum MessageCoding {
    /// Returns a value's JSON text, as it appears in messages.
    ///
    /// - Throws: ``MessageError/malformed(_:)`` for a number that JSON cannot represent.
    package static func encode(_ value: some JSONCodable) throws(MessageError) -> [UInt8] {
        try text { value.write(to: &$0) }
    }

    /// Returns the value of a JSON text.
    ///
    /// - Throws: ``MessageError/malformed(_:)``, which says what is wrong, and where.
    package static func decode<Value: JSONCodable>(
        _ type: Value.Type = Value.self,
        from text: some ContiguousBytes
    ) throws(MessageError) -> Value {
        try read(text) { (input) throws(JSONInput.Problem) in try Value(from: &input) }
    }

    /// Returns a call's message.
    static func message<Method: TransferMethod>(
        calling call: Method,
        more: Bool = false,
        oneway: Bool = false
    ) throws(MessageError) -> [UInt8] {
        try message { output in
            output.member("method", Method.qualifiedName)
            output.member("parameters", call)
            if more { output.member("more", true) }
            if oneway { output.member("oneway", true) }
        }
    }

    /// Returns the message of a reply whose parameters `write` writes; `continues` when others follow.
    static func message(
        replying write: (inout JSONOutput) -> Void,
        continues: Bool
    ) throws(MessageError) -> [UInt8] {
        try message { output in
            output.name("parameters")
            write(&output)
            if continues { output.member("continues", true) }
        }
    }

    /// Returns an error's message.
    static func message(failing error: ErrorMessage) -> [UInt8] {
        // An error consists of strings and integers, which JSON can always represent.
        (try? message { error.write(to: &$0) }) ?? []
    }

    /// Reads a text that consists of one value.
    static func read<Value>(
        _ text: some ContiguousBytes,
        _ body: (inout JSONInput) throws(JSONInput.Problem) -> Value
    ) throws(MessageError) -> Value {
        let result = text.withUnsafeBytes { bytes in
            Result { () throws(JSONInput.Problem) in
                var input = JSONInput(bytes)
                let value = try body(&input)
                try input.end()
                return value
            }
        }
        switch result {
        case .success(let value): return value
        case .failure(let problem): throw .malformed(problem.description)
        }
    }

    /// Returns a whole message: the JSON text of an object and the NUL that ends it.
    private static func message(
        _ members: (inout JSONOutput) -> Void
    ) throws(MessageError) -> [UInt8] {
        // Control characters are escaped, so that no other NUL can be among the bytes.
        try text {
            $0.object(members)
            $0.endMessage()
        }
    }

    /// Returns the text that `write` writes.
    static func text(_ write: (inout JSONOutput) -> Void) throws(MessageError) -> [UInt8] {
        var output = JSONOutput()
        write(&output)
        guard output.isValid else { throw .malformed("a number that JSON does not have") }
        return output.bytes
    }
}
