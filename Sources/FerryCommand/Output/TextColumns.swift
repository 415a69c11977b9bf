extension String {
    /// How many columns of a terminal the text takes.
    var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

    /// The text with spaces after it until a column.
    ///
    /// - Parameter column: The column the next text starts at.
    /// - Returns: The longer text.
    func padding(toColumn column: Int) -> String {
        self + String(repeating: " ", count: max(0, column - columnCount))
    }

    /// The text with something before it so that it ends at a column.
    ///
    /// - Parameters:
    ///   - column: The column after its end.
    ///   - filler: What stands before it.
    /// - Returns: The longer text.
    func leftPadding(toColumn column: Int, with filler: Character = " ") -> String {
        String(repeating: filler, count: max(0, column - columnCount)) + self
    }

    /// The text with its middle left out where it does not fit.
    ///
    /// The end of a name says what it is, so both ends stay.
    ///
    /// - Parameters:
    ///   - count: How many columns there are.
    ///   - ellipsis: What stands for the part left out.
    /// - Returns: The text, or what fits of it.
    func shortened(toColumns count: Int, ellipsis: String = "...") -> String {
        guard columnCount > count else { return self }
        guard count > ellipsis.columnCount + 1 else { return prefix(columns: count) }
        let kept = count - ellipsis.columnCount
        let start = prefix(columns: (kept + 1) / 2)
        let end = String(String(reversed()).prefix(columns: kept / 2).reversed())
        return start + ellipsis + end
    }

    /// The text with its end left out where it does not fit.
    ///
    /// - Parameters:
    ///   - count: How many columns there are.
    ///   - ellipsis: What stands for the part left out.
    /// - Returns: The text, or what fits of it.
    func cut(toColumns count: Int, ellipsis: String) -> String {
        guard columnCount > count else { return self }
        guard count > ellipsis.columnCount else { return prefix(columns: count) }
        return prefix(columns: count - ellipsis.columnCount) + ellipsis
    }

    /// The text without anything that could move a terminal's cursor or hide what is written.
    ///
    /// Names come from servers and other apps.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.isInvisible ? "\u{FFFD}" : $0 }
            )
        )
    }

    /// The same for several lines.
    var printableLines: String {
        unicodeScalars.allSatisfy({ !$0.isInvisible || $0 == "\n" })
            ? self
            : split(separator: "\n", omittingEmptySubsequences: false)
                .map { String($0).printable }.joined(separator: "\n")
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
    /// How many columns of a terminal the character takes.
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

extension Unicode.Scalar {
    /// Whether the scalar controls how text is shown instead of being shown.
    ///
    /// Controls, separators of lines, and formats such as the bidirectional overrides that can make
    /// `exe.txt` out of `txt.exe`.
    var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
