/// What one word after `ferry` does.
protocol Command: Sendable {
    /// What it accepts, and the words that explain it.
    static var syntax: CommandSyntax { get }

    /// A command with the arguments it was given.
    ///
    /// - Parameter arguments: The arguments, which fit the syntax.
    /// - Throws: ``UsageError`` when they make no sense together.
    init(_ arguments: Arguments) throws(UsageError)

    /// Does what it is for.
    ///
    /// - Parameter context: The world outside.
    /// - Returns: What to tell the shell.
    /// - Throws: Whatever ends the command with an error.
    func run(in context: Context) async throws -> ExitCode
}
