import FerrySystem
import Foundation

/// The lines of a list of downloads, in the form that wget and aria2 read.
///
/// A line has a URL, or a URL, a tab and the file's name, or several URLs of one file with tabs between them. The lines after it
/// that begin with a blank have its options, one each, such as `out=NAME`. Empty lines, and those that begin with `#`, are
/// left out.
struct DownloadList: Hashable, Sendable {
    /// A download.
    struct Entry: Hashable, Sendable {
        /// The number of the line, from 1.
        var line: Int
        /// The URL, as it is written.
        var address: String
        /// Further URLs of the same file.
        var mirrors: [String] = []
        /// The name of the file; nil to take the server's proposal.
        var name: String?
        /// Its options.
        var options: [Option] = []
    }

    /// An option of a download.
    struct Option: Hashable, Sendable {
        /// The number of the line, from 1.
        var line: Int
        /// The name, without dashes.
        var name: String
        /// The value; nil if there is no equals sign.
        var value: String?
    }

    /// A line that is invalid.
    struct Fault: Error, Hashable {
        /// The number of the line, from 1.
        let line: Int
        /// What is wrong, without a full stop.
        let message: String
    }

    /// The maximum size of a list in bytes.
    static let greatestByteCount = 256 << 20

    /// The downloads.
    private(set) var entries: [Entry] = []

    /// Reads the lines.
    ///
    /// - Parameter bytes: The content of the list, with line breaks of any system.
    /// - Throws: ``Fault`` for the first line that is invalid.
    init(_ bytes: [UInt8]) throws(Fault) {
        let feed = UInt8(ascii: "\n")
        let lineBreak = bytes.contains(feed) ? feed : UInt8(ascii: "\r")
        let lines = bytes.split(separator: lineBreak, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw Fault(line: index + 1, message: "it is not UTF-8")
            }
            try take(text.withoutByteOrderMark, line: index + 1)
        }
    }

    private mutating func take(_ text: Substring, line: Int) throws(Fault) {
        let content = Self.trimmed(text)
        guard let first = content.first, first != "#" else { return }
        let isIndented = text.hasPrefix(" ") || text.hasPrefix("\t")
        let isAddress = content.hasPrefix("http://") || content.hasPrefix("https://")
        guard isIndented, !isAddress else {
            return entries.append(try Self.entry(content, line: line))
        }
        guard let last = entries.indices.last else {
            throw Fault(line: line, message: "an option comes before the first URL")
        }
        entries[last].options.append(try Self.option(content, line: line))
    }

    private static func entry(_ text: Substring, line: Int) throws(Fault) -> Entry {
        let fields = text.split(separator: "\t").map { String(trimmed($0)) }
        var entry = Entry(line: line, address: fields[0])
        for field in fields.dropFirst() where !field.isEmpty {
            if field.contains("://") {
                entry.mirrors.append(field)
            } else if entry.name == nil {
                entry.name = field
            } else {
                throw Fault(line: line, message: "there are two names, '\(field)' is the second")
            }
        }
        return entry
    }

    private static func option(_ text: Substring, line: Int) throws(Fault) -> Option {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = trimmed(parts[0].drop { $0 == "-" || isBlank($0) })
        guard !name.isEmpty else { throw Fault(line: line, message: "the option has no name") }
        let value = parts.count > 1 ? String(parts[1]) : nil
        return Option(line: line, name: String(name), value: value)
    }

    /// Returns a text without blanks, the rests of line breaks and byte order marks at its ends.
    private static func trimmed(_ text: Substring) -> Substring {
        let end = text.lastIndex { !isBlank($0) }
        return end.map { text[...$0].drop(while: isBlank) } ?? ""
    }

    private static func isBlank(_ character: Character) -> Bool {
        character.isWhitespace || character == "\u{FEFF}"
    }
}
