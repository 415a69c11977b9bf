/// Text that a person has copied from elsewhere.
enum PastedText {
    /// Returns an address without what surrounds it in a list or in a text: blanks and line breaks of any system, a byte
    /// order mark, other invisible characters, and the angle brackets of RFC 3986, appendix C.
    ///
    /// - Parameter text: The text.
    /// - Returns: The address.
    static func address(_ text: String) -> String {
        let address = trimmed(text)
        guard address.hasPrefix("<"), address.hasSuffix(">"), address.count > 2 else {
            return address
        }
        return trimmed(String(address.dropFirst().dropLast()))
    }

    /// Returns a text without blanks and invisible characters at its ends.
    ///
    /// By scalars: a line break of Windows is one character.
    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        func isShown(_ scalar: Unicode.Scalar) -> Bool {
            !scalar.properties.isWhitespace && !scalar.isInvisible
        }
        guard let start = scalars.firstIndex(where: isShown),
            let end = scalars.lastIndex(where: isShown)
        else { return "" }
        return String(scalars[start...end])
    }
}

extension StringProtocol {
    /// The line without byte order marks before it: files that were put together have them in their midst.
    var withoutByteOrderMark: Substring {
        let line = Substring(self)
        let start = line.unicodeScalars.firstIndex { $0 != "\u{FEFF}" } ?? line.endIndex
        return line[start...]
    }
}
