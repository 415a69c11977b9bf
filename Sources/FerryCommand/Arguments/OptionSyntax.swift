/// An option that a command accepts.
struct OptionSyntax: Hashable, Sendable {
    /// The name after `--`.
    let name: String
    /// The letter after `-`, if it has one.
    let letter: Character?
    /// What stands for its value in the help; nil for a switch.
    let value: String?
    /// What it does, in a phrase.
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
    /// Asks for the help text of the command it stands with.
    static let help = OptionSyntax("help", letter: "h", help: "show this help")
    /// Asks for the version.
    static let version = OptionSyntax("version", help: "show the version")
    /// Asks for output made for programs.
    static let json = OptionSyntax("json", help: "write JSON for programs")
}
