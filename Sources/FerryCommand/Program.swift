@preconcurrency import Dispatch
import Ferry
import FerryWire
@preconcurrency import Glibc

/// The `ferry` program.
package enum Program {
    /// The syntax of the program, with that of all of its commands.
    static let syntax = CommandSyntax(
        name: "ferry",
        summary: "download and upload in the background, and see what is under way",
        discussion: [
            "Transfers belong to ferryd, which starts when it is needed: they continue when this "
                + "program, its terminal or its session ends, and after a crash or a reboot.",
            "Each --json writes one JSON object a line.",
        ],
        options: [.version],
        subcommands: [
            GetCommand.syntax, PutCommand.syntax, ListCommand.syntax, TopCommand.syntax,
            HistoryCommand.syntax,
            WatchCommand.syntax,
            PauseCommand.syntax,
            ResumeCommand.syntax, CancelCommand.syntax, PriorityCommand.syntax, LimitCommand.syntax,
            RelinkCommand.syntax, WhyCommand.syntax, LogCommand.syntax, HooksCommand.syntax,
            QuitCommand.syntax, ConfigCommand.syntax, DaemonCommand.syntax,
            BackgroundEventsCommand.syntax, CompleteCommand.syntax, ManualCommand.syntax,
        ]
    )

    /// Runs this process's command line.
    ///
    /// - Returns: The exit code.
    package static func main() async -> ExitCode {
        // Swift replaces what is no UTF-8 in its own list of the words.
        let words = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }
        return await run(
            words.map { word in
                UnsafeBufferPointer(start: word, count: strlen(word))
                    .map { UInt8(bitPattern: $0) }
            },
            in: .live
        )
    }

    /// Runs a command line as the kernel has it.
    ///
    /// - Parameters:
    ///   - words: The command line without the program's name; each word is text in UTF-8, or the command is not run.
    ///   - context: The world outside.
    /// - Returns: The exit code.
    static func run(_ words: [[UInt8]], in context: Context) async -> ExitCode {
        var texts: [String] = []
        for word in words {
            guard let text = KernelText.text(word) else {
                let message =
                    "the argument '\(KernelText.escaped(word))' is not UTF-8, as names of files have to be here. "
                    + "Rename what it names, or give another name."
                context.console.errorLine(UsageError(message: message).text)
                return .usage
            }
            texts.append(text)
        }
        return await run(texts, in: context)
    }

    /// Runs a command line.
    ///
    /// - Parameters:
    ///   - words: The command line without the program's name.
    ///   - context: The world outside.
    /// - Returns: The exit code.
    static func run(_ words: [String], in context: Context) async -> ExitCode {
        let code = await code(of: words, in: context)
        return code == .success && context.console.hasLostOutput() ? .failure : code
    }

    private static func code(of words: [String], in context: Context) async -> ExitCode {
        do {
            switch try ArgumentParser.parse(words, root: syntax) {
            case .help(let syntax, let path):
                context.console.line(HelpText(syntax, path: path).text)
                return .success
            case .nothing:
                context.console.errorLine(HelpText(syntax, path: []).text)
                return .usage
            case .version:
                context.console.line(FerryVersion.line(of: "ferry"))
                return .success
            case .run(let command, let arguments):
                return try await command.init(arguments).run(in: context)
            }
        } catch let error as UsageError {
            context.console.errorLine(error.text)
            return .usage
        } catch let error as TransferDaemonError {
            context.console.errorLine("ferry: \(error.message)")
            return ExitCode(error)
        } catch {
            context.console.errorLine("ferry: \(error)")
            return .failure
        }
    }
}

extension ExitCode {
    /// The exit code for an error of ferryd.
    init(_ error: TransferDaemonError) {
        switch error.code {
        case .transferNotFound, .applicationNotFound: self = .notFound
        case .notRunning, .cannotStart, .disconnected, .permissionDenied, .unexpectedReply:
            self = .unreachable
        default: self = .failure
        }
    }
}

/// Ctrl-C as an asynchronous stream.
enum Interrupts {
    /// Returns a stream with an element for each Ctrl-C; without it, Ctrl-C ends the process.
    ///
    /// No Ctrl-C is lost: until this returns, it has its default effect. Dispatch takes over the signal's handling
    /// when it registers the source, so ignoring the signal before that would lose it.
    ///
    /// - Returns: The stream; the signal has its default effect again when it ends.
    static func stream() async -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler { continuation.yield() }
        source.setCancelHandler { signal(SIGINT, SIG_DFL) }
        continuation.onTermination = { _ in source.cancel() }
        await withCheckedContinuation { registration in
            source.setRegistrationHandler { registration.resume() }
            source.activate()
        }
        return stream
    }
}
