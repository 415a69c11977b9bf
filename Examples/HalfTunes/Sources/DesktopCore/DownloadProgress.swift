package import Ferry
import Foundation

/// How far a download has come.
package struct DownloadProgress: Codable, Hashable, Sendable {
    package var receivedByteCount: Int64
    /// nil when the server does not tell the length.
    package var totalByteCount: Int64?

    package init(receivedByteCount: Int64, expectedByteCount: Int64) {
        self.receivedByteCount = receivedByteCount
        totalByteCount = expectedByteCount > 0 ? expectedByteCount : nil
    }

    /// What a task of an earlier launch has received; nil when that is nothing.
    package init?(_ task: URLSessionTask) {
        guard task.countOfBytesReceived > 0 else { return nil }
        self.init(
            receivedByteCount: task.countOfBytesReceived,
            expectedByteCount: task.countOfBytesExpectedToReceive
        )
    }

    /// From 0 to 1.
    package var fraction: Double {
        guard let totalByteCount else { return 0 }
        return min(1, Double(receivedByteCount) / Double(totalByteCount))
    }

    /// Such as "12.3% of 1.1 MB".
    package var text: String {
        guard let totalByteCount else { return Figures.bytes(receivedByteCount) }
        return Figures.progress(received: receivedByteCount, of: totalByteCount)
    }
}

/// Why what was received is not what was wanted.
package enum DownloadFailure: LocalizedError, Hashable {
    /// The server answered with another status than 200 or 206.
    case refused(status: Int)

    /// Looks at what a server has answered.
    ///
    /// - Throws: ``refused(status:)`` when its answer is about something else than the file.
    package static func check(_ response: URLResponse?) throws {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard [200, 206].contains(status) else { throw DownloadFailure.refused(status: status) }
    }

    package var errorDescription: String? {
        switch self {
        case .refused(let status) where status == 404 || status == 410:
            localized("The file is not there any more (%1$@).", String(status))
        case .refused(let status) where status == 401 || status == 403:
            localized("The server does not give the file out (%1$@).", String(status))
        case .refused(let status) where status == 429 || status >= 500:
            localized("The server is not available now (%1$@). Try again later.", String(status))
        case .refused(let status):
            localized("The server sent something else than the file (%1$@).", String(status))
        }
    }
}
