/// Parses a command line by the syntax of the commands.
struct ArgumentParser {
    /// The request that a command line makes.
    enum Request: Sendable {
        case run(any Command.Type, Arguments)
        case help(CommandSyntax, path: [String])
        /// No command at all.
        case nothing
        case version
    }

    private let root: CommandSyntax
    private var syntax: CommandSyntax
    private var arguments = Arguments()
    private var rest: ArraySlice<String>

    /// Parses the words after the program's name.
    ///
    /// - Parameters:
    ///   - words: The command line without the program's name.
    ///   - root: The program's own syntax, with the commands below it.
    /// - Returns: The request.
    /// - Throws: ``UsageError`` when they are invalid.
    static func parse(
        _ words: [String],
        root: CommandSyntax
    ) throws(UsageError) -> Request {
        var parser = ArgumentParser(root: root, syntax: root, rest: words[...])
        return try parser.parse()
    }

    private init(root: CommandSyntax, syntax: CommandSyntax, rest: ArraySlice<String>) {
        self.root = root
        self.syntax = syntax
        self.rest = rest
    }

    private mutating func parse() throws(UsageError) -> Request {
        while let word = rest.popFirst() {
            if word == "--" {
                arguments.operands += rest
                rest = []
            } else if word.hasPrefix("--") {
                try takeLongOption(word.dropFirst(2))
            } else if word.hasPrefix("-"), word.count > 1, !isNegativeOperand(word) {
                try takeLetters(word.dropFirst())
            } else {
                try takeWord(word)
            }
            if arguments.has(.help) { return .help(syntax, path: arguments.command) }
            if arguments.has(.version) { return .version }
        }
        guard let command = syntax.command else { return try withoutCommand() }
        try checkOperandCount()
        return .run(command, arguments)
    }

    /// Whether a word is a number below zero where there may be one, which is no option.
    private func isNegativeOperand(_ word: String) -> Bool {
        guard syntax.operands != nil, let digit = word.dropFirst().first else { return false }
        return digit.isASCII && digit.isNumber && !syntax.allOptions.contains { $0.letter == digit }
    }

    private mutating func takeWord(_ word: String) throws(UsageError) {
        if let subcommand = syntax.subcommand(named: word), arguments.operands.isEmpty {
            syntax = subcommand
            arguments.command.append(word)
        } else if syntax.name == root.name, word == "help" {
            // `ferry help get` reads as `ferry get --help`.
            arguments.append("", for: .help)
            while let name = rest.popFirst() { try takeWord(name) }
        } else if !syntax.subcommands.isEmpty, syntax.operands == nil {
            throw unknown(
                "command",
                word,
                among: syntax.shownSubcommands.map(\.name)
            )
        } else {
            arguments.operands.append(word)
        }
    }

    private mutating func takeLongOption(_ text: Substring) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let option = syntax.allOptions.first(where: { $0.name == name }) else {
            throw unknown("option", "--\(name)", among: syntax.allOptions.map { "--\($0.name)" })
        }
        let attached = parts.count > 1 ? String(parts[1]) : nil
        if option.value == nil, attached != nil {
            throw arguments.error("--\(name) takes no value.")
        }
        try take(option, as: "--\(name)", attached: attached)
    }

    private mutating func takeLetters(_ text: Substring) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = syntax.allOptions.first(where: { $0.letter == letter }) else {
                throw unknown("option", "-\(letter)", among: [])
            }
            let attached = option.value == nil || letters.isEmpty ? nil : String(letters)
            if attached != nil { letters = "" }
            try take(option, as: "-\(letter)", attached: attached)
        }
    }

    private mutating func take(
        _ option: OptionSyntax,
        as label: String,
        attached: String?
    ) throws(UsageError) {
        guard let value = option.value else { return arguments.append("", for: option) }
        guard let text = attached ?? rest.popFirst() else {
            throw arguments.error("\(label) needs a value: \(label) \(value).")
        }
        arguments.append(text, for: option)
    }

    private func withoutCommand() throws(UsageError) -> Request {
        if arguments.command.isEmpty { return .nothing }
        let names = syntax.subcommands.map(\.name).joined(separator: " or ")
        throw arguments.error(
            "'\(arguments.command.joined(separator: " "))' needs \(names) after it."
        )
    }

    private func checkOperandCount() throws(UsageError) {
        let count = arguments.operands.count
        let allowed = syntax.operands?.maximumCount ?? (syntax.operands == nil ? 0 : .max)
        if let operands = syntax.operands, count < operands.minimumCount {
            throw arguments.error("\(operands.label) is missing.")
        }
        if count > allowed {
            throw arguments.error("'\(arguments.operands[allowed])' is one argument too many.")
        }
    }

    private func unknown(_ kind: String, _ word: String, among known: [String]) -> UsageError {
        let suggestion = Suggestion.nearest(to: word, among: known)
        let hint = suggestion.map { " Did you mean '\($0)'?" } ?? ""
        return arguments.error("there is no \(kind) '\(word)'.\(hint)")
    }
}

/// Finds the word that the user may have meant to type.
enum Suggestion {
    /// The known word that is nearest to the typed one; nil when none is near.
    ///
    /// - Parameters:
    ///   - word: The word as typed.
    ///   - known: The valid words.
    /// - Returns: The word to suggest; nil when none is near.
    static func nearest(to word: String, among known: [String]) -> String? {
        let tolerance = word.count <= 3 ? 1 : 2
        return
            known
            .map { (word: $0, distance: distance(from: word.lowercased(), to: $0)) }
            .filter { $0.distance <= tolerance || ($0.word.hasPrefix(word) && !word.isEmpty) }
            .min { $0.distance < $1.distance }?
            .word
    }

    /// The number of letters to insert, remove, replace or swap with their neighbour.
    static func distance(from source: String, to target: String) -> Int {
        let source = Array(source)
        let target = Array(target)
        var beforePrevious: [Int] = []
        var previous = Array(0...target.count)
        for row in source.indices {
            var current = [row + 1]
            for column in target.indices {
                let replaced = previous[column] + (source[row] == target[column] ? 0 : 1)
                var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, source[row] == target[column - 1],
                    source[row - 1] == target[column]
                {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[target.count]
    }
}
