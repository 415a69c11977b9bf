import Ferry

/// `ferry priority`: changes the priority of transfers.
struct PriorityCommand: Command {
    static let syntax = CommandSyntax(
        name: "priority",
        summary: "have transfers come earlier or later than others",
        discussion: [
            "PRIORITY is from 0 to 1; 0.5 is the default. Under a limit for all transfers, one of 1 gets four "
                + "times as much as one of 0.5, and one of 0 a quarter of that.",
            TransferSelection.discussion,
        ],
        examples: [
            .init(
                "ferry priority 1 12",
                "Have a transfer come before the others:"
            )
        ],
        operands: .first("PRIORITY", then: "ID"),
        command: Self.self
    )

    private let priority: Float
    private let selection: TransferSelection

    init(_ arguments: Arguments) throws(UsageError) {
        guard let priority = Float(arguments.operands[0]), (0...1).contains(priority) else {
            throw arguments.error("'\(arguments.operands[0])' is no number from 0 to 1.")
        }
        self.priority = priority
        selection = try TransferSelection(arguments, after: 1)
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(selection) {
            try await context.daemon.setPriority(priority, of: $0)
            return nil
        }
    }
}
