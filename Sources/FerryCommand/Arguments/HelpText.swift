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
        var sections = [([usage] + otherUsages).joined(separator: "\n"), wrap(syntax.sentence)]
        let commands = syntax.shownSubcommands
        if !commands.isEmpty {
            sections.append(list("Commands", commands.map { ($0.name, $0.summary) }))
        }
        let labelLength = syntax.allOptions.map(\.label.count).max() ?? 0
        sections += syntax.listedGroups.map { group in
            list(group.title, group.options.map { ($0.label, $0.help) }, labelLength)
        }
        sections += syntax.discussion.map { wrap($0) }
        if path.isEmpty {
            let codes = ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }
            sections.append(list("Exit codes", codes))
        }
        return sections.joined(separator: "\n\n")
    }

    private var words: String { (["ferry"] + path).joined(separator: " ") }

    private var usage: String {
        guard syntax.command != nil else { return "Usage: \(words) COMMAND" }
        let operands = syntax.operands.map { " \($0.label)" } ?? ""
        return "Usage: \(words)\(syntax.hasOptions ? " [options]" : "")\(operands)"
    }

    private var otherUsages: [String] {
        guard syntax.command != nil else { return [] }
        return syntax.subcommands.map { subcommand in
            let operands = subcommand.operands.map { " \($0.label)" } ?? ""
            return "       \(words) \(subcommand.name)\(operands)"
        }
    }

    private func list(
        _ title: String,
        _ rows: [(label: String, help: String)],
        _ labelLength: Int? = nil
    ) -> String {
        let column = (labelLength ?? rows.map(\.label.count).max() ?? 0) + 4
        let lines = rows.map { row in
            let label = "  " + row.label.padding(toColumn: column - 2)
            return label + wrap(row.help, indentation: column)
        }
        return (["\(title):"] + lines).joined(separator: "\n")
    }

    private func wrap(_ text: String, indentation: Int = 0) -> String {
        text.wrapped(toColumns: Self.width - indentation)
            .joined(separator: "\n" + String(repeating: " ", count: indentation))
    }
}
