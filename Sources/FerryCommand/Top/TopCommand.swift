import Ferry
import Foundation
@preconcurrency import Glibc

/// `ferry top`: a full screen of all transfers, with keys that act on them.
struct TopCommand: Command {
    static let syntax = CommandSyntax(
        name: "top",
        summary: "show all transfers on a full screen, and act on them",
        discussion: [
            "The list is kept up to date. Keys act on the selected transfer: p pauses and resumes it, + and - change its "
                + "priority, l limits its rate, w tells what it waits for, u loads it from another URL, x cancels it. ? shows all "
                + "keys. Transfers go on when the screen is left.",
            "Colors are those of the terminal; with NO_COLOR=1 or CLICOLOR=0 in the environment there are none.",
        ],
        examples: [.init("ferry top", "Look at all transfers:")],
        command: Self.self
    )

    init(_ arguments: Arguments) throws(UsageError) {}

    /// What the screen reacts to.
    private enum Input: Sendable {
        case changes(TransferDaemon.Changes)
        case lost(any Error)
        case keys
        case resized
        case tick
        case message(String)
        case end
    }

    /// The minimum time between a frame and the next one that shows changes.
    private static let interval: Duration = .milliseconds(500)

    func run(in context: Context) async throws -> ExitCode {
        guard context.console.outputSize() != nil, isatty(STDIN_FILENO) == 1 else {
            context.console.errorLine(
                "ferry: 'ferry top' needs a terminal. 'ferry list' writes the same as text."
            )
            return .usage
        }
        // A stream says nothing of a ferryd that cannot be started; a call does.
        _ = try await context.daemon.page(limit: 1)
        let isColored = Color.isWanted(in: context.environment, isTerminal: true)
        guard let terminal = TopTerminal(usesColors: isColored) else {
            let name = context.environment["TERM"] ?? ""
            context.console.errorLine(
                "ferry: nothing is known of the terminal '\(name)'; set TERM, or use 'ferry list'."
            )
            return .usage
        }
        defer { terminal.close() }
        return await run(on: terminal, in: context)
    }

    private func run(on terminal: TopTerminal, in context: Context) async -> ExitCode {
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        let sources = TopSources(
            keys: { input.yield(.keys) },
            resized: { input.yield(.resized) },
            ended: { input.yield(.end) }
        )
        let following = Task { await follow(context.daemon, input) }
        // What shows the next frame if no key does, if anything.
        var next: Task<Void, any Error>?
        func showLater(after delay: Duration) {
            guard next == nil else { return }
            next = Task {
                try await Task.sleep(for: delay)
                input.yield(.tick)
            }
        }
        defer {
            following.cancel()
            next?.cancel()
            sources.cancel()
        }
        var screen = TopScreen(
            size: terminal.updatedSize(),
            alphabet: context.console.alphabet
        )
        var shown = .zero - Self.interval
        input.yield(.tick)
        for await event in inputs {
            var isDue = true
            switch event {
            case .end: return .success
            case .keys:
                for key in terminal.keys() {
                    guard let action = screen.handle(key) else { continue }
                    if action == .quit { return .success }
                    perform(action, context.daemon, input)
                }
                sources.resumeKeys()
            case .resized: screen.size = terminal.updatedSize()
            case .message(let text): screen.message = text
            case .lost(let error):
                screen.reset()
                screen.message = "ferryd: \(error)"
            case .tick: next = nil
            case .changes(let changes):
                screen.update(changes, at: context.instant())
                isDue = context.instant() - shown >= Self.interval
            }
            guard isDue else {
                showLater(after: Self.interval)
                continue
            }
            terminal.show(screen.frame(now: context.now()))
            shown = context.instant()
            // Times that are left grow shorter without news.
            if screen.isLively { showLater(after: .seconds(1)) }
        }
        return .success
    }

    /// Follows all transfers, also when ferryd is started again.
    private func follow(
        _ daemon: TransferDaemon,
        _ input: AsyncStream<Input>.Continuation
    ) async {
        while !Task.isCancelled {
            do {
                for try await changes in daemon.changes() { input.yield(.changes(changes)) }
            } catch {
                input.yield(.lost(error))
            }
            // The next stream connects, and starts ferryd if need be.
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func perform(
        _ action: TopScreen.Action,
        _ daemon: TransferDaemon,
        _ input: AsyncStream<Input>.Continuation
    ) {
        Task {
            do {
                if let text = try await TopAction(action).perform(by: daemon) {
                    input.yield(.message(text))
                }
            } catch {
                input.yield(.message("\(error)"))
            }
        }
    }
}

/// What a key has ferryd do.
struct TopAction {
    private let action: TopScreen.Action

    init(_ action: TopScreen.Action) { self.action = action }

    /// Has ferryd do it.
    ///
    /// - Returns: What to tell; nil where the list shows it.
    func perform(by daemon: TransferDaemon) async throws -> String? {
        switch action {
        case .pause(let id): try await daemon.pause(id)
        case .resume(let id): try await daemon.resume(id)
        case .cancel(let id):
            try await daemon.cancel(id)
            return "\(id) was cancelled."
        case .setPriority(let priority, let id):
            try await daemon.setPriority(priority, of: id)
            return "The priority of \(id) is \((priority * 10).rounded() / 10)."
        case .setRate(let text, let id): return try await setRate(text, id, daemon)
        case .relink(let text, let id):
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme) else {
                return "'\(text)' is no address of HTTP."
            }
            try await daemon.relink(id, to: url)
            return "\(id) continues from another URL."
        case .quit: break
        }
        return nil
    }

    private func setRate(
        _ text: String,
        _ id: Int?,
        _ daemon: TransferDaemon
    ) async throws -> String {
        let rate = TransferDaemon.Rates.bytesPerSecond(text)
        guard rate != nil || text == "none" else {
            return Arguments.refusal(ofRate: text)
        }
        let rates = TransferDaemon.Rates(receive: rate, send: nil)
        if let id {
            try await daemon.setRates(rates, of: id)
        } else {
            try await daemon.setRates(rates)
        }
        return
            "\(id.map(String.init) ?? "All together") may receive \(rate.map { Figures.speed(Double($0)) } ?? "as much as there is")."
    }
}
