import Ferry
import Foundation
@preconcurrency import Glibc

/// `ferry log`: shows ferryd's log.
struct LogCommand: Command {
    private static let lines = OptionSyntax(
        "lines",
        letter: "n",
        value: "N",
        help: "show the last N lines (default: 100)"
    )
    private static let follow = OptionSyntax("follow", letter: "f", help: "wait for more")
    private static let files = OptionSyntax(
        "files",
        help: "show what happened to the files of 'ferry get' while no command was running"
    )

    static let syntax = CommandSyntax(
        name: "log",
        summary: "show ferryd's log",
        discussion: ["With an ID it shows only what is about that transfer."],
        examples: [
            .init(
                "ferry log 12",
                "Show what happened to a transfer:"
            ),
            .init(
                "ferry log --follow",
                "See what ferryd does:"
            ),
        ],
        options: [lines, follow, files],
        operands: .optional("ID"),
        command: Self.self
    )

    private let number: Int?
    private let lineCount: Int
    private let follows: Bool
    private let isAboutFiles: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        number = try arguments.taskIdentifiers().first
        lineCount = try arguments.integer(of: Self.lines, in: 0...Int.max) ?? 100
        follows = arguments.has(Self.follow)
        isAboutFiles = arguments.has(Self.files)
        if isAboutFiles, number != nil {
            throw arguments.error("--files shows all files; it takes no ID.")
        }
    }

    func run(in context: Context) async throws -> ExitCode {
        if isAboutFiles {
            let log = FileLog(environment: context.environment, now: context.now)
            return try await show(log.path, in: context)
        }
        switch try await destination(in: context) {
        case .file(let path):
            return try await show(path, in: context)
        case .journal:
            let query = JournalQuery(
                number: number,
                lineCount: lineCount,
                follows: follows,
                user: geteuid()
            )
            throw query.replaceProcess()
        case .standardError:
            context.console.errorLine(
                "ferry: ferryd runs in the foreground; its log goes to its standard error"
            )
            return .failure
        }
    }

    private func destination(in context: Context) async throws -> TransferDaemon.Status.Log {
        if let status = try await context.daemon.status() { return status.log }
        // Only a running ferryd can say where it writes its log; any request starts it.
        _ = try await context.daemon.page(limit: 1)
        guard let status = try await context.daemon.status() else {
            throw TransferDaemonError(.notRunning, message: "ferryd ended while it was asked.")
        }
        return status.log
    }

    private func show(_ path: String, in context: Context) async throws -> ExitCode {
        let lines = LogLines(path: path, number: number)
        let follower = follows ? LogFollower(path: path) : nil
        let found = (try? lines.last(lineCount)) ?? []
        for line in found { context.console.line(line) }
        if let number, found.isEmpty, !follows {
            context.console.errorLine("ferry: the log has nothing about transfer \(number)")
            return .failure
        }
        try await follower?.run { text in
            for line in lines.matching(text) { context.console.line(line) }
        }
        return .success
    }
}
