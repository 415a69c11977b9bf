/// The words after a command's options.
struct OperandSyntax: Hashable, Sendable {
    /// What stands for one of them in the help.
    let name: String
    /// How many are needed at least.
    let minimumCount: Int
    /// How many are allowed; nil for any number.
    let maximumCount: Int?

    /// One or more words.
    static func oneOrMore(_ name: String) -> OperandSyntax {
        OperandSyntax(name: name, minimumCount: 1, maximumCount: nil)
    }

    /// Any number of words, also none.
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

    /// The operands as the usage line shows them, such as `[ID...]`.
    var label: String {
        let word = maximumCount == 1 ? name : "\(name)..."
        return minimumCount == 0 ? "[\(word)]" : word
    }
}
