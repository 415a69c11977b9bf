/// What the last word of an unfinished command line may be.
struct Completion: Sendable {
    /// A word, and what it means.
    struct Candidate: Hashable, Sendable {
        /// The word.
        let word: String
        /// A short description of it.
        let description: String
    }

    /// The words that fit.
    enum Choice: Hashable, Sendable {
        /// Some words; none if anything may be there.
        case words([Candidate])
        /// The names of files.
        case files
        /// The names of directories.
        case directories
        /// The numbers of transfers.
        case transfers
        /// The names of applications.
        case applications
        /// The numbers of the timetable's rules.
        case rules

        /// The words that a placeholder of the syntax stands for.
        init(placeholder: String) {
            switch placeholder {
            case "FILE", "PATH": self = .files
            case "DIR": self = .directories
            case "ID": self = .transfers
            case "APPLICATION": self = .applications
            case "RULE": self = .rules
            default: self = .words([])
            }
        }
    }

    /// The words that fit.
    private(set) var choice = Choice.words([])
    /// What precedes them in the last word, such as `--output=`.
    private(set) var prefix = ""
    /// The operands before the last word.
    private(set) var operands: [String] = []

    private var syntax: CommandSyntax
    private var pending: OptionSyntax?
    private var isAfterDashes = false
    private var isHelp = false

    /// Finds what the last word may be.
    ///
    /// - Parameters:
    ///   - words: The words after the program's name; the last one is incomplete, and may be empty.
    ///   - root: The program's syntax.
    init(of words: [String], in root: CommandSyntax) {
        syntax = root
        for word in words.dropLast() { take(word, root) }
        complete(words.last ?? "")
    }

    /// Reads a word as ``ArgumentParser`` does, but lets pass what is wrong.
    private mutating func take(_ word: String, _ root: CommandSyntax) {
        if pending != nil {
            pending = nil
        } else if isAfterDashes {
            operands.append(word)
        } else if word == "--" {
            isAfterDashes = true
        } else if word.hasPrefix("--") {
            pending = option { "--\($0.name)" == word }
        } else if word.hasPrefix("-"), word.count > 1 {
            takeLetters(word.dropFirst())
        } else if let subcommand = syntax.subcommand(named: word), operands.isEmpty {
            syntax = subcommand
        } else if syntax.name == root.name, word == "help" {
            isHelp = true
        } else {
            operands.append(word)
        }
    }

    private mutating func takeLetters(_ text: Substring) {
        for (offset, letter) in text.enumerated() {
            guard let option = option({ $0.letter == letter }) else { continue }
            // What follows the letter is its value.
            if offset == text.count - 1 { pending = option }
            return
        }
    }

    /// The option that takes a value and matches a condition.
    private func option(_ matches: (OptionSyntax) -> Bool) -> OptionSyntax? {
        syntax.allOptions.first { $0.value != nil && matches($0) }
    }

    private mutating func complete(_ word: String) {
        if let pending {
            choice = Choice(placeholder: pending.value ?? "")
        } else if !isAfterDashes, word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
            guard let option = option({ "--\($0.name)" == word[..<equals] }) else { return }
            choice = Choice(placeholder: option.value ?? "")
            prefix = String(word[...equals])
        } else if !isAfterDashes, word.hasPrefix("-") {
            choice = .words(
                syntax.allOptions.map { Candidate(word: "--\($0.name)", description: $0.help) }
            )
        } else if !isAfterDashes, operands.isEmpty, !syntax.subcommands.isEmpty {
            choice = .words(
                syntax.shownSubcommands.map { Candidate(word: $0.name, description: $0.summary) }
            )
        } else if !isHelp, let placeholder = placeholder(at: operands.count) {
            choice = Choice(placeholder: placeholder)
        }
    }

    /// The placeholder of the operand at a position; nil if there may be none.
    private func placeholder(at index: Int) -> String? {
        guard let syntax = syntax.operands, index < syntax.maximumCount ?? .max else { return nil }
        let placeholders = syntax.placeholders
        return placeholders.indices.contains(index) ? placeholders[index] : placeholders.last
    }
}
