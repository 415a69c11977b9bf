import Ferry

/// `ferry config`: shows the settings of ferryd that hold, and where each is from.
struct ConfigCommand: Command {
    static let syntax = CommandSyntax(
        name: "config",
        summary: "show ferryd's settings, and where each is from",
        discussion: [
            "The settings are in ~/.config/ferry/ferry.conf, /etc/xdg/ferry/ferry.conf and /etc/ferry/ferry.conf, "
                + "see ferry.conf(5). A setting in one of these files beats the same one in those behind it.",
            "What ferryd's own options say beats all files, and so does 'ferry limit' for the rates.",
            "'ferry daemon reload' has ferryd read the files again.",
        ],
        options: [.json],
        command: Self.self
    )

    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) { isJSON = arguments.has(.json) }

    func run(in context: Context) async throws -> ExitCode {
        let report = SettingsReport(try await context.daemon.settings())
        context.console.line(isJSON ? try JSONLine.text(report) : report.text)
        return .success
    }
}
