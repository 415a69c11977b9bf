package import Ferry
import Foundation

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
        case .refused(let status):
            localized("The server answered with status %1$@.", String(status))
        }
    }
}
