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
    static let version = OptionSyntax("version", help: "show the version")
    /// The option that requests output for programs.
    static let json = OptionSyntax("json", help: "write JSON for programs")
}
