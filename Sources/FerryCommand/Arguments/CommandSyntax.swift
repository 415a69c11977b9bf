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
