import Foundation

/// A page of the manual about a command, in the language of mdoc(7), made of the command's syntax.
///
/// Subcommands are in the page of their command.
struct ManualPage {
    /// The name of the page, such as `ferry-get`.
    let name: String
    private let syntax: CommandSyntax
    private let path: [String]
    private let date: Date

    /// The pages about a program and its commands.
    ///
    /// - Parameters:
    ///   - program: The program's syntax.
    ///   - date: The date that the pages have.
    /// - Returns: The pages, the program's first.
    static func all(of program: CommandSyntax, date: Date) -> [ManualPage] {
        [ManualPage(program, path: [], date: date)]
            + program.shownSubcommands.map { ManualPage($0, path: [$0.name], date: date) }
    }

    private init(_ syntax: CommandSyntax, path: [String], date: Date) {
        self.syntax = syntax
        self.path = path
        self.date = date
        name = (["ferry"] + path).joined(separator: "-")
    }

    /// The name of its file.
    var fileName: String { "\(name).1" }

    /// The source of the page.
    var text: String {
        let lines =
            head + synopsis + description + options(of: syntax, titled: ".Sh OPTIONS")
            + commands + exitStatus + examples + seeAlso
        return lines.joined(separator: "\n") + "\n"
    }

    private var head: [String] {
        ManualText.head(
            of: name,
            inSection: 1,
            about: syntax.summary,
            madeFrom: "the syntax of the command",
            date: date
        )
    }

    private var synopsis: [String] {
        let own = syntax.command == nil ? [] : usage(of: syntax, path: path)
        let others =
            path.isEmpty
            ? [".Nm", ".Ar COMMAND"]
            : syntax.shownSubcommands.flatMap { usage(of: $0, path: path + [$0.name]) }
        return [".Sh SYNOPSIS"] + own + others
    }

    private func usage(of syntax: CommandSyntax, path: [String]) -> [String] {
        [".Nm ferry Cm \(path.joined(separator: " "))"]
            + (syntax.hasOptions ? [".Op Ar options"] : [])
            + (syntax.operands.map { [Self.synopsis(of: $0)] } ?? [])
    }

    /// The operands' label, such as `[RATE [ID...]]`, in macros.
    private static func synopsis(of operands: OperandSyntax) -> String {
        let words = operands.label.split(separator: " ").flatMap { word in
            let name = word.filter(\.isLetter)
            let dots = word.contains("...") ? ["..."] : []
            return word.filter { $0 == "[" }.map { _ in "Oo" } + ["Ar", name] + dots
                + word.filter { $0 == "]" }.map { _ in "Oc" }
        }
        return "." + words.joined(separator: " ")
    }

    private var description: [String] {
        [".Sh DESCRIPTION"] + paragraphs(of: syntax)
    }

    private func paragraphs(of syntax: CommandSyntax) -> [String] {
        text(syntax.sentence, of: syntax)
            + syntax.discussion.flatMap { [".Pp"] + text($0, of: syntax) }
    }

    private func text(_ text: String, of syntax: CommandSyntax) -> [String] {
        let placeholders =
            syntax.allOptions.compactMap(\.value) + (syntax.operands?.placeholders ?? [])
        return ManualText(text, placeholders: Set(placeholders)).lines
    }

    private func options(of syntax: CommandSyntax, titled title: String?) -> [String] {
        let lists = syntax.listedGroups.flatMap { group in
            (syntax.groups.isEmpty ? [] : [".Ss \(group.title)"]) + [".Bl -tag -width Ds"]
                + group.options.flatMap { item(about: $0, of: syntax) } + [".El"]
        }
        return (title.map { [$0] } ?? []) + lists
    }

    private func item(about option: OptionSyntax, of syntax: CommandSyntax) -> [String] {
        let name = "Fl \(ManualText.literal("-" + option.name))"
        let names = (option.letter.map { ["Fl \($0)"] } ?? []) + [name]
        let value = option.value.map { " Ar \(ManualText.argument($0))" } ?? ""
        return [".It \(names.joined(separator: " , "))\(value)"]
            + text(option.help.asSentence, of: syntax)
    }

    private var commands: [String] {
        guard !syntax.shownSubcommands.isEmpty else { return [] }
        let content =
            path.isEmpty
            ? listOfCommands : syntax.shownSubcommands.flatMap { section(about: $0) }
        return [".Sh COMMANDS"] + content
    }

    private var listOfCommands: [String] {
        let items = syntax.shownSubcommands.flatMap { command in
            [".It Xr ferry-\(command.name) 1"] + text(command.sentence, of: command)
        }
        return [".Bl -tag -width Ds"] + items + [".El"]
    }

    /// The section about a subcommand.
    private func section(about subcommand: CommandSyntax) -> [String] {
        [".Ss ferry \((path + [subcommand.name]).joined(separator: " "))"]
            + paragraphs(of: subcommand)
            + (subcommand.hasOptions ? options(of: subcommand, titled: nil) : [])
    }

    private var exitStatus: [String] {
        let items = ExitCode.allCases.flatMap { code in
            [".It \(code.rawValue)"] + ManualText(code.meaning.asSentence).lines
        }
        return [".Sh EXIT STATUS", ".Bl -tag -width Ds"] + items + [".El"]
    }

    private var examples: [String] {
        guard !syntax.examples.isEmpty else { return [] }
        return [".Sh EXAMPLES"]
            + syntax.examples.enumerated().flatMap { index, example in
                (index == 0 ? [] : [".Pp"]) + ManualText(example.meaning).lines
                    + Self.display(of: example.line)
            }
    }

    /// The columns of a terminal of 80 that a displayed line may have: behind its indentation, one that is longer is broken
    /// without a sign, and pasted as two commands.
    private static let exampleWidth = 60

    /// A command line as it is typed; a long one goes on behind a backslash.
    private static func display(of line: String) -> [String] {
        guard line.count > exampleWidth else { return [".Dl \(ManualText.argument(line))"] }
        var lines: [String] = []
        for word in line.split(separator: " ") {
            if let last = lines.last, last.count + word.count + 3 <= exampleWidth {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(lines.isEmpty ? String(word) : "    \(word)")
            }
        }
        let last = lines.removeLast()
        return [".Bd -literal -offset indent"]
            + lines.map { ManualText.displayed($0) + " \\e" } + [ManualText.displayed(last), ".Ed"]
    }

    private var seeAlso: [String] {
        let pages = (path.isEmpty ? [] : ["ferry 1"]) + ["ferry 7", "ferryd 8"]
        let references = pages.map { ".Xr \($0)" }.joined(separator: " ,\n")
        return [".Sh SEE ALSO", references]
    }
}
