/// The parsed arguments of one command.
struct Arguments: Hashable, Sendable {
    /// The words that call the command, `ferry` left out.
    var command: [String] = []
    /// The words after the options.
    var operands: [String] = []
    /// The values of each option, in the order given; a switch has empty ones.
    private var values: [OptionSyntax: [String]] = [:]

    /// Records an option.
    mutating func append(_ value: String, for option: OptionSyntax) {
        values[option, default: []].append(value)
    }

    /// Whether an option was given.
    func has(_ option: OptionSyntax) -> Bool { values[option] != nil }

    /// Every value an option was given, in order.
    func values(of option: OptionSyntax) -> [String] { values[option] ?? [] }

    /// The value of an option; the last one when it was given more than once.
    func value(of option: OptionSyntax) -> String? { values[option]?.last }

    /// The value of an option that is a number.
    ///
    /// - Parameters:
    ///   - option: The option.
    ///   - range: The valid numbers.
    /// - Returns: The number; nil when the option was not given.
    /// - Throws: ``UsageError`` when the value is invalid.
    func integer<Number: FixedWidthInteger & Sendable>(
        of option: OptionSyntax,
        in range: ClosedRange<Number>
    ) throws(UsageError) -> Number? {
        guard let text = value(of: option) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            throw error("--\(option.name) takes \(description(of: range)), not '\(text)'.")
        }
        return number
    }

    /// The operands as task numbers, without duplicates.
    ///
    /// - Parameter count: The number of leading operands that are something else.
    /// - Returns: The numbers.
    /// - Throws: ``UsageError`` when one of them is invalid.
    func taskIdentifiers(after count: Int = 0) throws(UsageError) -> [Int] {
        var identifiers: [Int] = []
        for operand in operands.dropFirst(count) {
            guard let identifier = Int(operand), identifier > 0 else {
                throw error("'\(operand)' is no task; 'ferry list' shows their numbers.")
            }
            if !identifiers.contains(identifier) { identifiers.append(identifier) }
        }
        return identifiers
    }

    /// An error about these arguments.
    func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }

    private func description<Number: FixedWidthInteger>(of range: ClosedRange<Number>) -> String {
        range.upperBound == .max
            ? "a number from \(range.lowerBound)"
            : "a number from \(range.lowerBound) to \(range.upperBound)"
    }
}

/// An error about invalid arguments, with a reference to the help.
struct UsageError: Error, Hashable {
    /// What is wrong, as a sentence.
    let message: String
    /// The words that call the command they were given to, `ferry` left out.
    var command: [String] = []

    /// The lines to show.
    var text: String {
        """
        ferry: \(message)
        See '\((["ferry"] + command + ["--help"]).joined(separator: " "))'.
        """
    }
}
