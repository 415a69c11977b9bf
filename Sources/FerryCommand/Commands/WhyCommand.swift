import Ferry
import Foundation

/// `ferry why`: shows what a transfer waits for.
struct WhyCommand: Command {
    static let syntax = CommandSyntax(
        name: "why",
        summary: "explain the state of a transfer",
        discussion: [
            "Of one that has ended it says what became of it: ferryd remembers the last 1000."
        ],
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
            let lines =
                switch try await context.daemon.presentOrEnded(identifier) {
                case .present(let transfer): try lines(transfer, now: context.now())
                case .ended(let transfer): try lines(transfer, now: context.now())
                }
            let columns = isJSON ? nil : context.console.outputSize()?.columns
            // An address is copied whole.
            let shown =
                lines.prefix(1)
                + lines.dropFirst().flatMap { line in
                    columns.map { line.wrapped(toColumns: $0) } ?? [line]
                }
            context.console.line(shown.joined(separator: "\n"))
        }
        return .success
    }

    private func lines(_ transfer: TransferDaemon.Transfer, now: Date) throws -> [String] {
        isJSON
            ? [try JSONLine.text(TransferReport(transfer))]
            : Explanation(transfer, now: now).lines.map(\.printable)
    }

    private func lines(_ transfer: TransferDaemon.EndedTransfer, now: Date) throws -> [String] {
        isJSON
            ? [try JSONLine.text(EndedReport(transfer))]
            : [
                "\(transfer.id)  \(transfer.address)".printable,
                "\(transfer.sentence(now: now)).".printable,
            ]
    }
}
