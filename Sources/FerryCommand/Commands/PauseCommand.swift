import Ferry

/// `ferry pause`: stops transfers without losing their bytes.
struct PauseCommand: Command {
    static let syntax = CommandSyntax(
        name: "pause",
        summary: "stop transfers until they are resumed",
        discussion: [TransferSelection.discussion],
        examples: [
            .init(
                "ferry pause --all",
                "Leave the line to others for a while:"
            )
        ],
        options: [TransferSelection.all],
        operands: .any("ID"),
        command: Self.self
    )

    private let selection: TransferSelection

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try TransferSelection(arguments).require(arguments)
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(selection) {
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
        discussion: [TransferSelection.discussion],
        options: [now, TransferSelection.all],
        operands: .any("ID"),
        command: Self.self
    )

    private let selection: TransferSelection
    private let ignoresConditions: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try TransferSelection(arguments).require(arguments)
        ignoresConditions = arguments.has(Self.now)
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(selection) {
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
