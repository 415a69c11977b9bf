package import FoundationEssentials

/// A value that can be written as JSON and read from it.
///
/// `Codable` builds a tree of a value and looks up its types at run time, which takes ten times as long: with a
/// hundred thousand tasks to send, that would be most of the time.
package protocol JSONCodable: Hashable, Sendable {
    /// Writes the value.
    func write(to output: inout JSONOutput)

    /// Reads a value.
    init(from input: inout JSONInput) throws(JSONInput.Problem)
}

/// A value that is one of several names.
package protocol JSONEnumeration: JSONCodable, CaseIterable, RawRepresentable<String> {
    /// The value for a name that this version does not know; nil if such a name is an error.
    static var unknown: Self? { get }
}

extension JSONEnumeration {
    /// An unknown name is an error, unless the enumeration declares otherwise.
    package static var unknown: Self? { nil }

    /// Writes the name.
    package func write(to output: inout JSONOutput) { output.string(rawValue) }

    /// Reads a name.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        let name = try input.string()
        guard let value = Self(rawValue: name) ?? Self.unknown else {
            throw JSONInput.Problem("\"\(name)\" is an unknown name")
        }
        self = value
    }
}

extension String: JSONCodable {
    /// Writes a string.
    package func write(to output: inout JSONOutput) { output.string(self) }

    /// Reads a string.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        self = try input.string()
    }
}

extension Bool: JSONCodable {
    /// Writes `true` or `false`.
    package func write(to output: inout JSONOutput) { output.bool(self) }

    /// Reads `true` or `false`.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        self = try input.bool()
    }
}

extension FixedWidthInteger where Self: JSONCodable {
    /// Writes an integer.
    package func write(to output: inout JSONOutput) { output.integer(Int64(self)) }

    /// Reads an integer in the type's range.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        guard let value = Self(exactly: try input.integer()) else {
            throw JSONInput.Problem("it is not from \(Self.min) to \(Self.max)")
        }
        self = value
    }
}

extension Int: JSONCodable {}
extension Int32: JSONCodable {}
extension Int64: JSONCodable {}

extension Double: JSONCodable {
    /// Writes a number; JSON has none for an infinity.
    package func write(to output: inout JSONOutput) { output.number(self) }

    /// Reads a number.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        self = try input.number()
    }
}

extension Date: JSONCodable {
    /// Writes the seconds since 1970.
    package func write(to output: inout JSONOutput) { output.number(timeIntervalSince1970) }

    /// Reads the seconds since 1970.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        self.init(timeIntervalSince1970: try input.number())
    }
}

extension Data: JSONCodable {
    /// Writes the bytes in base64.
    package func write(to output: inout JSONOutput) { output.string(base64EncodedString()) }

    /// Reads bytes in base64.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        guard let data = Data(base64Encoded: try input.string()) else {
            throw JSONInput.Problem("it is not in base64")
        }
        self = data
    }
}

extension Array: JSONCodable where Element: JSONCodable {
    /// Writes the elements.
    package func write(to output: inout JSONOutput) {
        output.array { output in
            for element in self { element.write(to: &output) }
        }
    }

    /// Reads the elements.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        self = try input.array { (input) throws(JSONInput.Problem) in try Element(from: &input) }
    }
}

extension Dictionary: JSONCodable where Key == String, Value: JSONCodable {
    /// Writes the members in the order of their names.
    package func write(to output: inout JSONOutput) {
        output.object { output in
            for (name, value) in sorted(by: { $0.key < $1.key }) {
                output.name(escaping: name)
                value.write(to: &output)
            }
        }
    }

    /// Reads the members; with two of the same name, the last one counts.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        var members: [String: Value] = [:]
        try input.object { (input, name) throws(JSONInput.Problem) in
            members[try name.text] = try Value(from: &input)
        }
        self = members
    }
}
