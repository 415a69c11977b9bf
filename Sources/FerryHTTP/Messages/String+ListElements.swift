extension String {
    /// The elements of a field's value that is a list (RFC 9110 §5.6.1), without those that are empty.
    ///
    /// Not by characters: a comma with an accent is another one, but still a comma.
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
