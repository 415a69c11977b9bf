/// The text of a command's `--help`.
struct HelpText {
    private static let width = 80

    private let syntax: CommandSyntax
    private let path: [String]

    /// The help of a command.
    ///
    /// - Parameters:
    ///   - syntax: The command's syntax.
    ///   - path: The words that call it, `ferry` left out.
    init(_ syntax: CommandSyntax, path: [String]) {
        self.syntax = syntax
        self.path = path
    }

    /// The whole text, without a newline at its end.
    var text: String {
        var sections = [([usage] + otherUsages).joined(separator: "\n"), wrap(sentence)]
        let commands = syntax.subcommands.filter { !$0.isHidden }
        if !commands.isEmpty {
            sections.append(list("Commands", commands.map { ($0.name, $0.summary) }))
        }
        sections.append(list("Options", syntax.allOptions.map { ($0.label, $0.help) }))
        sections += syntax.discussion.map { wrap($0) }
        if path.isEmpty {
            let codes = ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }
            sections.append(list("Exit codes", codes))
        }
        return sections.joined(separator: "\n\n")
    }

    private var words: String { (["ferry"] + path).joined(separator: " ") }

    private var sentence: String {
        syntax.summary.prefix(1).uppercased() + syntax.summary.dropFirst() + "."
    }

    private var usage: String {
        guard syntax.command != nil else { return "Usage: \(words) COMMAND" }
        let operands = syntax.operands.map { " \($0.label)" } ?? ""
        return "Usage: \(words)\(syntax.options.isEmpty ? "" : " [options]")\(operands)"
    }

    private var otherUsages: [String] {
        guard syntax.command != nil else { return [] }
        return syntax.subcommands.map { subcommand in
            let operands = subcommand.operands.map { " \($0.label)" } ?? ""
            return "       \(words) \(subcommand.name)\(operands)"
        }
    }

    private func list(_ title: String, _ rows: [(label: String, help: String)]) -> String {
        let column = (rows.map(\.label.count).max() ?? 0) + 4
        let lines = rows.map { row in
            let label = "  " + row.label.padding(toColumn: column - 2)
            return label + wrap(row.help, indentation: column)
        }
        return (["\(title):"] + lines).joined(separator: "\n")
    }

    private func wrap(_ text: String, indentation: Int = 0) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indentation + line.count + 1 + word.count > Self.width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        lines.append(line)
        return lines.joined(separator: "\n" + String(repeating: " ", count: indentation))
    }
}

/// The syntax of a command, and its help texts.
struct CommandSyntax: Sendable {
    /// The word that calls it.
    let name: String
    /// A short description of what it does.
    let summary: String
    /// Further paragraphs of the help.
    var discussion: [String] = []
    /// The options it accepts besides `--help`.
    var options: [OptionSyntax] = []
    /// The words after the options; nil for none.
    var operands: OperandSyntax?
    /// Its subcommands.
    var subcommands: [CommandSyntax] = []
    /// The type that runs it; nil when a subcommand is required.
    var command: (any Command.Type)?
    /// Whether the help omits it, because people do not need it.
    var isHidden = false

    /// The options it accepts, including those of every command.
    var allOptions: [OptionSyntax] { options + [.help] }

    /// Returns the subcommand with a name.
    ///
    /// - Parameter name: The word as typed.
    /// - Returns: The command; nil when there is none.
    func subcommand(named name: String) -> CommandSyntax? {
        subcommands.first { $0.name == name }
    }
}

/// An option that a command accepts.
struct OptionSyntax: Hashable, Sendable {
    /// The name after `--`.
    let name: String
    /// The letter after `-`, if it has one.
    let letter: Character?
    /// The placeholder for its value in the help; nil for a switch.
    let value: String?
    /// A short description of what it does.
    let help: String

    init(_ name: String, letter: Character? = nil, value: String? = nil, help: String) {
        self.name = name
        self.letter = letter
        self.value = value
        self.help = help
    }

    /// The option as the help shows it, such as `-o, --output PATH`.
    var label: String {
        let names = letter.map { "-\($0), --\(name)" } ?? "    --\(name)"
        return value.map { "\(names) \($0)" } ?? names
    }
}

extension OptionSyntax {
    /// The option that requests a command's help text.
    static let help = OptionSyntax("help", letter: "h", help: "show this help")
    /// The option that requests the version.
    static let version = OptionSyntax(
        "version",
        help: "show the version, and that of the interface to ferryd"
    )
    /// The option that requests output for programs.
    static let json = OptionSyntax("json", help: "write JSON for programs")
}

/// The words after a command's options.
struct OperandSyntax: Hashable, Sendable {
    /// The placeholder for one of them in the help.
    let name: String
    /// The minimum number of words.
    let minimumCount: Int
    /// The maximum number of words; nil for any number.
    let maximumCount: Int?

    /// One or more words.
    static func oneOrMore(_ name: String) -> OperandSyntax {
        OperandSyntax(name: name, minimumCount: 1, maximumCount: nil)
    }

    /// Any number of words, including none.
    static func any(_ name: String) -> OperandSyntax {
        OperandSyntax(name: name, minimumCount: 0, maximumCount: nil)
    }

    /// Exactly one word.
    static func one(_ name: String) -> OperandSyntax {
        OperandSyntax(name: name, minimumCount: 1, maximumCount: 1)
    }

    /// One word or none.
    static func optional(_ name: String) -> OperandSyntax {
        OperandSyntax(name: name, minimumCount: 0, maximumCount: 1)
    }

    /// A word, and one of another kind.
    static func pair(_ name: String, _ other: String) -> OperandSyntax {
        OperandSyntax(name: "\(name) \(other)", minimumCount: 2, maximumCount: 2)
    }

    /// A word, and one or more of another kind.
    static func first(_ name: String, then other: String) -> OperandSyntax {
        OperandSyntax(name: "\(name) \(other)", minimumCount: 2, maximumCount: nil)
    }

    /// No word, or one and any number of another kind.
    static func optional(_ name: String, thenAny other: String) -> OperandSyntax {
        OperandSyntax(name: "\(name) [\(other)...]", minimumCount: 0, maximumCount: 1 << 20)
    }

    /// The operands as the usage line shows them, such as `[ID...]`.
    var label: String {
        let word = maximumCount == nil ? "\(name)..." : name
        return minimumCount == 0 ? "[\(word)]" : word
    }
}
