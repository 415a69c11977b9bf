import Ferry

/// `ferry why`: shows what a transfer waits for.
struct WhyCommand: Command {
    static let syntax = CommandSyntax(
        name: "why",
        summary: "explain the state of a transfer",
        options: [.json],
        operands: .one("ID"),
        command: Self.self
    )

    private let identifiers: [Int]
    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        identifiers = try arguments.taskIdentifiers()
        isJSON = arguments.has(.json)
    }

    func run(in context: Context) async throws -> ExitCode {
        for identifier in identifiers {
            let transfer = try await context.daemon.transfer(identifier)
            let lines =
                isJSON
                ? [try JSONLine.text(TransferReport(transfer))]
                : Explanation(transfer, now: context.now()).lines.map(\.printable)
            context.console.line(lines.joined(separator: "\n"))
        }
        return .success
    }
}
