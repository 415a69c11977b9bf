import Ferry
import Foundation

extension TransferDaemon.EndedTransfer {
    /// The identity of the transfer.
    var rowID: TransferRow.ID {
        TransferRow.ID(
            application: application,
            session: session,
            taskIdentifier: taskIdentifier
        )
    }

    /// The name of its file.
    var name: String {
        if let path { return URL(filePath: path, directoryHint: .notDirectory).lastPathComponent }
        if let name = Destination(taskDescription: taskDescription)?.name { return name }
        return FileName(contentDisposition: nil, address: address).text
    }

    /// How it ended.
    var outcome: Outcome {
        if let failure {
            let isOwn = application == CommandSession.application
            let message =
                isOwn ? Outcome.Reason.withoutSession(failure.message) : failure.message
            return .failed(Outcome.Reason(code: failure.code, message: message))
        }
        if let path, let directory = Destination(taskDescription: taskDescription)?.directory,
            FileTaker.isRefuge(of: path), !path.hasPrefix("\(directory)/")
        {
            return .failed(.cannotPlace("it could not be saved in \(directory)", keptAs: path))
        }
        if status == 304, let path {
            return .unchanged(path: path)
        }
        if let path { return .saved(path: path, byteCount: receivedByteCount) }
        if let reason = status.flatMap(Outcome.Reason.init(status:)) { return .failed(reason) }
        guard !isDiscarded else {
            let message = "its file was removed, as the user wanted, before \(application) took it"
            return .failed(Outcome.Reason(code: "discarded", message: message))
        }
        guard application == CommandSession.application else { return .completed }
        // A command that had saved it would have recorded where.
        return upload == nil ? .failed(.fileMissing(name)) : .sent(answer: "")
    }

    /// Returns what became of it, in a sentence without a period, such as `debian.iso was saved as /home/ana/debian.iso
    /// at 10:54:03`.
    ///
    /// - Parameter now: The present.
    /// - Returns: The text.
    func sentence(now: Date) -> String {
        let time = "at \(ended.text(now: now))"
        switch outcome {
        case .saved(let path, _): return "\(name) was saved as \(path) \(time)"
        case .failed(let reason) where reason.isCancellation: return "\(name) was cancelled \(time)"
        case .failed(let reason): return "\(name) failed \(time): \(reason.message)"
        case .unchanged(let path): return "\(path) was left as it is \(time)"
        case .sent: return "\(name) was sent to \(address) \(time)"
        case .completed, .gone:
            let verb = upload == nil ? "was downloaded" : "was sent"
            return "\(name) \(verb) for \(application) \(time)"
        }
    }

    /// The state in a word.
    var stateText: String {
        switch outcome {
        case .saved: "saved"
        case .unchanged: "unchanged"
        case .sent: "sent"
        case .failed(let reason): reason.isCancellation ? "cancelled" : "failed"
        case .completed, .gone: "done"
        }
    }

    /// The color of its state; nil for the terminal's own.
    var color: Color? {
        if case .failed(let reason) = outcome, !reason.isCancellation { .red } else { nil }
    }

    /// The number of bytes received, or sent by an upload.
    var progressText: String {
        Figures.byteCount(upload?.sentByteCount ?? receivedByteCount)
    }
}

extension TransferRow {
    /// The row of a transfer that has ended.
    ///
    /// - Parameter transfer: The transfer.
    init(_ transfer: TransferDaemon.EndedTransfer) {
        self.init(
            id: transfer.rowID,
            name: transfer.name,
            url: transfer.address,
            number: transfer.id
        )
        progress(
            received: transfer.upload?.sentByteCount ?? transfer.receivedByteCount,
            expected: transfer.upload?.byteCount ?? transfer.expectedByteCount,
            at: .zero
        )
        ends(transfer.outcome, at: .zero)
    }
}

extension TransferDaemon {
    /// Returns what is remembered of transfers that have ended; nothing if that cannot be asked, as of an older ferryd.
    ///
    /// - Parameter ids: The transfers.
    /// - Returns: Those that are remembered, by their numbers.
    func remembered(_ ids: Set<Transfer.ID>) async -> [Transfer.ID: EndedTransfer] {
        guard !ids.isEmpty else { return [:] }
        let ended = (try? await endedTransfers(matching: EndedQuery(ids: ids))) ?? []
        return Dictionary(ended.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns a transfer, or what is remembered of it if it has ended.
    ///
    /// - Parameter id: The transfer's number.
    /// - Returns: The transfer.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when nothing is known of it.
    func presentOrEnded(
        _ id: Transfer.ID
    ) async throws(TransferDaemonError) -> PresentOrEnded {
        do throws(TransferDaemonError) {
            return .present(try await transfer(id))
        } catch let error where error.code == .transferNotFound {
            guard let ended = await remembered([id])[id] else { throw error }
            return .ended(ended)
        }
    }
}

/// A transfer, whether it has ended or not.
enum PresentOrEnded: Sendable {
    /// It is still there.
    case present(TransferDaemon.Transfer)
    /// It is gone.
    case ended(TransferDaemon.EndedTransfer)

    /// Its number.
    var id: TransferDaemon.Transfer.ID {
        switch self {
        case .present(let transfer): transfer.id
        case .ended(let transfer): transfer.id
        }
    }
}
