package import DesktopCore
package import Ferry
package import Foundation

/// A picture, and what has become of its download.
@MainActor
package final class PictureDownload {
    /// Whether anything runs.
    package enum State {
        case idle
        case running(URLSessionDownloadTask)
        /// It has been cancelled, and its resume data is on the way, which the task waits for.
        case stopping(Task<Void, Never>)
        /// It can be resumed with this.
        case stopped(resumeData: Data)
    }

    package let picture: Picture
    package internal(set) var state = State.idle
    /// nil before the first figures.
    package internal(set) var progress: DownloadProgress?
    /// The picture's file, once it is there.
    package internal(set) var file: URL?
    /// Why it did not come, when it was tried last.
    package internal(set) var failure: String?
    /// Whether ferryd has it, and not this process.
    package internal(set) var isHandedOver = false

    init(picture: Picture) {
        self.picture = picture
    }

    /// Whether a task has not ended yet.
    var isBusy: Bool {
        switch state {
        case .running, .stopping: true
        case .idle, .stopped: false
        }
    }

    /// Whether this is what runs.
    func isRunning(_ task: URLSessionTask) -> Bool {
        if case .running(let running) = state { running === task } else { false }
    }
}
