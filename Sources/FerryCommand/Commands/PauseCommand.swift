import Ferry

/// `ferry pause`: stops transfers without losing their bytes.
struct PauseCommand: Command {
    static let syntax = CommandSyntax(
        name: "pause",
        summary: "stop transfers until they are resumed",
        operands: .oneOrMore("ID"),
        command: Self.self
    )

    private let identifiers: [Int]

    init(_ arguments: Arguments) throws(UsageError) {
        identifiers = try arguments.taskIdentifiers()
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(identifiers) { try await context.daemon.pause($0) }
    }
}

/// `ferry resume`: resumes paused transfers.
struct ResumeCommand: Command {
    static let syntax = CommandSyntax(
        name: "resume",
        summary: "let paused transfers go on",
        operands: .oneOrMore("ID"),
        command: Self.self
    )

    private let identifiers: [Int]

    init(_ arguments: Arguments) throws(UsageError) {
        identifiers = try arguments.taskIdentifiers()
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(identifiers) { try await context.daemon.resume($0) }
    }
}
