import DesktopCore
import Foundation

/// A download that waits for a person to go on with it, also in a later launch.
struct PausedDownload: Codable, Hashable, Sendable {
    var track: Track
    var resumeData: Data?
    var progress: DownloadProgress?
}
