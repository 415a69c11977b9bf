import Ferry

/// `ferry limit`: limits the rates of transfers, always or by the hour, and shows the limits.
struct LimitCommand: Command {
    private enum Action {
        case show
        case limit(TransferDaemon.Rates, TransferSelection)
        case add(String)
        case remove(String)
    }

    private static let upload = OptionSyntax(
        "upload",
        letter: "u",
        value: "RATE",
        help: "limit what is sent as well"
    )
    private static let remove = OptionSyntax(
        "remove",
        value: "RULE",
        help: "remove a rule, by its number or its words"
    )

    static let syntax = CommandSyntax(
        name: "limit",
        summary: "limit how fast transfers may be, all together or some of them",
        discussion: [
            "RATE is in bytes per second: 500k, 2M, 1.5MiB. 'none' takes a limit away. Without IDs it holds for "
                + "all transfers together, from now on and also after a restart; with IDs for each of them.",
            "A rule for some hours of the week may take the place of RATE:",
            "'ferry limit Mon-Fri 08:00-18:00 512k' limits all transfers together then, in both directions; "
                + "'1M down 200k up' limits each. The lowest of all limits holds.",
            "'ferry limit daily 22:00-06:00 discretionary' keeps discretionary work to such hours. 'ferry limit "
                + "background urgent' exempts what apps begin in the background.",
            "Without arguments it shows the limits and the rules, and what holds now. The rules are in "
                + "~/.config/ferry/timetable, one in each line, which may be edited; see ferry-timetable(5).",
        ],
        examples: [
            .init(
                "ferry limit 2M",
                "Receive at most two megabytes per second, all together:"
            ),
            .init(
                "ferry limit --upload 500k none 12",
                "Limit only what one transfer sends:"
            ),
            .init(
                "ferry limit Mon-Fri 08:00-18:00 512k",
                "Leave the line to others while they work:"
            ),
            .init(
                "ferry limit --remove 1",
                "Take the first rule away:"
            ),
        ],
        options: [upload, remove, .json],
        operands: .optional("RATE", thenAny: "ID"),
        command: Self.self
    )

    private let action: Action
    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        action = try Self.action(arguments)
        if case .show = action { return }
        if isJSON { throw arguments.error("--json is for showing the limits, without arguments.") }
    }

    private static func action(_ arguments: Arguments) throws(UsageError) -> Action {
        let words = arguments.operands
        if let rule = arguments.value(of: remove) {
            // A rule may be written without quotes.
            return .remove(([rule] + words).joined(separator: " "))
        }
        let hasUpload = arguments.has(upload)
        guard let first = words.first else {
            guard !hasUpload else { throw arguments.error("RATE is missing.") }
            return .show
        }
        // A rule has at least two words, and begins with a day or 'background'.
        if words.count > 1, first != "none", first.first?.isLetter == true {
            guard !hasUpload else {
                throw arguments.error("A rule has no --upload: write '1M down 200k up'.")
            }
            return .add(words.joined(separator: " "))
        }
        let rates = TransferDaemon.Rates(
            receive: try arguments.rate(first),
            send: try arguments.value(of: upload).flatMap { text throws(UsageError) in
                try arguments.rate(text)
            }
        )
        return .limit(rates, try TransferSelection(arguments, after: 1))
    }

    func run(in context: Context) async throws -> ExitCode {
        switch action {
        case .show:
            let timetable = try await context.daemon.timetable()
            let rates = try await context.daemon.status()?.rates ?? TransferDaemon.Rates()
            let report = LimitReport(timetable, beside: rates)
            context.console.line(isJSON ? try JSONLine.text(report) : report.text)
        case .limit(let rates, let selection) where selection.isEmpty:
            try await context.daemon.setRates(rates)
        case .limit(let rates, let selection):
            return try await context.forEach(selection) {
                try await context.daemon.setRates(rates, of: $0)
                return nil
            }
        case .add(let rule): try await context.daemon.addRule(rule)
        case .remove(let rule): try await context.daemon.removeRule(rule)
        }
        return .success
    }
}
