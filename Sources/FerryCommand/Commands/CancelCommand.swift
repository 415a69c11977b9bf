import Ferry

/// `ferry cancel`: ends transfers for good.
struct CancelCommand: Command {
    static let syntax = CommandSyntax(
        name: "cancel",
        summary: "end transfers for good",
        operands: .oneOrMore("ID"),
        command: Self.self
    )

    private let identifiers: [Int]

    init(_ arguments: Arguments) throws(UsageError) {
        identifiers = try arguments.taskIdentifiers()
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(identifiers) { try await context.daemon.cancel($0) }
    }
}
