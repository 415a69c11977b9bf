package import DesktopCore
package import Ferry
package import Foundation

/// A download that has been started and is neither complete nor cancelled.
@MainActor
package final class Download {
    package let track: Track
    /// false while it is paused.
    package internal(set) var isDownloading = true
    /// nil before the first figures.
    package internal(set) var progress: DownloadProgress?
    /// What a paused download goes on from; nil when it has to start over.
    package internal(set) var resumeData: Data?
    /// nil while it is paused.
    package internal(set) var task: URLSessionDownloadTask?
    /// Whether it was paused and its resume data is still on the way.
    var awaitsResumeData = false

    init(track: Track) {
        self.track = track
    }
}
