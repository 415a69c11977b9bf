import Ferry

/// `ferry limit`: limits the rates of transfers.
struct LimitCommand: Command {
    private static let upload = OptionSyntax(
        "upload",
        letter: "u",
        value: "RATE",
        help: "limit what is sent as well"
    )

    static let syntax = CommandSyntax(
        name: "limit",
        summary: "limit how fast transfers may be, all together or some of them",
        discussion: [
            "RATE is in bytes per second: 500k, 2M, 1.5MiB. 'none' takes a limit away. Without IDs it holds for "
                + "all transfers together, from now on and also after a restart; with IDs for each of them.",
            "'ferry daemon status' shows the limit of all.",
        ],
        options: [upload],
        operands: .first("RATE", thenAny: "ID"),
        command: Self.self
    )

    private let rates: TransferDaemon.Rates
    private let identifiers: [Int]

    init(_ arguments: Arguments) throws(UsageError) {
        rates = TransferDaemon.Rates(
            receive: try arguments.rate(arguments.operands[0]),
            send: try arguments.value(of: Self.upload).flatMap { text throws(UsageError) in
                try arguments.rate(text)
            }
        )
        identifiers = try arguments.taskIdentifiers(after: 1)
    }

    func run(in context: Context) async throws -> ExitCode {
        guard !identifiers.isEmpty else {
            try await context.daemon.setRates(rates)
            return .success
        }
        return try await context.forEach(identifiers) {
            try await context.daemon.setRates(rates, of: $0)
        }
    }
}
