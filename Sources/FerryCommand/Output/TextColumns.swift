extension String {
    /// The number of terminal columns that the text takes.
    var columnCount: Int { isPlain() ? utf8.count : reduce(0) { $0 + $1.columnCount } }

    /// Returns the text padded with spaces up to a column.
    ///
    /// - Parameter column: The column the next text starts at.
    /// - Returns: The padded text.
    func padding(toColumn column: Int) -> String {
        let missing = column - columnCount
        return missing > 0 ? self + String(repeating: " ", count: missing) : self
    }

    /// Returns the text padded at its start so that it ends at a column.
    ///
    /// - Parameters:
    ///   - column: The column after its end.
    ///   - filler: The padding character.
    /// - Returns: The padded text.
    func leftPadding(toColumn column: Int, with filler: Character = " ") -> String {
        String(repeating: filler, count: max(0, column - columnCount)) + self
    }

    /// Returns the text with its middle left out if it does not fit.
    ///
    /// The end of a name says what it is, so both ends stay.
    ///
    /// - Parameters:
    ///   - count: The number of available columns.
    ///   - ellipsis: The replacement for the omitted part.
    /// - Returns: The text, shortened if necessary.
    func shortened(toColumns count: Int, ellipsis: String = "...") -> String {
        guard columnCount > count else { return self }
        guard count > ellipsis.columnCount + 1 else { return prefix(columns: count) }
        let kept = count - ellipsis.columnCount
        let start = prefix(columns: (kept + 1) / 2)
        let end = String(String(reversed()).prefix(columns: kept / 2).reversed())
        return start + ellipsis + end
    }

    /// Returns the text with its end left out if it does not fit.
    ///
    /// - Parameters:
    ///   - count: The number of available columns.
    ///   - ellipsis: The replacement for the omitted part.
    /// - Returns: The text, shortened if necessary.
    func cut(toColumns count: Int, ellipsis: String) -> String {
        guard columnCount > count else { return self }
        guard count > ellipsis.columnCount else { return prefix(columns: count) }
        return prefix(columns: count - ellipsis.columnCount) + ellipsis
    }

    /// Returns the text's lines of a limited width, broken between words where that is possible.
    ///
    /// - Parameter count: The number of available columns.
    /// - Returns: The lines.
    func wrapped(toColumns count: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            var rest = String(word)
            if !line.isEmpty, line.columnCount + 1 + rest.columnCount <= count {
                line += " " + rest
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while rest.columnCount > count {
                let part = rest.cut(toColumns: count, ellipsis: "")
                guard !part.isEmpty else { return lines }
                lines.append(part)
                rest = String(rest.dropFirst(part.count))
            }
            line = rest
        }
        return lines + (line.isEmpty ? [] : [line])
    }

    /// The text without characters that could move a terminal's cursor or hide text.
    ///
    /// Names come from servers and other apps.
    var printable: String {
        guard !isPlain(), unicodeScalars.contains(where: \.isInvisible) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.isInvisible ? "\u{FFFD}" : $0 }
            )
        )
    }

    /// The same for several lines.
    var printableLines: String {
        isPlain(besides: UInt8(ascii: "\n"))
            ? self
            : split(separator: "\n", omittingEmptySubsequences: false)
                .map { String($0).printable }.joined(separator: "\n")
    }

    /// Whether all of it is printable ASCII, as nearly all text is: a byte is a column.
    ///
    /// All bytes are looked at whatever they are, and without a branch, so that many can be at once.
    func isPlain(besides other: UInt8 = 0x20) -> Bool {
        var text = self
        return text.withUTF8 { bytes in
            bytes.reduce(0 as UInt8) { $0 | ($1 &- 0x20 < 0x5F ? 0 : 1) & ($1 == other ? 0 : 1) }
                == 0
        }
    }

    private func prefix(columns: Int) -> String {
        var left = columns
        return String(
            prefix { character in
                left -= character.columnCount
                return left >= 0
            }
        )
    }
}

extension Character {
    /// The number of terminal columns that the character takes.
    var columnCount: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.isASCII { return 1 }
        let isEmoji = first.properties.isEmojiPresentation
        return isEmoji || Self.wideScalars.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// The blocks that Unicode's East Asian Width (UAX #11) calls wide, as far as names use them.
    private static let wideScalars: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x2_0000...0x3_FFFD,
    ]
}

extension String {
    /// The text without the spaces at its end.
    var withoutSpacesAtEnd: String {
        guard utf8.last == UInt8(ascii: " ") else { return self }
        let end = utf8.lastIndex { $0 != UInt8(ascii: " ") }
        return end.map { String(self[...$0]) } ?? ""
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is white space.
    var isSpace: Bool {
        // As below: nearly all text is ASCII.
        isASCII ? value == 0x20 || 0x09...0x0D ~= value : properties.isWhitespace
    }

    /// Whether the scalar controls how text is shown instead of being shown.
    ///
    /// These are controls, line separators, and formats such as the bidirectional overrides that can make `txt.exe`
    /// look like `exe.txt`.
    var isInvisible: Bool {
        // Nearly all text is ASCII, and a property of Unicode is looked up in tables.
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
