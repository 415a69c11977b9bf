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
        try await context.forEach(identifiers) {
            try await context.daemon.pause($0)
            return nil
        }
    }
}

/// `ferry resume`: resumes paused transfers.
struct ResumeCommand: Command {
    private static let now = OptionSyntax(
        "now",
        help: "let them run whatever the network, the power and the hour are"
    )

    static let syntax = CommandSyntax(
        name: "resume",
        summary: "resume paused transfers",
        options: [now],
        operands: .oneOrMore("ID"),
        command: Self.self
    )

    private let identifiers: [Int]
    private let ignoresConditions: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        identifiers = try arguments.taskIdentifiers()
        ignoresConditions = arguments.has(Self.now)
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(identifiers) {
            try await context.daemon.resume($0, ignoringConditions: ignoresConditions)
            return nil
        }
    }
}

/// `ferry quit`: cancels all transfers of an application.
struct QuitCommand: Command {
    static let syntax = CommandSyntax(
        name: "quit",
        summary: "cancel all transfers of an application, and do not start it",
        discussion: [
            "ferryd does not start the application until something else has. 'ferry hooks' shows the "
                + "applications' names."
        ],
        operands: .one("APPLICATION"),
        command: Self.self
    )

    private let applications: [String]

    init(_ arguments: Arguments) throws(UsageError) {
        applications = arguments.operands
    }

    func run(in context: Context) async throws -> ExitCode {
        for application in applications {
            let count = try await context.daemon.quit(application: application)
            let transfers = count == 1 ? "1 transfer" : "\(count) transfers"
            context.console.errorLine("ferry: \(application): \(transfers) cancelled")
        }
        return .success
    }
}
