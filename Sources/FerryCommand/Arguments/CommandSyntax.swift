/// The syntax of a command, and its texts.
///
/// `--help`, the page of the manual and the completions of shells are all made of it.
struct CommandSyntax: Sendable {
    /// The word that calls it.
    let name: String
    /// A short description of what it does.
    let summary: String
    /// Further paragraphs of the help.
    var discussion: [String] = []
    /// Command lines to learn from, which the page of the manual has.
    var examples: [Example] = []
    /// The options it accepts besides `--help`, where they need no groups.
    var options: [OptionSyntax] = []
    /// The groups in which the help lists its options.
    var groups: [OptionGroup] = []
    /// The words after the options; nil for none.
    var operands: OperandSyntax?
    /// Its subcommands.
    var subcommands: [CommandSyntax] = []
    /// The type that runs it; nil when a subcommand is required.
    var command: (any Command.Type)?
    /// Whether the help omits it, because people do not need it.
    var isHidden = false

    /// A command line, and what it does.
    struct Example: Hashable, Sendable {
        /// What is typed.
        let line: String
        /// What it does, as a sentence.
        let meaning: String

        /// An example.
        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// The options it accepts, including those of every command.
    var allOptions: [OptionSyntax] { listedGroups.flatMap(\.options) }

    /// All of its options as the help lists them.
    var listedGroups: [OptionGroup] {
        guard let last = groups.last else { return [OptionGroup("Options", options + [.help])] }
        return groups.dropLast() + [OptionGroup(last.title, last.options + [.help])]
    }

    /// Whether it accepts an option besides `--help`.
    var hasOptions: Bool { !options.isEmpty || !groups.isEmpty }

    /// The subcommands that people need.
    var shownSubcommands: [CommandSyntax] { subcommands.filter { !$0.isHidden } }

    /// What it does, as a sentence.
    var sentence: String { summary.asSentence }

    /// Returns the subcommand with a name.
    ///
    /// - Parameter name: The word as typed.
    /// - Returns: The command; nil when there is none.
    func subcommand(named name: String) -> CommandSyntax? {
        subcommands.first { $0.name == name }
    }
}

/// Options of a command that belong together.
struct OptionGroup: Sendable {
    /// What they are about, in a word or a few.
    let title: String
    let options: [OptionSyntax]

    init(_ title: String, _ options: [OptionSyntax]) {
        self.title = title
        self.options = options
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

    /// One or more words, and one of another kind.
    static func oneOrMore(_ name: String, last: String) -> OperandSyntax {
        OperandSyntax(name: "\(name)... \(last)", minimumCount: 2, maximumCount: 1 << 20)
    }

    /// No word, or one and any number of another kind.
    static func optional(_ name: String, thenAny other: String) -> OperandSyntax {
        OperandSyntax(name: "\(name) [\(other)...]", minimumCount: 0, maximumCount: 1 << 20)
    }

    /// The placeholder of each operand; further ones have the last.
    var placeholders: [String] {
        let name = self.name
        let shown = name.firstRange(of: "... ").map { name[..<$0.lowerBound] } ?? name[...]
        return shown.split(separator: " ").map { $0.filter(\.isLetter) }
    }

    /// The operands as the usage line shows them, such as `[ID...]`.
    var label: String {
        let word = maximumCount == nil ? "\(name)..." : name
        return minimumCount == 0 ? "[\(word)]" : word
    }
}

extension String {
    /// A short description as a sentence, with a capital and a full stop; programs keep their names.
    var asSentence: String {
        hasPrefix("ferry") ? self + "." : prefix(1).uppercased() + dropFirst() + "."
    }
}
