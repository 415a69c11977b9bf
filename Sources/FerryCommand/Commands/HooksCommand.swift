import Ferry
import Foundation

/// `ferry hooks`: the programs that ferryd may start.
struct HooksCommand: Command {
    static let syntax = CommandSyntax(
        name: "hooks",
        summary: "show the programs that ferryd may start",
        discussion: [
            "ferryd starts a program when all transfers of one of its background sessions are over."
        ],
        options: [.json],
        subcommands: [RemoveHookCommand.syntax],
        command: Self.self
    )

    /// A hook as `--json` writes it.
    private struct Report: Encodable {
        let application: String
        let executable: String?
        let arguments: [String]?
        let directory: String?
        let sessions: [String]
        let attempts: Int
        let nextStart: Date?
        let isQuit: Bool

        init(_ hook: TransferDaemon.Hook) {
            application = hook.application
            executable = hook.launch?.executable
            arguments = hook.launch?.arguments
            directory = hook.launch?.workingDirectory
            sessions = hook.pendingSessions
            attempts = hook.attempts
            nextStart = hook.nextLaunch
            isQuit = hook.isQuit
        }
    }

    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isJSON = arguments.has(.json)
    }

    func run(in context: Context) async throws -> ExitCode {
        let hooks = try await context.daemon.hooks()
        if isJSON {
            for hook in hooks { context.console.line(try JSONLine.text(Report(hook))) }
        } else if hooks.isEmpty {
            context.console.errorLine("ferryd may start no program.")
        } else {
            var table = Table(["APPLICATION", "NEXT START", "COMMAND"])
            let lines = table.lines(
                hooks.map {
                    [
                        $0.application, Self.nextStart(of: $0, now: context.now()),
                        Self.command(of: $0),
                    ]
                },
                limit: context.console.outputSize()?.columns
            )
            context.console.line(lines)
        }
        return .success
    }

    private static func nextStart(of hook: TransferDaemon.Hook, now: Date) -> String {
        if hook.isQuit { return "quit by the user" }
        guard let next = hook.nextLaunch else {
            return hook.pendingSessions.isEmpty ? "-" : "running"
        }
        let failures = hook.attempts > 0 ? ", after \(hook.attempts) failed starts" : ""
        return next.text(now: now) + failures
    }

    private static func command(of hook: TransferDaemon.Hook) -> String {
        guard let launch = hook.launch else { return "removed" }
        return ([launch.executable] + launch.arguments).map(\.shellQuoted).joined(separator: " ")
    }
}

/// `ferry hooks remove`: keeps ferryd from starting a program.
struct RemoveHookCommand: Command {
    static let syntax = CommandSyntax(
        name: "remove",
        summary: "keep ferryd from starting a program",
        discussion: [
            "Its transfers continue; their files wait until something else starts it."
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
