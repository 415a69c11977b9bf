import Ferry

/// `ferry background-events`: the command that ferryd starts when files of `ferry get` are finished.
struct BackgroundEventsCommand: Command {
    static let syntax = CommandSyntax(
        name: "background-events",
        summary: "take finished files; ferryd calls it",
        command: Self.self,
        isHidden: true
    )

    private let arguments: Arguments

    init(_ arguments: Arguments) throws(UsageError) {
        self.arguments = arguments
    }

    func run(in context: Context) async throws -> ExitCode {
        guard case .backgroundURLSession = Application.shared.launchReason else {
            throw arguments.error("only ferryd calls this.")
        }
        Application.ferry.delegate = await BackgroundEvents(
            taker: FileTaker(environment: context.environment),
            log: FileLog(environment: context.environment, now: context.now)
        )
        await Application.shared.runUntilBackgroundEventsAreHandled()
        return .success
    }
}
