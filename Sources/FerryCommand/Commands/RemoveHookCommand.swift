import Ferry

/// `ferry hooks remove`: keeps ferryd from starting a program.
struct RemoveHookCommand: Command {
    static let syntax = CommandSyntax(
        name: "remove",
        summary: "keep ferryd from starting a program",
        discussion: [
            "Its transfers go on; their files wait until it is started by somebody else."
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
            try await context.daemon.removeHook(ofApplication: application)
        }
        return .success
    }
}
