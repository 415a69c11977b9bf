/// How deep the objects and arrays of a JSON text stand inside each other.
///
/// It is looked at before the text is decoded, because a decoder recurses.
enum NestingDepth {
    /// Throws when the depth is greater than `limit` anywhere; what is no JSON is not noticed here.
    static func check(_ text: some Sequence<UInt8>, limit: Int) throws(MessageError) {
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
            if depth > limit { throw .tooDeep(limit: limit) }
        }
    }
}
