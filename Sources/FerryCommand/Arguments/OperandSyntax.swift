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

    /// A word, and any number of another kind.
    static func first(_ name: String, thenAny other: String) -> OperandSyntax {
        OperandSyntax(name: "\(name) [\(other)...]", minimumCount: 1, maximumCount: 1 << 20)
    }

    /// The operands as the usage line shows them, such as `[ID...]`.
    var label: String {
        let word = maximumCount == nil ? "\(name)..." : name
        return minimumCount == 0 ? "[\(word)]" : word
    }
}
