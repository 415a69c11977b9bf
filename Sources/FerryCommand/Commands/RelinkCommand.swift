import Ferry
import Foundation

/// `ferry relink`: gives a transfer another address.
struct RelinkCommand: Command {
    static let syntax = CommandSyntax(
        name: "relink",
        summary: "continue a transfer from a new URL",
        discussion: [
            "For links that have expired. What is loaded is kept if the new address proves to have the same "
                + "file: as long as the old one, and with the same last 64 KiB of what is there. Otherwise the "
                + "transfer begins anew. Header fields other than Accept and the like stay with the server "
                + "that they were given for."
        ],
        examples: [
            .init(
                "ferry relink 'https://example.org/debian.iso?token=new' 12",
                "Give a transfer the link that its site shows now:"
            )
        ],
        operands: .pair("URL", "ID"),
        command: Self.self
    )

    private let identifiers: [Int]
    private let url: URL

    init(_ arguments: Arguments) throws(UsageError) {
        url = try arguments.webAddress(arguments.operands[0])
        identifiers = try arguments.taskIdentifiers(after: 1)
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(identifiers) {
            try await context.daemon.relink($0, to: url)
            return nil
        }
    }
}
