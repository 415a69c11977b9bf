import DesktopCore
package import Foundation

/// The paused downloads, in a file.
///
/// A download that is under way is the session's to remember; one that is paused is nobody's.
@MainActor
package final class PausedDownloads {
    private let file: JSONFile<[PausedDownload]>

    /// What a file has.
    package init(file: URL) {
        self.file = JSONFile(url: file)
    }

    func all() -> [PausedDownload] {
        file.read() ?? []
    }

    func keep(_ download: PausedDownload) {
        write(all().filter { $0.track.previewURL != download.track.previewURL } + [download])
    }

    func forget(_ track: Track) {
        let (before, after) = (all(), all().filter { $0.track.previewURL != track.previewURL })
        if after.count != before.count { write(after) }
    }

    private func write(_ downloads: [PausedDownload]) {
        // What cannot be written is still paused in this launch.
        try? file.write(downloads)
    }
}

/// A download that waits for a person to go on with it, also in a later launch.
struct PausedDownload: Codable, Hashable, Sendable {
    var track: Track
    var resumeData: Data?
    var progress: DownloadProgress?
}
