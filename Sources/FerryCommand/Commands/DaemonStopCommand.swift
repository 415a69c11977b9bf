import Ferry

/// `ferry daemon stop`: stops ferryd; transfers go on when it is started again.
struct DaemonStopCommand: Command {
    static let syntax = CommandSyntax(
        name: "stop",
        summary: "stop ferryd; its transfers go on when it is started again",
        discussion: ["The next program that needs ferryd starts it."],
        command: Self.self
    )

    init(_ arguments: Arguments) throws(UsageError) {}

    func run(in context: Context) async throws -> ExitCode {
        let wasRunning = try await context.daemon.stop()
        if !wasRunning { context.console.errorLine("ferry: ferryd was not running") }
        return .success
    }
}
