/// Names that are cut to the length that a file system takes.
package enum FileNameLength {
    /// Returns a name, shortened at the end of its stem, so that the extension is kept.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - maximumByteCount: The number of bytes that it may have.
    /// - Returns: The name with no more bytes, cut between two characters, or two scalars of one that is longer.
    package static func bounded(_ name: String, to maximumByteCount: Int) -> String {
        var excess = name.utf8.count - maximumByteCount
        guard excess > 0 else { return name }
        var suffix = ""
        if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), name[dot...].utf8.count <= 16 {
            suffix = String(name[dot...])
        }
        var stem = Substring(name.utf8.dropLast(suffix.utf8.count))
        while excess > 0, let last = stem.last, stem.utf8.count > last.utf8.count {
            excess -= last.utf8.count
            stem.removeLast()
        }
        // A single character may have more accents than fit.
        var scalars = stem.unicodeScalars
        while excess > 0, let last = scalars.popLast() { excess -= UTF8.width(last) }
        return String(scalars) + suffix
    }
}
