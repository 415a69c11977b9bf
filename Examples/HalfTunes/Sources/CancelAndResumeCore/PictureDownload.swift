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

/// What the delegate of a session has learnt.
enum PictureEvent: Sendable {
    case progressed(URLSessionDownloadTask, DownloadProgress)
    /// The picture is in this file.
    case arrived(URLSessionTask, URL)
    /// The task has ended without a picture, for a reason that is told to people.
    case failed(URLSessionTask, String, resumeData: Data?)
    /// Everything that this process was started for has been told.
    case allWasTold
}

/// A picture that can be downloaded.
package struct Picture: Hashable, Sendable {
    package var title: String
    package var url: URL

    /// Under which name it is filed.
    var fileName: String { FileName.of(url) }
}

extension Picture {
    /// The environment variable that tells where other pictures are, with spaces in between.
    package static let addressesVariable = "CANCEL_AND_RESUME_PICTURES"

    /// The pictures that the app offers, by the environment variables of its process.
    static func all(environment: [String: String]) -> [Picture] {
        guard let addresses = environment[addressesVariable] else { return planets }
        return addresses.split(separator: " ").compactMap { URL(string: String($0)) }.map { url in
            Picture(title: FileName.of(url.deletingPathExtension()).capitalized, url: url)
        }
    }

    private static var planets: [Picture] {
        [
            (localized("Earth"), "9/97/The_Earth_seen_from_Apollo_17.jpg"),
            (localized("Moon"), "e/e1/FullMoon2010.jpg"),
            (localized("Mars"), "0/02/OSIRIS_Mars_true_color.jpg"),
        ].compactMap { title, path in
            URL(string: "https://upload.wikimedia.org/wikipedia/commons/\(path)")
                .map { Picture(title: title, url: $0) }
        }
    }
}
