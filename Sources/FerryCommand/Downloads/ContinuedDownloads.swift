import Ferry
import Foundation

/// The downloads that continue what other programs have loaded.
///
/// A copy of those bytes becomes a download that was given up, which the next one with its request continues. The other
/// program's file stays until the whole one takes its place.
struct ContinuedDownloads {
    private let transfers: NewTransfers
    private let context: Context
    private let givenUp: GivenUpDownloads

    /// The downloads of a command.
    ///
    /// - Parameters:
    ///   - transfers: The transfers that it starts.
    ///   - context: The world outside.
    init(_ transfers: NewTransfers, in context: Context) {
        self.transfers = transfers
        self.context = context
        givenUp = GivenUpDownloads(environment: context.environment)
    }

    /// Prepares a download that continues what is there, if something is.
    ///
    /// - Parameter download: The download.
    /// - Returns: The download, which replaces the other program's file once it is complete.
    /// - Throws: The error of a file that cannot be continued, or of a server that cannot be asked.
    func prepare(_ download: RequestedDownload) async throws -> RequestedDownload {
        guard let found = try PartialDownload.find(download.likelyPath) else { return download }
        guard let total = try await transfers.byteCount(of: download, in: context) else {
            throw fault(of: found, "the server does not say how long the whole is")
        }
        guard found.byteCount <= total else {
            let length = Figures.byteCount(total)
            throw fault(of: found, "it is longer than the server's file, which has \(length)")
        }
        let file = BegunFile(path: found.path, byteCount: found.byteCount)
        let resumeData = try file.resumeData(
            for: download.request,
            in: .background(withIdentifier: CommandSession.application),
            totalByteCount: total,
            copyingInto: download.directory
        )
        let id = TransferRow.ID(
            application: CommandSession.application,
            session: UUID().uuidString.lowercased(),
            taskIdentifier: 0
        )
        try givenUp.keep(resumeData, of: download.request, id: id)
        tell(found, total)
        return download.replacing()
    }

    private func tell(_ found: PartialDownload, _ total: Int64) {
        guard !transfers.isQuiet else { return }
        let name = URL(filePath: found.path).lastPathComponent
        let rest =
            found.restByteCount > 0
            ? "; \(Figures.byteCount(found.restByteCount)) behind a gap are loaded again" : ""
        let (count, whole) = (Figures.byteCount(found.byteCount), Figures.byteCount(total))
        context.console.errorLine("ferry: \(name): continues after \(count) of \(whole)\(rest)")
    }

    private func fault(of found: PartialDownload, _ reason: String) -> PartialDownload.Fault {
        PartialDownload.Fault(path: found.path, reason: reason)
    }
}
