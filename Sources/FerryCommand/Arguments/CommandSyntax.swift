/// What a command accepts, and the words that explain it.
struct CommandSyntax: Sendable {
    /// The word that calls it.
    let name: String
    /// What it does, in a phrase.
    let summary: String
    /// What else there is to know, a paragraph each.
    var discussion: [String] = []
    /// The options it takes beside `--help`.
    var options: [OptionSyntax] = []
    /// The words after the options; nil for none.
    var operands: OperandSyntax?
    /// The commands below it.
    var subcommands: [CommandSyntax] = []
    /// What runs it; nil when one of its subcommands has to be named.
    var command: (any Command.Type)?
    /// Whether the help leaves it out, because people have no use for it.
    var isHidden = false

    /// The options it takes, the ones of every command included.
    var allOptions: [OptionSyntax] { options + [.help] }

    /// The subcommand of a name.
    ///
    /// - Parameter name: The word as typed.
    /// - Returns: The command; nil when there is none.
    func subcommand(named name: String) -> CommandSyntax? {
        subcommands.first { $0.name == name }
    }
}
