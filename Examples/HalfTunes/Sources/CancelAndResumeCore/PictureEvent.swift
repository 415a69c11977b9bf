import DesktopCore
import Ferry
import Foundation

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
