/// One field of an HTTP message's header, as it stood on the wire.
package struct HTTPField: Hashable, Sendable, Codable {
    /// The field's name; compare it with ``isNamed(_:)``, as its case has no meaning (RFC 9110 §5.1).
    package var name: String
    /// The field's value, without surrounding white space.
    package var value: String

    /// Makes a field from its two parts.
    ///
    /// Nothing is checked here: a request with a field that could not be sent as one line fails
    /// with ``HTTPError/Code/invalidRequest`` before anything goes out.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Returns whether the field has this name, in any case.
    package func isNamed(_ name: String) -> Bool {
        // Called tens of times per response, and most names already differ in their lengths.
        guard self.name.utf8.count == name.utf8.count else { return false }
        var (mine, other) = (self.name, name)
        return mine.withUTF8 { mine in
            other.withUTF8 { other in
                mine.indices.allSatisfy { Self.lowercased(mine[$0]) == Self.lowercased(other[$0]) }
            }
        }
    }

    /// Why the field cannot be sent as one line; `nil` if it can.
    ///
    /// libcurl would send a field with a line break in it as two fields.
    package var fault: String? {
        guard HTTPRequest.isToken(name) else {
            return "The field name “\(name)” is not a token"
        }
        guard value.allBytes(Self.isValueByte) else {
            return "The value of the field “\(name)” has a control character in it"
        }
        return nil
    }

    /// RFC 9110 §5.5: no control characters but the tab.
    private static func isValueByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\t") || (byte >= 0x20 && byte != 0x7F)
    }

    /// Only ASCII has case in a field name, so that no Unicode table is needed.
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension [HTTPField] {
    /// Returns the value of the first field with this name, in any case.
    package func first(named name: String) -> String? {
        first { $0.isNamed(name) }?.value
    }

    /// Returns the values of all fields with this name, in any case and in the order of the message.
    package func values(named name: String) -> [String] {
        compactMap { $0.isNamed(name) ? $0.value : nil }
    }
}

extension String {
    /// The elements of a field's value that is a list (RFC 9110 §5.6.1), without those that are empty.
    ///
    /// They are split by bytes, not by characters: a comma with an accent is another character, but still a
    /// comma.
    package var listElements: [String] {
        utf8.split(separator: UInt8(ascii: ",")).compactMap { element in
            let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            }
            let start = element.drop(while: isBlank)
            guard let end = start.lastIndex(where: { !isBlank($0) }) else { return nil }
            return String(Substring(start[...end]))
        }
    }
}
