import Ferry

/// `ferry cancel`: ends transfers permanently.
struct CancelCommand: Command {
    static let syntax = CommandSyntax(
        name: "cancel",
        summary: "end transfers for good",
        discussion: [TransferSelection.discussion],
        options: [TransferSelection.all],
        operands: .any("ID"),
        command: Self.self
    )

    private let selection: TransferSelection

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try TransferSelection(arguments).require(arguments)
    }

    func run(in context: Context) async throws -> ExitCode {
        try await context.forEach(selection) { id in
            let earlier = try? await context.daemon.transfer(id)
            try await context.daemon.cancel(id)
            guard let earlier, earlier.state == .completed else { return nil }
            return await text(about: earlier, in: context)
        }
    }

    /// Returns a sentence about the outcome for a transfer that was already over.
    private func text(
        about transfer: TransferDaemon.Transfer,
        in context: Context
    ) async -> String {
        do {
            _ = try await context.daemon.transfer(transfer.id)
            return
                "\(transfer.id) is over; \(transfer.application), which is running, is notified of it."
        } catch let error where error.code == .transferNotFound {
            return "\(transfer.id) was over; it is forgotten, with its file."
        } catch {
            return "\(transfer.id) is over."
        }
    }
}
