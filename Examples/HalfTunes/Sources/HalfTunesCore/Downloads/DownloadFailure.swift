import Foundation

/// Why what was received is not the track.
package enum DownloadFailure: LocalizedError, Hashable {
    /// The server answered with another status than 200 or 206.
    case refused(status: Int)

    package var errorDescription: String? {
        switch self {
        case .refused(let status):
            localized("The server answered with status %1$@.", String(status))
        }
    }
}
