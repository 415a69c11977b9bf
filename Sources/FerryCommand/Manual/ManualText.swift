import FerryWire
import Foundation

/// A text of the help in the language of mdoc(7).
///
/// The help is plain text. What it quotes, its options, placeholders, paths and references to other pages become the
/// macros for them.
struct ManualText {
    /// Longer lines of a source are bad style, says `mandoc -T lint`.
    private static let width = 78
    private static let punctuation: Set<Character> = [".", ",", ";", ":", ")", "!", "?"]

    /// The lines of the text.
    private(set) var lines: [String] = []
    private let placeholders: Set<String>
    private var line = ""

    /// Translates a text.
    ///
    /// - Parameters:
    ///   - text: A paragraph.
    ///   - placeholders: The words that stand for something else.
    init(_ text: String, placeholders: Set<String> = []) {
        self.placeholders = placeholders
        var words = text.split(separator: " ").map(String.init)[...]
        while let word = words.popFirst() {
            if let quoted = Self.quotation(word, &words) {
                addMacro("Ql", quoted)
            } else {
                add(word)
            }
        }
        endLine()
    }

    /// Returns the lines that a page begins with.
    ///
    /// - Parameters:
    ///   - name: The page's name.
    ///   - section: The section of the manual.
    ///   - summary: What it is about, in a few words.
    ///   - source: What the page is made from, for who edits it.
    ///   - date: The date that the page has.
    /// - Returns: The lines, up to the end of the section NAME.
    static func head(
        of name: String,
        inSection section: Int,
        about summary: String,
        madeFrom source: String,
        date: Date
    ) -> [String] {
        [
            ".\\\" Made by 'ferry manual', Ferry \(FerryVersion.current), from \(source).",
            ".Dd \(Self.date(date))",
            ".Dt \(name.uppercased()) \(section)",
            ".Os",
            ".Sh NAME",
            ".Nm \(name)",
            ".Nd \(summary)",
        ]
    }

    /// Returns a date as mdoc(7) wants it, in no language but English.
    private static func date(_ date: Date) -> String {
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September",
            "October", "November", "December",
        ]
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return "\(months[(parts.month ?? 1) - 1]) \(parts.day ?? 1), \(parts.year ?? 1970)"
    }

    /// Returns a text that is typed as it stands: its dashes are no hyphens.
    static func literal(_ text: String) -> String { escape(text).replacing("-", with: "\\-") }

    /// Returns a literal line of a display, which is no macro even if it looks like one.
    static func displayed(_ text: String) -> String {
        let line = literal(text)
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
    }

    /// Returns a literal text as an argument of a macro.
    static func argument(_ text: String) -> String {
        let escaped = literal(text)
        if escaped.contains(" ") { return "\"\(escaped)\"" }
        // What looks like a macro, such as `No`, is none.
        return escaped.count <= 3 ? "\\&\(escaped)" : escaped
    }

    /// Returns the words of a quotation that begins with a word, which are taken; nil if none does.
    private static func quotation(_ word: String, _ rest: inout ArraySlice<String>) -> String? {
        guard word.hasPrefix("'") else { return nil }
        let words = [word] + rest
        let last = words.firstIndex { text in
            text.count > 1 && text.droppingPunctuation(punctuation).hasSuffix("'")
        }
        guard let last else { return nil }
        rest = rest.dropFirst(last)
        return words[...last].joined(separator: " ")
    }

    private mutating func add(_ word: String) {
        let core = word.droppingPunctuation(Self.punctuation)
        if let page = PageReference(word) {
            addMacro("Xr", page.name, page.section, page.rest)
        } else if core.hasPrefix("--") {
            addMacro("Fl", "-" + word.dropFirst(2))
        } else if placeholders.contains(core) {
            addMacro("Ar", word)
        } else if core.hasPrefix("~/") || core.hasPrefix("/") {
            addMacro("Pa", word)
        } else {
            addPlain(word)
        }
    }

    private mutating func addMacro(_ name: String, _ text: String) {
        let core = text.droppingPunctuation(Self.punctuation)
        let argument = Self.argument(name == "Ql" ? core.filter { $0 != "'" } : core)
        addMacro(name, argument, text.dropFirst(core.count))
    }

    private mutating func addMacro(_ name: String, _ arguments: any StringProtocol...) {
        endLine()
        // Punctuation is an argument of its own, so that it does not get the macro's face.
        let punctuation = arguments.last.map { $0.map(String.init) } ?? []
        let words = arguments.dropLast().map { String($0) } + punctuation
        lines.append(".\(name) \(words.joined(separator: " "))")
    }

    private mutating func addPlain(_ word: String) {
        let escaped = Self.escape(word)
        if line.count + 1 + escaped.count > Self.width { endLine() }
        let isControl = line.isEmpty && (escaped.hasPrefix(".") || escaped.hasPrefix("'"))
        line += line.isEmpty ? (isControl ? "\\&" : "") + escaped : " \(escaped)"
        // Sentences begin on new lines, by which the space between them is known.
        if [".", "!", "?"].contains(word.last) { endLine() }
    }

    private mutating func endLine() {
        if !line.isEmpty { lines.append(line) }
        line = ""
    }

    private static func escape(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "\"": "\\(dq"
            case "'": "\\(aq"
            case "~": "\\(ti"
            case "^": "\\(ha"
            case "`": "\\(ga"
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u\(String(scalar.value, radix: 16, uppercase: true).leftPadded)]"
            }
        }.joined()
    }
}

/// A reference to a page of the manual, such as `ferry(7)`.
private struct PageReference {
    let name: Substring
    let section: Substring
    /// What follows it.
    let rest: Substring

    init?(_ word: String) {
        guard let open = word.firstIndex(of: "("), open > word.startIndex,
            let close = word[open...].firstIndex(of: ")")
        else { return nil }
        section = word[open..<close].dropFirst()
        guard section.count == 1, section.allSatisfy(\.isNumber) else { return nil }
        name = word[..<open]
        rest = word[close...].dropFirst()
    }
}

extension String {
    fileprivate func droppingPunctuation(_ punctuation: Set<Character>) -> String {
        let end = lastIndex { !punctuation.contains($0) }
        return end.map { String(self[...$0]) } ?? ""
    }

    /// groff reads at least four digits of a code point.
    fileprivate var leftPadded: String {
        String(repeating: "0", count: max(0, 4 - count)) + self
    }
}
