import FerrySystem
import Foundation
import FoundationNetworking
import Synchronization

extension UnreadEvents {
    /// What comes with the end of a task.
    enum Content: Hashable, Sendable {
        case nothing
        /// A download's file.
        case file(URL)
        /// The body of the response to an upload.
        case data(Data)
        /// The disk of the file is missing; the end is put into the queue again when it may be there.
        case away
    }

    /// Prepares what comes with the end of a task for the app.
    ///
    /// - Parameter end: The end; it gets the error that is found.
    /// - Returns: What comes with it.
    func open(_ end: inout End) async -> Content {
        guard let file = end.file else { return .nothing }
        let found = await perform { [end] in Self.find(file, of: end.task) }
        switch found {
        case .success(.away):
            wait(for: file, of: end)
            return .away
        case .success(let content):
            return content
        case .failure(let error):
            end.task.storage.withLock { $0.error = error }
            end.error = error
            return .nothing
        }
    }

    private func wait(for file: FinishedFile, of end: End) {
        AbsentFiles.shared.wait(for: file) { [self] in append(.end(end)) }
    }

    private static func find(
        _ file: FinishedFile,
        of task: URLSessionTask
    ) -> Result<Content, URLError> {
        let url = task.originalRequest?.url
        guard task is URLSessionDownloadTask else {
            return Result { try Data(contentsOf: file.location) }
                .map { $0.isEmpty ? .nothing : .data($0) }
                .mapError { URLError(missingBodyBecause: $0, url: url) }
        }
        switch file.presence() {
        case .here:
            file.markDelivered()
            return .success(.file(file.location))
        case .taken: return .success(.nothing)
        case .removed: return .failure(URLError(removed: file, url: url))
        case .away: return .success(.away)
        }
    }
}
