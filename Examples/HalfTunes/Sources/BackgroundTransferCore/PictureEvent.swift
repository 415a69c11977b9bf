import DesktopCore
import Foundation

/// What the session's delegate has learnt.
enum PictureEvent: Sendable {
    case progressed(taskIdentifier: Int, DownloadProgress)
    /// The picture is in this file.
    case arrived(URL)
    /// The task has ended without a picture, for this reason.
    case failed(taskIdentifier: Int, String)
    /// Everything that this process was started for has been told.
    case allWasTold
}
