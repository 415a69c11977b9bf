import FoundationEssentials

/// The nesting depth of the objects and arrays of a JSON text.
///
/// It is checked before the text is decoded, because a decoder recurses.
enum NestingDepth {
    /// Throws when the depth is greater than `limit` anywhere; invalid JSON is not detected here.
    static func check(_ text: Data, limit: Int) throws(MessageError) {
        guard text.withUnsafeBytes({ greatest(in: $0, limit: limit) }) > limit else { return }
        throw .tooDeep(limit: limit)
    }

    /// Returns the greatest depth; the search ends where it exceeds `limit`.
    private static func greatest(in text: UnsafeRawBufferPointer, limit: Int) -> Int {
        var greatest = 0
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: continue
            }
            greatest = max(greatest, depth)
            if depth > limit { break }
        }
        return greatest
    }
}
