/// A command of `ferry`.
protocol Command: Sendable {
    /// The syntax of the command, and its help texts.
    static var syntax: CommandSyntax { get }

    /// Creates a command from its arguments.
    ///
    /// - Parameter arguments: The arguments, which fit the syntax.
    /// - Throws: ``UsageError`` when they are invalid together.
    init(_ arguments: Arguments) throws(UsageError)

    /// Runs the command.
    ///
    /// - Parameter context: The world outside.
    /// - Returns: The exit code.
    /// - Throws: The error that ends the command.
    func run(in context: Context) async throws -> ExitCode
}
