import Ferry
import Foundation

/// `ferry complete`: tells a shell what the last word of a command line may be.
struct CompleteCommand: Command {
    static let syntax = CommandSyntax(
        name: "complete",
        summary: "tell a shell what may come next; its completions call it",
        discussion: [
            "The words are those after 'ferry', as far as the cursor; the last one may be empty. The first line "
                + "says what fits: files, directories, or the words in the other lines, each with a tab and its "
                + "meaning behind it. ferryd is asked for its transfers if it runs, and not started."
        ],
        operands: .any("WORD"),
        command: Self.self,
        isHidden: true
    )

    /// How long ferryd has for its answer, while somebody types.
    private static let timeout = Duration.seconds(1)
    /// More numbers than anybody looks through.
    private static let limit = 1000

    private let completion: Completion

    init(_ arguments: Arguments) throws(UsageError) {
        completion = Completion(of: arguments.operands, in: Program.syntax)
    }

    func run(in context: Context) async throws -> ExitCode {
        switch completion.choice {
        case .files: context.console.output("files\n")
        case .directories: context.console.output("directories\n")
        case .words(let candidates): write(candidates, to: context.console)
        case .transfers, .applications, .rules:
            let daemon = context.runningDaemon
            let choice = completion.choice
            let now = context.now()
            let candidates = await Self.answer { try await Self.ask(daemon, for: choice, now: now) }
            write(candidates, to: context.console)
        }
        return .success
    }

    private func write(_ candidates: [Completion.Candidate], to console: Console) {
        let lines = candidates.filter { !completion.operands.contains($0.word) }.map { candidate in
            "\(completion.prefix)\(candidate.word.printable)\t\(candidate.description.printable)\n"
        }
        console.output("words\n" + lines.joined())
    }

    /// Returns the answer to a question; nothing if there is none in time.
    private static func answer(
        _ question: @escaping @Sendable () async throws -> [Completion.Candidate]
    ) async -> [Completion.Candidate] {
        let (answers, answer) = AsyncStream<[Completion.Candidate]>.makeStream()
        let asking = Task {
            // What is wrong with ferryd is nothing to tell somebody in the middle of a line.
            if let candidates = try? await question() { answer.yield(candidates) }
            answer.finish()
        }
        let waiting = Task {
            try? await Task.sleep(for: timeout)
            answer.finish()
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        for await candidates in answers { return candidates }
        return []
    }

    private static func ask(
        _ daemon: TransferDaemon,
        for choice: Completion.Choice,
        now: Date
    ) async throws -> [Completion.Candidate] {
        switch choice {
        case .transfers: try await transfers(of: daemon, now: now)
        case .applications:
            try await daemon.hooks().map { hook in
                Completion.Candidate(
                    word: hook.application,
                    description: hook.launch?.executable ?? "removed"
                )
            }
        case .rules:
            try await daemon.timetable().rules.map { rule in
                Completion.Candidate(word: String(rule.number), description: rule.text)
            }
        case .words, .files, .directories: []
        }
    }

    private static func transfers(
        of daemon: TransferDaemon,
        now: Date
    ) async throws -> [Completion.Candidate] {
        let query = TransferDaemon.Query(states: [.suspended, .waiting, .running])
        var candidates: [Completion.Candidate] = []
        for try await transfer in daemon.transfers(matching: query) {
            candidates.append(
                Completion.Candidate(
                    word: String(transfer.id),
                    description:
                        "\(transfer.name): \(transfer.stateText(now: now)), \(transfer.progressText)"
                )
            )
            if candidates.count == limit { break }
        }
        return candidates
    }
}
